package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/static"
)

var errDown = errors.New("the database is down")

// keys knows a key of each kind, as RegisterFiles asks for them.
func keys(_ context.Context, publicKey, merchant string) (apikey.Pages, bool, error) {
	switch publicKey {
	case "pk_open":
		return apikey.Pages{}, true, nil
	case "pk_bound":
		return apikey.Pages{AllowedOrigins: []string{"https://shop.example", "http://shop.localhost:8081"}}, true, nil
	case "pk_below":
		return apikey.Pages{AllowedOrigins: []string{"https://*.example.org"}}, true, nil
	case "pk_widget":
		return apikey.Pages{AllowedOrigins: []string{"https://shop.example"}, AnyAncestor: true}, true, nil
	case "pk_nowhere":
		return apikey.Pages{AnyAncestor: true}, true, nil
	case "pk_domains":
		domains := map[string][]string{"1001": {"give.example.org", "nonprofit.localhost"}, "1002": {"evil.example *"}}
		return apikey.Pages{MerchantDomains: true, Domains: domains[merchant]}, true, nil
	case "pk_forged":
		return apikey.Pages{AllowedOrigins: []string{"https://evil.example; script-src *"},
			AnyAncestor: true}, true, nil
	case "pk_down":
		return apikey.Pages{}, false, errDown
	}
	return apikey.Pages{}, false, nil
}

func library() fstest.MapFS {
	return fstest.MapFS{
		"svcpay/3.2/svcpay.js":               {Data: []byte("plain")},
		"svcpay/3.2/svcpay.js.br":            {Data: []byte("brotli")},
		"svcpay/3.2/svcpay.js.gz":            {Data: []byte("gzipped")},
		"released/3.2.0/svcpay.js":           {Data: []byte("first")},
		"released/3.2.1/svcpay.js":           {Data: []byte("plain")},
		"released/3.2/assets/field-abc.css":  {Data: []byte("not read: the build has it")},
		"released/3.2/assets/field-old.css":  {Data: []byte("b{}")},
		"svcpay/3.2/assets/field-abc.css":    {Data: []byte("a{}")},
		"svcpay/3.2/integrity.json":          {Data: []byte("{}")},
		"svcpay/3.2/frame/field.html":        {Data: []byte("<p>")},
		"svcpay/3.2/frame/field.html.br":     {Data: []byte("packed")},
		"svcpay/3.2/frame/controller.html":   {Data: []byte("<p><script>run()</script>")},
		"portal/never-served-from-here.html": {Data: []byte("<p>")},
	}
}

// get asks a server of the given files; headers are name and value in turn.
func get(t *testing.T, files fstest.MapFS, production bool, target string, headers ...string) *http.Response {
	t.Helper()
	e := echo.New()
	if err := RegisterFiles(e, files, keys, nil, production); err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	e.ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestLibraryFilesHeaders(t *testing.T) {
	t.Parallel()
	const short, forever = "public, max-age=300", "public, max-age=31536000, immutable"
	for target, want := range map[string][2]string{
		"/3.2/svcpay.js":            {short, "text/javascript; charset=utf-8"},
		"/3.2.0/svcpay.js":          {forever, "text/javascript; charset=utf-8"},
		"/3.2.1/svcpay.js":          {forever, "text/javascript; charset=utf-8"},
		"/3.2/assets/field-abc.css": {forever, "text/css; charset=utf-8"},
		"/3.2/assets/field-old.css": {forever, "text/css; charset=utf-8"},
		"/3.2/integrity.json":       {short, "application/json"},
	} {
		h := get(t, library(), false, target).Header
		got := map[string]string{}
		for _, name := range []string{
			"Cache-Control", "Content-Type", "Access-Control-Allow-Origin",
			"Cross-Origin-Resource-Policy", "X-Content-Type-Options", "Vary",
		} {
			got[name] = h.Get(name)
		}
		if diff := cmp.Diff(map[string]string{
			"Cache-Control": want[0], "Content-Type": want[1], "Access-Control-Allow-Origin": "*",
			"Cross-Origin-Resource-Policy": "cross-origin", "X-Content-Type-Options": "nosniff",
			"Vary": "Accept-Encoding",
		}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

// A patch stays as it was published, and a page that was opened before a release finds its assets.
func TestPublishedFilesAreServed(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/3.2/svcpay.js": "plain", "/3.2.0/svcpay.js": "first", "/3.2.1/svcpay.js": "plain",
		"/3.2/assets/field-abc.css": "a{}", "/3.2/assets/field-old.css": "b{}",
	} {
		got, err := io.ReadAll(get(t, library(), false, target).Body)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", target, got, err)
		}
	}
}

func TestLibraryFileEncodings(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{
		"":                      "",
		"identity":              "",
		"gzip, deflate, br":     "br",
		"gzip":                  "gzip",
		"GZIP;q=0.5":            "gzip",
		"br;q=0, gzip":          "gzip",
		"br; q=0.0, gzip;q=0":   "",
		"br;q=nonsense":         "",
		"brotli, x-gzip, zstd ": "",
	} {
		response := get(t, library(), false, "/3.2/svcpay.js", "Accept-Encoding", accepted)
		if got := response.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: got %q, want %q", accepted, got, want)
		}
	}
	if got := get(t, library(), false, "/3.2/assets/field-abc.css", "Accept-Encoding",
		"br").Header.Get("Content-Encoding"); got != "" {
		t.Errorf("a file without compressed forms was sent as %q", got)
	}
}

func TestLibraryFileIsNotSentTwice(t *testing.T) {
	t.Parallel()
	tag := get(t, library(), false, "/3.2/svcpay.js").Header.Get("ETag")
	packed := get(t, library(), false, "/3.2/svcpay.js", "Accept-Encoding", "br").Header.Get("ETag")
	if tag == "" || tag == packed {
		t.Fatalf("each encoding needs a tag of its own: %s, %s", tag, packed)
	}
	for condition, want := range map[string]int{
		tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, packed: 200, `"other"`: 200,
	} {
		if got := get(t, library(), false, "/3.2/svcpay.js", "If-None-Match", condition).StatusCode; got != want {
			t.Errorf("If-None-Match %s: got %d, want %d", condition, got, want)
		}
	}
}

// Whether the program holds a file as it is or packed alone is nothing that a browser sees.
func TestFilesThatAreOnlyPacked(t *testing.T) {
	t.Parallel()
	var gzipped bytes.Buffer
	w := gzip.NewWriter(&gzipped)
	if _, err := w.Write([]byte("plain")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, packed := library(), library()
	whole["svcpay/3.2/svcpay.js.gz"] = &fstest.MapFile{Data: gzipped.Bytes()}
	packed["svcpay/3.2/svcpay.js.gz"] = whole["svcpay/3.2/svcpay.js.gz"]
	delete(packed, "svcpay/3.2/svcpay.js")
	for _, accepted := range []string{"", "gzip", "br", "gzip;q=0, br;q=0"} {
		want, got := get(t, whole, false, "/3.2/svcpay.js", "Accept-Encoding", accepted), get(t, packed, false,
			"/3.2/svcpay.js", "Accept-Encoding", accepted)
		text, err := io.ReadAll(want.Body)
		same, bad := io.ReadAll(got.Body)
		if err != nil || bad != nil || got.StatusCode != http.StatusOK || !bytes.Equal(text, same) {
			t.Errorf("%q: got %d %q, want %q; %v, %v", accepted, got.StatusCode, same, text, err, bad)
		}
		if diff := cmp.Diff(want.Header, got.Header); diff != "" || got.Header.Get("ETag") == "" {
			t.Errorf("%q (-want +got):\n%s", accepted, diff)
		}
	}
}

func TestUnknownFilesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"/", "/3.1/svcpay.js", "/3.2/", "/3.2/svcpay.js.br", "/3.2/frame/field.html", "/3.2/frame/modal",
		"/3.2/frame/../svcpay.js", "/3.2/assets/other.js", "/portal/never-served-from-here.html",
	} {
		if got := get(t, library(), false, target).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", target, got)
		}
	}
}

func TestUnbuiltLibraryIsUnavailable(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]int{
		"/3.2/svcpay.js": 503, "/3.2/frame/field?k=pk_open": 503, "/3.2/other": 404,
	} {
		if got := get(t, fstest.MapFS{".keep": {}}, false, target).StatusCode; got != want {
			t.Errorf("%s: got %d, want %d", target, got, want)
		}
	}
}

func TestFileWithoutMediaTypeIsRefused(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"svcpay/3.2/notes.txt": {}}
	if err := RegisterFiles(echo.New(), files, keys, nil, false); err == nil {
		t.Error("a file of unknown type was registered")
	}
}

func TestEmbeddedFilesCanBeRegistered(t *testing.T) {
	t.Parallel()
	if err := RegisterFiles(echo.New(), static.FS(), keys, nil, true); err != nil {
		t.Error(err)
	}
}
