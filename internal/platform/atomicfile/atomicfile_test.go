package atomicfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"svcpay/internal/platform/atomicfile"
)

func TestFilesAreWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	holds := func(want string) {
		t.Helper()
		text, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(text) != want || info.Mode() != 0o600 {
			t.Errorf("%q, %v, %v, %v", text, err, info, statErr)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
			t.Errorf("something was left: %v, %v", all, err)
		}
	}
	for _, text := range []string{"one", "two"} {
		if err := atomicfile.Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(text)
	}
	if err := atomicfile.PutOnce(path, []byte("three")); err != nil {
		t.Fatal(err)
	}
	holds("two")
	for _, put := range []func(string, []byte) error{atomicfile.Replace, atomicfile.PutOnce} {
		if err := put(filepath.Join(dir, "none", "file"), nil); err == nil {
			t.Error("a file is in a directory that is not there")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(path, nil); err == nil {
		t.Error("a directory was replaced")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("something was left: %v, %v", all, err)
	}
}

func TestOneOfManyPutsItsText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	var makers sync.WaitGroup
	read := make([]string, 20)
	for i := range read {
		makers.Go(func() {
			if err := atomicfile.PutOnce(path, fmt.Append(nil, i)); err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			read[i] = string(text)
		})
	}
	makers.Wait()
	for _, text := range read {
		if text != read[0] {
			t.Errorf("one read %s, another %s", read[0], text)
		}
	}
}
