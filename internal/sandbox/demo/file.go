package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"svcpay/internal/platform/atomicfile"
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
	return atomicfile.Replace(path, append(text, '\n'))
}
