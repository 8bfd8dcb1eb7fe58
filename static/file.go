package static

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
)

// File is a built file, held in memory in the encodings that it was built in.
type File struct {
	MediaType string
	packed    map[string][]byte // by content coding
	plain     func() []byte     // the file as it is
	kept      func() []byte     // the same for clients, for whom it is unpacked once
}

// encodings are the content codings that the build makes, the better first, and the suffix of a file
// in each.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

var mediaTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// Unpacked is the name of the file that a name is a compressed form of, or the name itself.
func Unpacked(name string) string {
	for _, e := range encodings {
		if plain, ok := strings.CutSuffix(name, e.suffix); ok {
			return plain
		}
	}
	return name
}

// Load reads a file of tree in its compressed forms, and as it is where it has none. It fails on a file whose media
// type is unknown.
func Load(tree fs.FS, name string) (*File, error) {
	f := &File{MediaType: mediaTypes[path.Ext(name)], packed: map[string][]byte{}}
	if f.MediaType == "" {
		return nil, fmt.Errorf("%s: no media type is known for it", name)
	}
	for _, e := range encodings {
		body, err := fs.ReadFile(tree, name+e.suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			f.packed[e.name] = body
		}
	}
	plain, err := fs.ReadFile(tree, name)
	if packed := f.packed["gzip"]; packed != nil && errors.Is(err, fs.ErrNotExist) {
		f.plain, f.kept = func() []byte {
			return unpack(packed)
		}, sync.OnceValue(func() []byte { return unpack(packed) })
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	f.plain = func() []byte { return plain }
	f.kept = f.plain
	return f, nil
}

// Plain is the file as it is, which the caller alone holds where it has to be unpacked.
func (f *File) Plain() []byte { return f.plain() }

// unpack undoes what the build did.
func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("static: " + err.Error()) // it is in the program, and a test has unpacked it
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic("static: " + err.Error())
	}
	return plain
}

// Choose returns the file in the best encoding that it has and that the values of Accept-Encoding
// allow, and the name of that coding: "" for the file as it is.
func (f *File) Choose(accepted []string) (coding string, body []byte) {
	for _, e := range encodings {
		if body, made := f.packed[e.name]; made && Accepts(accepted, e.name) {
			return e.name, body
		}
	}
	return "", f.kept()
}

// Accepts reports whether the values of Accept-Encoding name the coding with a weight above zero.
func Accepts(values []string, coding string) bool {
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameter, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		_, weight, weighted := strings.Cut(parameter, "=")
		q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		return !weighted || err == nil && q > 0
	}
	return false
}
