package static

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestChooseTakesTheBestThatIsAllowed(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"a.js": {Data: []byte("plain")}, "a.js.br": {Data: []byte("brotli")}, "a.js.gz": {Data: []byte("gzipped")},
		"b.css": {Data: []byte("plain")}, "b.css.gz": {Data: []byte("gzipped")}}
	for _, c := range []struct{ name, accepted, coding, body string }{
		{"a.js", "", "", "plain"},
		{"a.js", "gzip, deflate, br", "br", "brotli"},
		{"a.js", "deflate|br", "br", "brotli"},
		{"a.js", "GZIP;q=0.5", "gzip", "gzipped"},
		{"a.js", "br;q=0, gzip", "gzip", "gzipped"},
		{"a.js", "br; q=0.0, gzip;q=0", "", "plain"},
		{"a.js", "br;q=nonsense, brotli, x-gzip", "", "plain"},
		{"b.css", "br, gzip", "gzip", "gzipped"},
	} {
		f, err := Load(tree, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if coding, body := f.Choose(strings.Split(c.accepted, "|")); coding != c.coding || string(body) != c.body {
			t.Errorf("%s for %q: %q, %s", c.name, c.accepted, coding, body)
		}
		if !strings.HasPrefix(f.MediaType, "text/") || IsCompressed(c.name) || !IsCompressed(c.name+".gz") || !IsCompressed(c.name+".br") {
			t.Errorf("%s is %s", c.name, f.MediaType)
		}
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"notes.txt": {}, "a.js": {}, "a.js.br/x": {}}
	for _, name := range []string{"notes.txt", "missing.js", "a.js"} {
		if _, err := Load(tree, name); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
}
