package static

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// File is a built file, held in memory in each of its encodings.
type File struct {
	MediaType string
	bodies    map[string][]byte // by content coding; "" is the file as it is
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

// IsCompressed tells whether a name is that of another file's compressed form.
func IsCompressed(name string) bool {
	for _, e := range encodings {
		if strings.HasSuffix(name, e.suffix) {
			return true
		}
	}
	return false
}

// Load reads a file of tree and its compressed forms. It fails on a file whose media type is unknown.
func Load(tree fs.FS, name string) (*File, error) {
	f := &File{MediaType: mediaTypes[path.Ext(name)], bodies: map[string][]byte{}}
	if f.MediaType == "" {
		return nil, fmt.Errorf("%s: no media type is known for it", name)
	}
	plain, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	f.bodies[""] = plain
	for _, e := range encodings {
		body, err := fs.ReadFile(tree, name+e.suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			f.bodies[e.name] = body
		}
	}
	return f, nil
}

// Choose returns the file in the best encoding that it has and that the values of Accept-Encoding
// allow, and the name of that coding: "" for the file as it is.
func (f *File) Choose(accepted []string) (coding string, body []byte) {
	for _, e := range encodings {
		if body, made := f.bodies[e.name]; made && Accepts(accepted, e.name) {
			return e.name, body
		}
	}
	return "", f.bodies[""]
}

// Accepts tells whether the values of Accept-Encoding name the coding with a weight above zero.
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
