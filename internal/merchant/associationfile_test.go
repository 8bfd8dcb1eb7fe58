package merchant_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/fixture"
)

func TestAssociationFile(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if _, err := w.Merchants.Association(t.Context()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", " ", "\xff\xfe", "a\x00b", strings.Repeat("7", safehttp.MaxBody+1), "zzz not hex",
		"first", "7B", "7B2", "7B22", "{", "{}", "[1]", `"x"`, "1",
		`{"a":1} {"b":2}`, "7B7D", "\ufeff{}", "{\"a\":\"\xff\"}", "7B2261223A22FF227D",
		`{"a":1}` + strings.Repeat(" ", safehttp.MaxBody), "<html></html>"} {
		if _, err := w.Merchants.InstallAssociation(t.Context(), w.Admin(), []byte(bad), nil); !fault.HasCode(err,
			"file_invalid") {
			t.Errorf("%.30q was installed: %v", bad, err)
		}
	}
	for i, content := range []string{`{"a":1}`, " {\n\"a\": {\"b\": [1]}}\r\n", "7B2261223A317D", "7b2261223a317d\n",
		`{"a":"` + strings.Repeat("x", safehttp.MaxBody-8) + `"}`} {
		made, err := w.Merchants.InstallAssociation(t.Context(), w.Admin(), []byte(content), nil)
		if err != nil || made.Version != int64(i+1) {
			t.Fatalf("%d: %v", made.Version, err)
		}
		if got, err := w.Merchants.Association(t.Context()); err != nil || got.Content != content {
			t.Errorf("%q, %v", got.Content, err)
		}
	}
}

// A file is replaced only over the one that was looked at, and each that was replaced can be restored once: also one
// that a server of before installed, which knows nothing of versions.
func TestFormerAssociationFilesAreKept(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	install := func(content string, over int64) error {
		_, err := w.Merchants.InstallAssociation(t.Context(), w.Admin(), []byte(content), &over)
		return err
	}
	now := func() string {
		t.Helper()
		got, err := w.Merchants.Association(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got.Content
	}
	one, two, three := `{"n":1}`, `{"n":2}`, `{"n":3}`
	for _, step := range []struct {
		content string
		over    int64
		code    string
		now     string
	}{{two, 1, "object_changed", ""}, {one, 0, "", one}, {two, 0, "object_changed", one}, {one, 1, "", one},
		{two, 1, "", two}, {three, 1, "object_changed", two}, {two, 1, "object_changed", two}} {
		err := install(step.content, step.over)
		if f, _ := fault.As(err); step.code == "" && err != nil || step.code != "" &&
			(f == nil || f.Code != step.code) {
			t.Errorf("%s over %d: %v", step.content, step.over, err)
		}
		if step.now != "" && now() != step.now {
			t.Errorf("%s over %d: %s is installed", step.content, step.over, now())
		}
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO wallet_a_domain_file (content, installed_at) VALUES (@content, now())
		ON CONFLICT (single) DO UPDATE
			SET content = excluded.content,
				installed_at = excluded.installed_at`, pg.Args{"content": three}); err != nil {
		t.Fatal(err)
	}
	former, _, err := w.Merchants.FormerAssociations(t.Context(), w.Admin())
	if err != nil || len(former) != 2 || former[0].Content != two || former[1].Content != one ||
		former[0].Version != 2 {
		t.Errorf("%+v, %v", former, err)
	}
	for _, step := range []struct {
		version int64
		code    string
		now     string
	}{{2, "object_changed", three}, {9, "resource_missing", three}, {1, "resource_missing", three}, {3, "", two},
		{3, "object_changed", two}, {4, "", three}} {
		err := w.Merchants.UndoAssociation(t.Context(), w.Admin(), step.version)
		if f, _ := fault.As(err); step.code == "" && err != nil || step.code != "" &&
			(f == nil || f.Code != step.code) || now() != step.now {
			t.Errorf("undo of %d: %v, %s is installed", step.version, err, now())
		}
	}
	if _, _, err := w.Merchants.FormerAssociations(t.Context(), w.OrganizationAdmin()); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("%v", err)
	}
	if err := w.Merchants.UndoAssociation(t.Context(), w.OrganizationAdmin(), 3); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("%v", err)
	}
}

// Of several who install a file over the same one, one does.
func TestOneOfManyInstallsTheAssociationFile(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for over := range int64(2) { // the first file, and one that replaces it
		var all sync.WaitGroup
		var done atomic.Int32
		for i := range 6 {
			all.Go(func() {
				_, err := w.Merchants.InstallAssociation(t.Context(), w.Admin(),
					fmt.Appendf(nil, `{"n":%d}`, 10*int(over)+i), &over)
				if err == nil {
					done.Add(1)
				} else if !fault.HasCode(err, "object_changed") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if done.Load() != 1 {
			t.Errorf("%d installed over version %d", done.Load(), over)
		}
	}
}
