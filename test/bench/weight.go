package main

import (
	"debug/elf"
	"errors"
	"io"
	"os"
)

// weight is how many bytes a program has without its symbols, which are of use to debuggers alone: up to the end of
// what is loaded. Where programs have another format it is all of them.
func weight(binary string) (bytes int64, err error) {
	f, err := os.Open(binary)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	e, err := elf.NewFile(f)
	if other := (*elf.FormatError)(nil); errors.As(err, &other) {
		return f.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return 0, err
	}
	for _, p := range e.Progs {
		bytes = max(bytes, int64(p.Off+p.Filesz))
	}
	return bytes, nil
}
