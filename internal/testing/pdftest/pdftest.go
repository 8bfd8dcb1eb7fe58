// Package pdftest reads and renders PDF documents for tests, with independent programs.
package pdftest

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Text is what the document says, as a reader would copy it: its lines, without space around them.
func Text(t testing.TB, file []byte) string {
	t.Helper()
	out := run(t, file, "pdftotext", "-layout", "-enc", "UTF-8", "-nopgbrk", "-", "-")
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Page is a picture of the document's first page in shades of gray, at 144 dots an inch.
func Page(t testing.TB, file []byte) *image.Gray {
	t.Helper()
	out, err := png.Decode(bytes.NewReader(run(t, file, "pdftoppm", "-png", "-gray", "-r", "144", "-singlefile", "-")))
	if err != nil {
		t.Fatal(err)
	}
	gray := image.NewGray(out.Bounds())
	draw.Draw(gray, gray.Rect, out, out.Bounds().Min, draw.Src)
	return gray
}

func run(t testing.TB, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		install(t)
	}
	cmd := exec.Command(name, args...)
	var out, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &wrong
	if err := cmd.Run(); err != nil || wrong.Len() > 0 { // a fault in the document is a line of text alone
		t.Fatalf("%s: %v %s", name, err, wrong.String())
	}
	return out.Bytes()
}

// install runs the script that make test runs before the tests.
func install(t testing.TB) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	if out, err := exec.Command(filepath.Join(dir, "tools", "poppler.sh")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
