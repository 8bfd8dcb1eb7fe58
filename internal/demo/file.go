package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Read returns the credentials in a file, or none if there is no file.
func Read(path string) (Credentials, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Credentials{}, nil
	}
	if err != nil {
		return Credentials{}, err
	}
	var c Credentials
	if err := json.Unmarshal(text, &c); err != nil {
		return Credentials{}, fmt.Errorf("%s holds no credentials; move it away to have new ones made", path)
	}
	return c, nil
}

// Write replaces the file whole, readable by its owner alone.
func Write(path string, c Credentials) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = aside.Write(append(text, '\n'))
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside.Name()))
	}
	return nil
}
