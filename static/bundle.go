package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
)

// Bundle is a part of the front end in memory. The addresses of its files change with their content, so that
// browsers may keep them for good.
type Bundle struct {
	paths  map[string]string // by name
	byPath map[string]*File
}

// LoadBundle reads what the manifest of a part lists; nothing when the front end has not been built. An
// error means that the build is damaged.
func LoadBundle(built fs.FS, part string) (*Bundle, error) {
	b := &Bundle{byPath: map[string]*File{}}
	text, err := fs.ReadFile(built, part+"/manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", part, err)
	}
	if err := json.Unmarshal(text, &b.paths); err != nil {
		return nil, fmt.Errorf("%s: manifest.json: %w", part, err)
	}
	for _, path := range b.paths {
		if b.byPath[path], err = Load(built, part+"/"+path); err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
	}
	return b, nil
}

// Built reports whether there is anything.
func (b *Bundle) Built() bool { return len(b.byPath) > 0 }

// Path is the address of a file below the bundle's, "" for a file that it does not have.
func (b *Bundle) Path(name string) string { return b.paths[name] }

// Serve answers with the file at path in the best encoding that the client takes. It returns false, and
// has written nothing, if there is no such file.
func (b *Bundle) Serve(w http.ResponseWriter, r *http.Request, path string) bool {
	f, ok := b.byPath[path]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", f.MediaType)
	coding, body := f.Choose(r.Header.Values("Accept-Encoding"))
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client is gone if this fails
	return true
}
