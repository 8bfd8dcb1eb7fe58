package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// fileSuffix names the variable of a file that holds a secret, such as DATABASE_URL_FILE.
const fileSuffix = "_FILE"

// secretFileSettings are the variables whose value may be in a file instead: those that are or contain a secret.
var secretFileSettings = []string{"DATABASE_URL", "SVCPAY_SMTP_URL", apiKeySetting, secretSetting}

// mostSecretBytes is how long such a file may be.
const mostSecretBytes = 16 << 10

// withSecretFiles returns env with the content of each named file in place of its name. A file ends with at most one
// line break that isn't part of the value. The errors name every variable that is wrong, and no content.
func withSecretFiles(env []string) ([]string, error) {
	out := slices.Clone(env)
	var errs []error
	for _, name := range secretFileSettings {
		file := lookup(out, name+fileSuffix)
		out = without(out, name+fileSuffix)
		if file == "" {
			continue
		}
		if lookup(out, name) != "" {
			errs = append(errs, fmt.Errorf("%s and %s are both set: unset one of them", name, name+fileSuffix))
			continue
		}
		value, err := readSecret(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name+fileSuffix, err))
			continue
		}
		out = append(without(out, name), name+"="+value)
	}
	return out, errors.Join(errs...)
}

func without(env []string, name string) []string {
	return slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

func readSecret(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, mostSecretBytes+1))
	if err != nil {
		return "", err
	}
	value := bytes.TrimSuffix(bytes.TrimSuffix(content, []byte("\n")), []byte("\r"))
	switch {
	case len(value) == 0:
		return "", fmt.Errorf("%s is empty", file)
	case len(content) > mostSecretBytes:
		return "", fmt.Errorf("%s is longer than %d bytes", file, mostSecretBytes)
	case bytes.ContainsAny(value, "\n\r\x00"):
		return "", fmt.Errorf("%s has more than one line", file)
	}
	return string(value), nil
}
