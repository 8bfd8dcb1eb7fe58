package api

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"

	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	files "svcpay/internal/upload"
)

var fileResource = resource{
	shapes: map[string]any{"File": files.File{}, "FileList": list{}},
	enums:  map[string][]string{"File.content_type": files.ContentTypes()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/files/:id": func(t *testing.T, s *site) string {
			return s.upload(t, &s.Other, "name=a.pdf", files.PDF, aPDF, "").file(t).ID.String()
		},
	},
}

func init() { // the contract's checks read these bodies as they are
	for _, media := range files.ContentTypes() {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.FileBodyDecoder)
	}
}

const aPDF = "%PDF-1.7\ntrailer\n%%EOF\n"

func (a answer) file(t testing.TB) files.File {
	t.Helper()
	var f files.File
	if err := json.Unmarshal(a.body, &f); err != nil || a.status >= 300 {
		t.Fatalf("no file but %d %s", a.status, a.body)
	}
	return f
}

func (s *site) upload(t testing.TB, as *demo.Application, query, media, content, key string) answer {
	t.Helper()
	c := call{method: http.MethodPost, path: "/api/files?" + query, as: as, media: media, body: content}
	if key != "" {
		c = c.header1("Idempotency-Key", key)
	}
	return s.send(t, c)
}

func TestFilesAreKeptAndTold(t *testing.T) {
	t.Parallel()
	s := open(t)
	picture := image.NewGray(image.Rect(0, 0, 2, 2))
	var asPNG, asJPEG bytes.Buffer
	if png.Encode(&asPNG, picture) != nil || jpeg.Encode(&asJPEG, picture, nil) != nil {
		t.Fatal("no pictures")
	}
	var made []string
	var pdf string
	for media, content := range map[string]string{files.PDF: aPDF, files.PNG: asPNG.String(),
		files.JPEG: asJPEG.String()} {
		s.Clock.Advance(time.Millisecond)
		a := s.upload(t, nil, "name=r%C3%A9sum%C3%A9%201", media, content, "").want(t, 201, "")
		f := a.file(t)
		if f.Name != "résumé 1" || f.ContentType != media || f.Size != len(content) || a.header.Get("ETag") != "" ||
			a.header.Get("Location") != "/api/files/"+f.ID.String() {
			t.Errorf("%v %s", a.header, a.body)
		}
		if read := s.get(t, a.header.Get("Location")).want(t, 200, ""); !bytes.Equal(read.body, a.body) {
			t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
		}
		made = append(made, f.ID.String())
		if media == files.PDF {
			pdf = f.ID.String()
		}
	}
	slices.Reverse(made)
	others := slices.DeleteFunc(slices.Clone(made), func(id string) bool { return id == pdf })
	for query, want := range map[string][]string{"application/pdf": {pdf}, "image/png,image/jpeg": others,
		"application/pdf,image/png,image/jpeg": made} {
		if got := s.listed(t, "/api/files?content_type="+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	s.get(t, "/api/files?content_type=text/plain").want(t, 400, "parameter_invalid")
	if got := s.listed(t, "/api/files?limit=2"); !slices.Equal(got, made[:2]) {
		t.Errorf("%v, want %v", got, made[:2])
	}
	if got := s.listed(t, "/api/files?order=asc&created_at[gte]="+
		s.Clock.Now().Format(time.RFC3339Nano)); !slices.Equal(got, made[:1]) {
		t.Errorf("%v, want %v", got, made[:1])
	}
}

// listed are the ids of a list.
func (s *site) listed(t testing.TB, path string) (out []string) {
	t.Helper()
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(s.get(t, path).want(t, 200, "").body, &page); err != nil {
		t.Fatal(err)
	}
	for _, d := range page.Data {
		out = append(out, d.ID)
	}
	return out
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.rows(t)
	for name, tt := range map[string]struct {
		query, media, content string
		status                int
		code                  string
	}{
		"no name":           {"", files.PDF, aPDF, 400, "parameter_missing"},
		"empty name":        {"name=", files.PDF, aPDF, 400, "parameter_missing"},
		"a folder":          {"name=..", files.PDF, aPDF, 400, "parameter_invalid"},
		"two names":         {"name=a&name=b", files.PDF, aPDF, 400, "parameter_invalid"},
		"NUL":               {"name=a%00", files.PDF, aPDF, 400, "parameter_invalid"},
		"too long":          {"name=" + strings.Repeat("x", 256), files.PDF, aPDF, 400, "parameter_invalid"},
		"something else":    {"name=a&title=" + marker, files.PDF, aPDF, 400, "parameter_unknown"},
		"several":           {"nome=" + marker, files.PDF, aPDF, 400, "validation_failed"},
		"nothing":           {"name=a", files.PDF, "", 415, "content_type_unsupported"},
		"a page":            {"name=a", "text/html", "<html>" + marker, 415, "content_type_unsupported"},
		"a page in hiding":  {"name=a", files.PNG, "<html>" + marker, 415, "content_type_unsupported"},
		"of another type":   {"name=a", files.PNG, aPDF, 415, "content_type_unsupported"},
		"declared as JSON":  {"name=a", mediaJSON, "{}", 415, "content_type_unsupported"},
		"protected":         {"name=a", files.PDF, strings.Replace(aPDF, "%%EOF", "trailer<</Encrypt 5 0 R>>\n%%EOF", 1), 415, "content_type_unsupported"},
		"larger than 5 MiB": {"name=a", files.PDF, aPDF[:9] + strings.Repeat("\n", files.MaxSize) + aPDF, 413, "request_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			s.upload(t, nil, tt.query, tt.media, tt.content, "").want(t, tt.status, tt.code)
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
	whole := aPDF[:9] + strings.Repeat("\n", files.MaxSize-len(aPDF)) + aPDF[9:]
	if f := s.upload(t, nil, "name=a", files.PDF, whole, "").file(t); f.Size != files.MaxSize {
		t.Errorf("%+v", f)
	}
}

func TestUploadsWithAKeyHappenOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := s.upload(t, nil, "name=a", files.PDF, aPDF, "k").want(t, 201, "")
	again := s.upload(t, nil, "name=a", files.PDF, aPDF, "k").want(t, 201, "")
	if !again.replayed() || first.replayed() || !bytes.Equal(again.body, first.body) ||
		again.header.Get("Location") != first.header.Get("Location") {
		t.Errorf("first %s\nthen %s", first.body, again.body)
	}
	for _, other := range []answer{s.upload(t, nil, "name=b", files.PDF, aPDF, "k"),
		s.upload(t, nil, "name=a", files.PDF, aPDF+"\n", "k")} {
		other.want(t, 422, "idempotency_key_reused")
	}
	if got := s.listed(t, "/api/files"); len(got) != 1 {
		t.Errorf("%d files", len(got))
	}
}

// A file's content is what was uploaded, of its own type, to be saved and never shown as a page; another application's
// is missing.
func TestContentOfFiles(t *testing.T) {
	t.Parallel()
	s := open(t)
	var picture, photo bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	for media, content := range map[string]string{files.PDF: aPDF, files.PNG: picture.String(),
		files.JPEG: photo.String()} {
		f := s.upload(t, nil, "name="+url.QueryEscape(`Beleg "Ä".html`), media, content, "").file(t)
		a := s.get(t, "/api/files/"+f.ID.String()+"/content").want(t, 200, "")
		disposition, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
		if string(a.body) != content || a.header.Get("Content-Type") != media || disposition != "attachment" ||
			params["filename"] != f.Name ||
			a.header.Get("X-Content-Type-Options") != "nosniff" || err != nil {
			t.Errorf("%q, %v, %v", a.body, a.header, err)
		}
	}
	theirs := s.upload(t, &s.Other, "name=a", files.PDF, aPDF, "").file(t)
	s.get(t, "/api/files/"+theirs.ID.String()+"/content").want(t, 404, "resource_missing")
}

func TestFilesAndExportsHaveAQuota(t *testing.T) {
	t.Parallel()
	s := open(t)
	csv := `{"resource":"charges","format":"csv"}`
	s.upload(t, nil, "name=a.pdf", files.PDF, aPDF, "").file(t)
	s.file(t, csv)
	if n, err := pg.Exec(t.Context(), s.Pool, `UPDATE stored_bytes SET bytes = most WHERE bytes > 0`,
		pg.Args{}); err != nil || n != 2 {
		t.Fatalf("%d counts, %v", n, err)
	}
	for name, a := range map[string]answer{"file": s.upload(t, nil, "name=a.pdf", files.PDF, aPDF, "k"),
		"export": s.export(t, csv)} {
		a.want(t, 429, "rate_limited")
		if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 24*60*60 {
			t.Errorf("%s: %v", name, a.header)
		}
	}
	s.upload(t, &s.Other, "name=a.pdf", files.PDF, aPDF, "").file(t)
	s.send(t, call{method: http.MethodPost, path: "/api/exports", as: &s.Other, body: csv}).want(t, 201, "")
	s.Clock.Advance(24 * time.Hour)
	s.upload(t, nil, "name=a.pdf", files.PDF, aPDF, "k").file(t)
	s.export(t, csv).want(t, 201, "")
}
