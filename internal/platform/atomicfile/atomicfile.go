// Package atomicfile replaces small private files atomically: a process that dies, or reads at the same time, finds the
// old text or the new one, never a part. It also locks files.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

// Lock opens the file and locks it; nil means that someone else has it. The lock belongs to the open file: it ends when
// the last process that shares it, a child included, closes it or ends.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, f.Close()
	default:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
}
