package static

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func TestChooseTakesTheBestThatIsAllowed(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"a.js": {Data: []byte("plain")}, "a.js.br": {Data: []byte("brotli")},
		"a.js.gz": {Data: []byte("gzipped")},
		"b.css":   {Data: []byte("plain")}, "b.css.gz": {Data: []byte("gzipped")}}
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
		if !strings.HasPrefix(f.MediaType, "text/") || Unpacked(c.name) != c.name || Unpacked(c.name+".gz") != c.name ||
			Unpacked(c.name+".br") != c.name {
			t.Errorf("%s is %s", c.name, f.MediaType)
		}
	}
}

// What the program holds in compressed forms alone is the same to those who take neither.
func TestWhatIsOnlyPackedIsUnpacked(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"a.js": {Data: []byte("words")}, "b.js.gz": {Data: gzipped(t, "words")},
		"b.js.br": {Data: []byte("brotli")}}
	for name, gzip := range map[string]string{"a.js": "words", "b.js": string(gzipped(t, "words"))} {
		f, err := Load(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if coding, body := f.Choose(nil); coding != "" || string(body) != "words" || string(f.Plain()) != "words" {
				t.Errorf("%s: %q, %s, %s", name, coding, body, f.Plain())
			}
		}
		if _, body := f.Choose([]string{"gzip"}); string(body) != gzip {
			t.Errorf("%s in gzip: %q", name, body)
		}
	}
}

// Nothing of what was built is damaged, and no file of it is in the program in a form that no one needs.
func TestWhatWasBuiltUnpacks(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || mediaTypes[path.Ext(Unpacked(name))] == "" {
			return err
		}
		f, err := Load(FS(), Unpacked(name))
		if err == nil && len(f.Plain()) == 0 {
			err = fmt.Errorf("%s is empty", name)
		}
		if _, alone := fs.Stat(FS(), name+".gz"); err == nil && alone == nil {
			err = fmt.Errorf("%s is there beside its compressed form", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func gzipped(t *testing.T, words string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(words)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDamageIsNeverServed(t *testing.T) {
	t.Parallel()
	whole := gzipped(t, "words")
	for name, packed := range map[string][]byte{"nonsense": []byte("gzipped"), "cut": whole[:len(whole)-3]} {
		f, err := Load(fstest.MapFS{"a.js.gz": {Data: packed}}, "a.js")
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was unpacked", name)
				}
			}()
			f.Choose(nil)
		}()
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
