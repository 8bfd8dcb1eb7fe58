package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"
)

func TestWeightOfAProgramIsWithoutItsSymbols(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := weight(program)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := elf.Open(program); err == nil {
		defer e.Close()
		for _, s := range e.Sections {
			loaded := s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS
			if end := int64(s.Offset + s.FileSize); loaded && end > got {
				t.Errorf("%s ends at %d of %d bytes", s.Name, end, got)
			} else if s.Name == ".symtab" && end <= got {
				t.Errorf("the symbols are among the %d bytes", got)
			}
		}
	}
	other := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(other, []byte("#!/bin/sh, of another format\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := weight(other); err != nil || got != 29 {
		t.Errorf("a program of another format has %d bytes, %v", got, err)
	}
	if _, err := weight(other + "s"); err == nil {
		t.Error("a program that is not there was weighed")
	}
}
