package static

import (
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestBundleServesWhatItsManifestLists(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"part/manifest.json": {Data: []byte(`{"a.js":"11/a.js"}`)},
		"part/11/a.js":    {Data: []byte("plain")},
		"part/11/a.js.gz": {Data: []byte("small")}, "part/22/b.js": {Data: []byte("not listed")}}
	b, err := LoadBundle(tree, "part")
	if err != nil || !b.Built() || b.Path("a.js") != "11/a.js" || b.Path("b.js") != "" {
		t.Fatalf("%+v, %v", b, err)
	}
	for _, c := range []struct{ path, accept, coding, body string }{
		{"11/a.js", "", "", "plain"}, {"11/a.js", "gzip", "gzip", "small"}, {"22/b.js", "", "", ""},
		{"11/a.js.gz", "", "", ""}, {"", "", "", ""},
	} {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", c.accept)
		served := b.Serve(w, r, c.path)
		if served != (c.body != "") || w.Body.String() != c.body || w.Header().Get("Content-Encoding") != c.coding {
			t.Errorf("%s for %q: %v, %s %v", c.path, c.accept, served, w.Body, w.Header())
		}
		if served && (w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" ||
			w.Header().Get("Vary") == "" || w.Header().Get("Cache-Control") == "") {
			t.Errorf("%s: %v", c.path, w.Header())
		}
	}
}

func TestBundleThatIsNotBuiltIsEmpty(t *testing.T) {
	t.Parallel()
	b, err := LoadBundle(fstest.MapFS{}, "part")
	if err != nil || b.Built() || b.Path("a.js") != "" ||
		b.Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), "a.js") {
		t.Errorf("%+v, %v", b, err)
	}
	for name, tree := range map[string]fstest.MapFS{
		"manifest":  {"part/manifest.json": {Data: []byte("{")}},
		"file":      {"part/manifest.json": {Data: []byte(`{"a.js":"11/a.js"}`)}},
		"directory": {"part/manifest.json/x": {}},
	} {
		if _, err := LoadBundle(tree, "part"); err == nil {
			t.Errorf("%s: a damaged build is taken", name)
		}
	}
}
