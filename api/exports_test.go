package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"

	"svcpay/internal/platform/pg"
	"svcpay/internal/report/export"
)

var exportResource = resource{
	shapes: map[string]any{
		"Export": export.Export{}, "ExportList": list{}, "CreateExport": export.Input{},
		"Export.progress": export.Progress{}, "Export.error": export.Error{},
	},
	enums: map[string][]string{"ExportStatus": export.Statuses(), "ExportResource": export.Resources(),
		"ExportFormat": export.Formats()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/exports/:id": func(t *testing.T, s *site) string {
			body := fmt.Sprintf(`{"resource":"charges","format":"csv","filters":{"merchant_id":[%d]}}`,
				s.Other.Merchants.US)
			e := s.send(t, call{method: http.MethodPost, path: "/api/exports", as: &s.Other, body: body}).export(t)
			s.write(t)
			return e.ID.String()
		},
	},
}

func init() { openapi3filter.RegisterBodyDecoder(mediaJSONL, openapi3filter.FileBodyDecoder) }

func (a answer) export(t testing.TB) export.Export {
	t.Helper()
	var e export.Export
	if err := json.Unmarshal(a.body, &e); err != nil || a.status >= 300 {
		t.Fatalf("no export but %d %s", a.status, a.body)
	}
	return e
}

func (s *site) export(t testing.TB, body string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodPost, path: "/api/exports", body: body})
}

// write does the job's work.
func (s *site) write(t testing.TB) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Exports.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// file exports and downloads.
func (s *site) file(t testing.TB, body string) string {
	t.Helper()
	e := s.export(t, body).want(t, 201, "").export(t)
	s.write(t)
	e = s.get(t, "/api/exports/"+e.ID.String()).export(t)
	a := s.get(t, "/api/exports/"+e.ID.String()+"/file").want(t, 200, "")
	sum := sha256.Sum256(a.body)
	if e.Status != "done" || e.SHA256 == nil || *e.SHA256 != hex.EncodeToString(sum[:]) ||
		e.Size != int64(len(a.body)) {
		t.Errorf("%+v of %d bytes", e, len(a.body))
	}
	want := fmt.Sprintf(`attachment; filename=%s-%s.%s`, e.Resource, e.ID, e.Format)
	if a.header.Get("Content-Disposition") != want || a.header.Get("Content-Length") != fmt.Sprint(len(a.body)) {
		t.Errorf("%v", a.header)
	}
	return string(a.body)
}

func TestExportsAreTheObjects(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	var want []string
	for i := range 3 {
		s.Clock.Advance(time.Second)
		id := s.post(t, s.body(token, "amount", fmt.Sprint(100+i), "description", `"=1+1, \"x\""`, "metadata",
			`{"a.b":"-2","order":"7"}`)).charge(t).ID.String()
		want = append(want, string(s.get(t, "/api/charges/"+id).body))
	}
	if got := s.file(t, `{"resource":"charges","format":"jsonl"}`); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("JSONL:\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	rows, err := csv.NewReader(strings.NewReader(s.file(t, `{"resource":"charges","format":"csv"}`))).ReadAll()
	if err != nil || len(rows) != 4 || len(rows[0]) < 50 {
		t.Fatalf("%v, %v", rows, err)
	}
	cell := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	if cell(1, "amount") != "100" || cell(3, "amount") != "102" || cell(1, "billing.email") != "dana@example.org" ||
		cell(1, "description") != `'=1+1, "x"` ||
		cell(1, "failure.code") != "" || cell(1, "payment_method.checks.cvc") != "pass" ||
		cell(1, "recurring") != "false" || cell(1, "metadata") != `{"a.b":"-2","order":"7"}` ||
		!strings.HasPrefix(cell(1, "fees"), `[{`) || cell(1, "processor.name") != "sandbox" {
		t.Errorf("%v", rows[1])
	}
	if got := s.file(t,
		`{"resource":"charges","format":"csv","columns":["amount","metadata.order","metadata.a.b","metadata.none"],
		"filters":{"status":["captured"],"created_at":{"gt":"2020-01-01T00:00:00Z","lte":"2090-01-01T00:00:00Z"}}}`); got !=
		"amount,metadata.order,metadata.a.b,metadata.none\n100,7,-2,\n101,7,-2,\n102,7,-2,\n" {
		t.Errorf("columns:\n%s", got)
	}
	for body, lines := range map[string]int{
		`{"resource":"charges","format":"jsonl","filters":{"status":["failed"]}}`:                                 0,
		`{"resource":"charges","format":"jsonl","filters":{"created_at":{"lt":"2020-01-01T00:00:00Z"}}}`:          0,
		fmt.Sprintf(`{"resource":"charges","format":"jsonl","filters":{"merchant_id":[%d]}}`, s.App.Merchants.CA): 0,
		fmt.Sprintf(`{"resource":"charges","format":"jsonl","filters":{"merchant_id":[%d]}}`, s.App.Merchants.US): 3,
		`{"resource":"refunds","format":"csv"}`:                                                                   1,
		`{"resource":"disputes","format":"csv"}`:                                                                  1,
		`{"resource":"payouts","format":"csv"}`:                                                                   1,
		`{"resource":"tokens","format":"jsonl"}`:                                                                  1,
		`{"resource":"merchants","format":"csv","columns":["id"]}`:                                                4,
		`{"resource":"balance_entries","format":"csv","columns":["id","amount"]}`:                                 16,
	} {
		if got := s.file(t, body); strings.Count(got, "\n") != lines {
			t.Errorf("%s:\n%s", body, got)
		}
	}
}

func TestExportsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	for body, code := range map[string]string{
		`{"resource":"` + marker + `","format":"csv"}`:                                                                              "parameter_invalid",
		`{"resource":"charges","format":"pdf"}`:                                                                                     "parameter_invalid",
		`{"resource":"charges","format":"csv","columns":["id","` + marker + `"]}`:                                                   "parameter_invalid",
		`{"resource":"charges","format":"csv","columns":[]}`:                                                                        "parameter_invalid",
		`{"resource":"charges","format":"csv","columns":["id","id"]}`:                                                               "parameter_invalid",
		`{"resource":"tokens","format":"csv","columns":["metadata.a"]}`:                                                             "parameter_invalid",
		`{"resource":"charges","format":"jsonl","columns":["id"]}`:                                                                  "parameters_exclusive",
		`{"resource":"charges","format":"csv","filters":{"status":["` + marker + `"]}}`:                                             "parameter_invalid",
		`{"resource":"balance_entries","format":"csv","filters":{"status":["done"]}}`:                                               "parameter_invalid",
		`{"resource":"charges","format":"csv","filters":{"merchant_id":[0]}}`:                                                       "parameter_invalid",
		`{"resource":"charges","format":"csv","filters":{"created_at":{"gte":"` + marker + `"}}}`:                                   "parameter_invalid",
		`{"resource":"charges","format":"csv","filters":{"created_at":{"gte":"2026-12-01T00:00:00Z","gt":"2026-12-01T00:00:00Z"}}}`: "parameters_exclusive",
		`{"resource":"charges","format":"csv","filters":{"email":"a"}}`:                                                             "parameter_unknown",
		`{"resource":"x","format":"y"}`:                                                                                             "validation_failed",
	} {
		s.export(t, body).want(t, 400, code)
	}
}

func TestFilesThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.export(t, `{"resource":"charges","format":"csv"}`).export(t)
	file := "/api/exports/" + e.ID.String() + "/file"
	s.get(t, file).want(t, 409, "export_not_done")
	for range 9 {
		s.export(t, `{"resource":"charges","format":"csv"}`).want(t, 201, "")
	}
	s.export(t, `{"resource":"charges","format":"csv"}`).want(t, 409, "exports_in_progress")
	s.write(t)
	s.get(t, file).want(t, 200, "")
	purge := func(want string) {
		t.Helper()
		for n := int64(1); n > 0; {
			var err error
			if n, err = s.Exports.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.get(t, "/api/exports/"+e.ID.String()).export(t); got.Status != want {
			t.Errorf("%+v", got)
		}
	}
	s.Clock.Advance(7*24*time.Hour - time.Second)
	purge("done")
	s.Clock.Advance(time.Second)
	purge("expired")
	s.get(t, file).want(t, 410, "export_expired")
	left, err := pg.Value[int](t.Context(), s.Pool, `SELECT count(*)::int FROM export_chunks`, pg.Args{})
	if err != nil || left != 0 {
		t.Errorf("%d chunks are left, %v", left, err)
	}
	var l struct{ Data []export.Export }
	if err := json.Unmarshal(s.get(t, "/api/exports?status=expired&resource=charges&limit=3").want(t, 200, "").body,
		&l); err != nil || len(l.Data) != 3 {
		t.Errorf("%v, %v", l, err)
	}
}

func TestExportHappensOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	post := call{method: http.MethodPost, path: "/api/exports",
		body: `{"resource":"charges","format":"csv"}`}.header1("Idempotency-Key", "once")
	a, b := s.send(t, post).want(t, 201, ""), s.send(t, post).want(t, 201, "")
	if !b.replayed() || !bytes.Equal(a.body, b.body) || a.header.Get("Location") != "/api/exports/"+
		a.export(t).ID.String() {
		t.Errorf("%s\n%s", a.body, b.body)
	}
}

// A key that is limited to some merchants exports these, and sees exports of none but these.
func TestExportsOfRestrictedKeys(t *testing.T) {
	t.Parallel()
	s := open(t)
	us, ca := s.limited(t, s.Other.Merchants.US), s.limited(t, s.Other.Merchants.CA)
	body := s.body(s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good), "merchant_id",
		fmt.Sprint(s.Other.Merchants.US))
	s.send(t, call{method: http.MethodPost, path: "/api/charges", as: &s.Other, body: body}).charge(t)
	export := call{method: http.MethodPost, path: "/api/exports", body: `{"resource":"charges","format":"jsonl"}`}
	var ids []string
	export.as = us
	ids = append(ids, s.send(t, export).export(t).ID.String())
	export.as = ca
	ids = append(ids, s.send(t, export).export(t).ID.String())
	export.as = &s.Other
	ids = append(ids, s.send(t, export).export(t).ID.String())
	s.write(t)
	for i, want := range []int{1, 0, 1} {
		c := call{method: http.MethodGet, path: "/api/exports/" + ids[i] + "/file", as: &s.Other}
		if a := s.send(t, c).want(t, 200, ""); bytes.Count(a.body, []byte("\n")) != want {
			t.Errorf("export %d:\n%s", i, a.body)
		}
		c.as = us
		if i == 0 {
			s.send(t, c).want(t, 200, "")
		} else {
			s.send(t, c).want(t, 404, "resource_missing")
		}
	}
}
