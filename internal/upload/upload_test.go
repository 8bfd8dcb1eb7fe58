package upload_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/upload"
)

func pdf() []byte { return []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n") }

func picture(t testing.TB, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngFile(t testing.TB) []byte {
	return picture(t, func(out *bytes.Buffer, m image.Image) error { return png.Encode(out, m) })
}

func jpegFile(t testing.TB) []byte {
	return picture(t, func(out *bytes.Buffer, m image.Image) error { return jpeg.Encode(out, m, nil) })
}

func TestWhatIsTakenAsAFile(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const wrong = "content_type_unsupported"
	broken := func(whole []byte, at int) []byte {
		out := bytes.Clone(whole)
		out[at] ^= 0xff
		return out
	}
	for name, tt := range map[string]struct {
		content []byte
		said    string
		want    string
	}{
		"pdf": {pdf(), upload.PDF, ""}, "png": {pngFile(t), upload.PNG, ""}, "jpeg": {jpegFile(t), upload.JPEG, ""},
		"nothing said":          {pdf(), "", ""},
		"said to be another":    {pdf(), upload.PNG, wrong},
		"said to be a page":     {pdf(), "text/html", wrong},
		"empty":                 {nil, "", wrong},
		"text":                  {[]byte("hello"), "", wrong},
		"a page":                {[]byte("<html><script>alert(1)</script>"), upload.PDF, wrong},
		"a picture not taken":   {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "", wrong},
		"pdf cut off":           {pdf()[:20], "", wrong},
		"pdf marked too early":  {slices.Concat(pdf(), bytes.Repeat([]byte("x"), 1024)), "", wrong},
		"pdf with a long tail":  {slices.Concat(pdf(), bytes.Repeat([]byte("\n"), 1000)), "", ""},
		"png without a picture": {pngFile(t)[:8], "", wrong},
		"png cut off":           {pngFile(t)[:len(pngFile(t))-1], "", wrong},
		"png with a bad header": {broken(pngFile(t), 30), "", wrong},
		"jpeg without a header": {[]byte("\xff\xd8\xff\xe0\x00\x10JFIF\xff\xd9"), "", wrong},
		"jpeg cut off":          {jpegFile(t)[:len(jpegFile(t))-2], "", wrong},
		"pdf behind a BOM":      {slices.Concat([]byte("\ufeff"), pdf()), upload.PDF, ""},
		"pdf behind line ends":  {slices.Concat([]byte("\r\n\n"), pdf()), upload.PDF, ""},
		"pdf behind both":       {slices.Concat([]byte("\ufeff\r\n \t\x00"), pdf()), "", ""},
		"pdf behind text":       {slices.Concat([]byte("HTTP/1.1 200 OK\r\n\r\n"), pdf()), upload.PDF, wrong},
		"png behind a BOM":      {slices.Concat([]byte("\ufeff"), pngFile(t)), upload.PNG, wrong},
		"only line ends":        {[]byte("\r\n\n"), upload.PDF, wrong},
		"largest":               {padded(pdf(), upload.MaxSize), "", ""},
		"too large":             {padded(pdf(), upload.MaxSize+1), "", "request_too_large"},
	} {
		_, err := w.Uploads.Create(t.Context(), w.Actor(),
			upload.CreateInput{Name: "a.pdf", ContentType: tt.said, Content: tt.content}, nil)
		if tt.want == "" && err != nil || tt.want != "" && !fault.HasCode(err, tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// padded is a PDF of some size.
func padded(pdf []byte, size int) []byte {
	return slices.Concat(pdf[:9], bytes.Repeat([]byte("\n"), size-len(pdf)), pdf[9:])
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"receipt.pdf": "", "Quittung über 12 €.pdf": "", "领收书.png": "", ".hidden": "", "a..b": "",
		strings.Repeat("é", 255): "",
		"../a.pdf":               "", "a/b": "", `a\b`: "", "C:a": "", "exe.\u202efdp": "",
		"": "parameter_missing", ".": "parameter_invalid", "..": "parameter_invalid",
		"a\nb": "parameter_invalid", "a\x00b": "parameter_invalid", "a\x7f": "parameter_invalid",
		"\xff": "parameter_invalid", strings.Repeat("é", 256): "parameter_invalid",
	} {
		got := upload.CreateInput{Name: name}.Validate()
		if want == "" && len(got) > 0 || want != "" &&
			(len(got) != 1 || got[0].Param != "name" || got[0].Code != want) {
			t.Errorf("%q: %v, want %s", name, got, want)
		}
	}
}

// A character that a file system reserves, or that changes how a name reads, is replaced wherever it is.
func TestReservedCharactersOfNamesAreReplaced(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	replaced := []rune(`/\:*?"<>|`)
	rangetable.Visit(unicode.Bidi_Control, func(r rune) { replaced = append(replaced, r) })
	if len(replaced) < 20 {
		t.Fatalf("%d characters", len(replaced))
	}
	for _, r := range replaced {
		for around, want := range map[string]string{"Scan 10%s30.pdf": "Scan 10_30.pdf", "%s": "_",
			"%[1]s%[1]sé": "__é"} {
			f := keep(t, w, upload.CreateInput{Name: fmt.Sprintf(around, string(r)), Content: pdf()}, nil).Object
			if read, err := w.Uploads.Get(t.Context(), w.Actor(), f.ID.String()); err != nil || f.Name != want ||
				read.Name != want {
				t.Errorf("%U: %q, %q, %v", r, f.Name, read.Name, err)
			}
		}
	}
}

func TestProtectedPDFsAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for trailer, protected := range map[string]bool{
		"trailer\n<< /Root 1 0 R /Encrypt 5 0 R >>": true, "trailer<</Encrypt<</Filter/Standard/V 2>>>>": true,
		"9 0 obj\n<</Type/XRef/Encrypt\r\n12\n0\tR/W[1 2 1]>>\nstream\n\x01\x02\nendstream": true,
		"trailer\n<< /Root 1 0 R >>": false, "(how to /Encrypt a file)": false, "<< /EncryptMetadata false >>": false,
	} {
		content := []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n" + trailer + "\nstartxref\n9\n%%EOF\n")
		_, err := w.Uploads.Create(t.Context(), w.Actor(),
			upload.CreateInput{Name: "a.pdf", ContentType: upload.PDF, Content: content}, nil)
		f, _ := fault.As(err)
		if protected && (f == nil || f.Code != "content_type_unsupported" ||
			!strings.Contains(f.Message, "password")) || !protected && err != nil {
			t.Errorf("%q: %v", trailer, err)
		}
	}
}

func FuzzTypeOf(f *testing.F) {
	for _, content := range [][]byte{pdf(), pngFile(f), jpegFile(f), nil} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if found, ok := upload.TypeOf(content); ok &&
			(len(content) < 8 || !slices.Contains(upload.ContentTypes(), found)) {
			t.Errorf("%q is a %s", content, found)
		}
	})
}

func keep(t testing.TB, w *fixture.World, in upload.CreateInput,
	claim *idempotency.Claim) idempotency.Result[upload.File] {
	t.Helper()
	out, err := w.Uploads.Create(context.Background(), w.Actor(), in, claim)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFileIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		middle := rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(rt, "content")
		content := slices.Concat([]byte("%PDF-1.4\n"), middle, []byte("\n%%EOF"))
		name := rapid.StringMatching(`[a-zé ]{1,40}\.pdf`).Draw(rt, "name")
		f := keep(t, w, upload.CreateInput{Name: name, ContentType: upload.PDF, Content: content}, nil).Object
		sum := sha256.Sum256(content)
		if f.Object != "file" || f.Livemode || f.Name != name || f.ContentType != upload.PDF ||
			f.Size != len(content) || f.SHA256 != hex.EncodeToString(sum[:]) {
			rt.Fatalf("%+v", f)
		}
		read, err := w.Uploads.Get(t.Context(), w.Actor(), f.ID.String())
		if err != nil || text(rt, read) != text(rt, f) {
			rt.Fatalf("made %+v, read %+v, %v", f, read, err)
		}
		whole, err := upload.Contents(t.Context(), w.Pool, w.App.AppID, []ids.File{f.ID})
		if err != nil || len(whole) != 1 || !bytes.Equal(whole[0].Content, content) || whole[0].Name != name ||
			whole[0].ContentType != upload.PDF {
			rt.Fatalf("%d files, %v", len(whole), err)
		}
	})
}

func text(t interface{ Fatal(...any) }, v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestContentIsInNoJSON(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := keep(t, w, upload.CreateInput{Name: "a.pdf", Content: slices.Concat([]byte("%PDF-1.4 unmistakable"), pdf())},
		nil).Object
	if s := text(t, f); strings.Contains(s, "unmistakable") || strings.Contains(s, "dW5taXN0YWth") ||
		strings.Contains(s, "application_id") {
		t.Errorf("%s", s)
	}
}

func TestFilesOfAnotherApplicationAreMissing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := keep(t, w, upload.CreateInput{Name: "a.pdf", Content: pdf()}, nil).Object
	theirs := w.ActorOf(w.Other)
	for _, id := range []string{f.ID.String(), ids.NewFile(w.Clock.Now()).String(), "file_",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", ""} {
		if _, err := w.Uploads.Get(t.Context(), theirs, id); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%q: %v", id, err)
		}
	}
	if p, err := w.Uploads.List(t.Context(), theirs,
		upload.ListInput{Page: page.Input[ids.File]{Limit: 9}}); err != nil || len(p.Items) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	for app, want := range map[int64]int{w.App.AppID: 1, w.Other.AppID: 0} {
		known, err := upload.Known(t.Context(), w.Pool, authz.Actor{Role: authz.RoleSecretKey, ApplicationID: app},
			[]ids.File{f.ID, ids.NewFile(w.Clock.Now())})
		whole, again := upload.Contents(t.Context(), w.Pool, app, []ids.File{f.ID})
		if err != nil || again != nil || len(known) != want || len(whole) != want {
			t.Errorf("application %d: %d known, %d read, %v %v", app, len(known), len(whole), err, again)
		}
	}
}

func TestFilesNeedTheirPermissions(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	nobody := authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}
	_, create := w.Uploads.Create(t.Context(), nobody, upload.CreateInput{}, nil)
	_, get := w.Uploads.Get(t.Context(), nobody, "")
	_, list := w.Uploads.List(t.Context(), nobody, upload.ListInput{})
	for want, err := range map[authz.Permission][]error{authz.FileCreate: {create}, authz.FileRead: {get, list}} {
		for _, e := range err {
			if f, ok := fault.As(e); !ok || f.Code != "permission_denied" ||
				f.Detail["required_permission"] != string(want) {
				t.Errorf("%s: %v", want, e)
			}
		}
	}
}

func TestPagesOfFiles(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all []ids.File
	for range 5 {
		w.Clock.Advance(time.Second)
		all = append(all, keep(t, w, upload.CreateInput{Name: "a.pdf", Content: pdf()}, nil).Object.ID)
	}
	list := func(in upload.ListInput) (out []ids.File, more bool) {
		p, err := w.Uploads.List(t.Context(), w.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Items {
			if f.Object != "file" {
				t.Errorf("%+v", f)
			}
			out = append(out, f.ID)
		}
		return out, p.HasMore
	}
	type by = page.Input[ids.File]
	since := w.Clock.Now()
	for name, tt := range map[string]struct {
		in   upload.ListInput
		want []ids.File
		more bool
	}{
		"newest":         {upload.ListInput{Page: by{Limit: 2}}, []ids.File{all[4], all[3]}, true},
		"after":          {upload.ListInput{Page: by{Limit: 9, After: all[3]}}, []ids.File{all[2], all[1], all[0]}, false},
		"before":         {upload.ListInput{Page: by{Limit: 2, Before: all[1]}}, []ids.File{all[3], all[2]}, true},
		"ascending":      {upload.ListInput{Page: by{Limit: 2, Ascending: true, After: all[0]}}, []ids.File{all[1], all[2]}, true},
		"up, back":       {upload.ListInput{Page: by{Limit: 9, Ascending: true, Before: all[2]}}, []ids.File{all[0], all[1]}, false},
		"from a time on": {upload.ListInput{Page: by{Limit: 9}, Created: page.Times{From: &since}}, []ids.File{all[4]}, false},
		"until a time":   {upload.ListInput{Page: by{Limit: 1}, Created: page.Times{Until: &since}}, []ids.File{all[3]}, true},
	} {
		if got, more := list(tt.in); !slices.Equal(got, tt.want) || more != tt.more {
			t.Errorf("%s: %v %v, want %v %v", name, got, more, tt.want, tt.more)
		}
	}
}

func claimOf(w *fixture.World, content []byte) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: "k", Method: "POST", Path: "/api/files",
		Fingerprint: sha256.Sum256(content), Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

func TestRepeatedKeyKeepsOneFile(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := upload.CreateInput{Name: "a.pdf", Content: pdf()}
	var wait sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 8 {
		wait.Go(func() {
			out, err := w.Uploads.Create(context.Background(), w.Actor(), in, claimOf(w, in.Content))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case out.Prior == nil:
				made++
			case !strings.Contains(string(out.Prior.Outcome.Result), `"object":"file"`):
				t.Errorf("replayed as %s", out.Prior.Outcome.Result)
			}
		})
	}
	wait.Wait()
	rows, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM files`, pg.Args{})
	if err != nil || rows != 1 || made != 1 {
		t.Errorf("%d made, %d rows, %v", made, rows, err)
	}
	if _, err := w.Uploads.Create(t.Context(), w.Actor(), in, claimOf(w, []byte("other"))); !fault.HasCode(err,
		"idempotency_key_reused") {
		t.Errorf("another request with the key: %v", err)
	}
	if _, err := w.Uploads.Create(t.Context(), w.Actor(), upload.CreateInput{}, claimOf(w, nil)); !fault.HasCode(err,
		"parameter_missing") {
		t.Errorf("a bad request with the key: %v", err)
	}
}

func TestDatabaseRefusesAFileThatIsNotItself(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	keep(t, w, upload.CreateInput{Name: "a.pdf", Content: pdf()}, nil)
	for name, statement := range map[string]string{
		"content": `UPDATE files
			SET content = 'x'`, "size": `UPDATE files
			SET size = size + 1`, "type": `UPDATE files
			SET content_type = 'text/html'`,
		"name": `UPDATE files
			SET name = '../a'`, "no name": `UPDATE files
			SET name = ''`, "digest": `UPDATE files
			SET sha256 = 'x'`,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, statement, pg.Args{}); !strings.Contains(pg.Violated(err), "files_") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
