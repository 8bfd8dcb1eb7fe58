// Package atomicfile replaces small private files atomically: a process that dies, or reads at the same time, finds the
// old text or the new one, never a part.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace makes path hold text, whatever it held before.
func Replace(path string, text []byte) error {
	aside, err := write(path, text)
	if err != nil {
		return err
	}
	if err := os.Rename(aside, path); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return nil
}

// PutOnce makes path hold text unless there is such a file. Of several who do it at once, one has put its text.
func PutOnce(path string, text []byte) error {
	aside, err := write(path, text)
	if err != nil {
		return err
	}
	err = os.Link(aside, path)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(aside))
}

// write brings text to the disk in a new file next to path, with mode 0600.
func write(path string, text []byte) (aside string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
