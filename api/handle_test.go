package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/testing/fixture"
)

// thing is a record as every resource has them.
type thing struct {
	ID      ids.Charge `json:"id"`
	Version int        `json:"version"`
	Note    string     `json:"note"`
}

type thingInput struct {
	Note  *string  `json:"note"`
	Rate  *float64 `json:"rate"`
	Names []string `json:"names"`
	Owner *struct {
		Name *string `json:"name"`
	} `json:"owner"`
	IfVersion *int `json:"-"`
}

func (in thingInput) Validate() fault.Fields {
	var fs fault.Fields
	if in.Owner != nil && in.Owner.Name != nil && *in.Owner.Name == "" {
		fs.Add("owner.name", "parameter_invalid", "A name.")
	}
	return fs
}

var oneThing = thing{ID: ids.NewCharge(fixture.NewClock().Now()), Version: 3, Note: "as it is"}

const things = "/api/things"

// thingRoutes has one route of each form that handlers can be made for.
func thingRoutes() []route {
	var seen thing
	note := func(in thingInput) thing {
		seen = oneThing
		if in.Note != nil {
			seen.Note = *in.Note
		}
		return seen
	}
	type result = idempotency.Result[thing]
	change := func(_ context.Context, _ authz.Actor, id string, in thingInput,
		claim *idempotency.Claim) (result, error) {
		if id != oneThing.ID.String() {
			return result{}, fault.Missing()
		}
		if v := in.IfVersion; v != nil && *v != oneThing.Version {
			return result{}, fault.New(fault.KindChanged, "object_changed", "It has changed.")
		}
		var prior *idempotency.Prior
		if claim != nil {
			prior = &idempotency.Prior{State: idempotency.Done,
				Outcome: idempotency.Outcome{Result: []byte(`{"id":7,"version":12}`)}}
		}
		return result{Object: note(in), Unknown: in.Note != nil && *in.Note == "unknown", Prior: prior}, nil
	}
	create := func(_ context.Context, _ authz.Actor, in thingInput, _ *idempotency.Claim) (result, error) {
		return result{Object: note(in)}, nil
	}
	take := func(_ context.Context, _ *request, q *query, u upload, _ *idempotency.Claim) (reply, error) {
		name := q.text("name", 10)
		if err := q.err(); err != nil {
			return reply{}, err
		}
		return reply{status: http.StatusCreated,
			object: map[string]any{"media": u.media, "size": len(u.content), "name": name}}, nil
	}
	file := func(_ context.Context, req *request, id string, q *query) (reply, error) {
		if err := q.err(); err != nil {
			return reply{}, err
		}
		return reply{raw: []byte(id), media: req.media, file: "thing.csv"}, nil
	}
	ask := func(_ context.Context, _ authz.Actor, in *string) (map[string]any, error) {
		return map[string]any{"asked": in}, nil
	}
	do := func(context.Context, authz.Actor, string, *idempotency.Claim) (result, error) {
		return result{Object: oneThing}, nil
	}
	read := func(_ context.Context, _ authz.Actor, id string) (thing, error) {
		if id == "broken" {
			return thing{}, errors.New("a secret")
		}
		return oneThing, nil
	}
	return []route{
		{"POST", things, "/things", "", constant, creates(things, create)},
		{"PUT", things + "/:id", "", "", constant, versioned(handleID(change))},
		{"POST", things + "/:id/act", "", "", constant, act(change)},
		{"DELETE", things + "/:id", "", "", constant, act(bare(do))},
		{"GET", things + "/:id", "", "", constant, get(read)},
		{"GET", things, "", "", constant, getBy(func(q *query) *string { return q.text("what", 5) }, ask)},
		{"POST", "/api/thing_files", "", "", streams, uploads(4<<10, []string{"image/png", "application/pdf"}, take)},
		{"GET", things + "/:id/file", "", "", streams, documents([]string{"text/csv", "application/pdf"}, file)},
	}
}

// sender sends a request to the routes of things. A header is written name: value.
type sender func(method, path, body string, headers ...string) answer

func serveThings(t *testing.T) sender {
	t.Helper()
	w := fixture.New(t)
	return serveThingsOf(w, configOf(w))
}

func serveThingsOf(w *fixture.World, c Config) sender {
	e, a := echo.New(), newAPI(c)
	for _, r := range thingRoutes() {
		for _, path := range r.paths() {
			e.Add(r.method, path, a.surround(r))
		}
	}
	return func(method, path, body string, headers ...string) answer {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		for _, h := range append([]string{"X-API-Key: " + w.App.SecretKey, fmt.Sprint("X-App-ID: ", w.App.AppID)},
			headers...) {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		e.ServeHTTP(recorder, r)
		return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
	}
}

const asJSONBody = "Content-Type: application/json"

func TestBodiesThatMayBeLeftOut(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	path := things + "/" + oneThing.ID.String()
	for _, tt := range []struct {
		method, path, body, media string
		status                    int
		code                      string
	}{
		{"POST", path + "/act", "", "", 200, ""},
		{"POST", path + "/act", "", "text/plain", 200, ""},
		{"POST", path + "/act", "", mediaJSON, 200, ""},
		{"POST", path + "/act", "{}", mediaJSON, 200, ""},
		{"POST", path + "/act", `{"note":"unknown"}`, mediaJSON, 202, ""},
		{"POST", path + "/act", "{}", "text/plain", 415, "content_type_unsupported"},
		{"POST", path + "/act", " ", mediaJSON, 400, "json_invalid"},
		{"POST", path + "/act", `{"x":1}`, mediaJSON, 400, "parameter_unknown"},
		{"POST", things + "/ch_1/act", "", "", 404, "resource_missing"},
		{"DELETE", path, "", "", 200, ""},
		{"DELETE", path, `{"note":"x"}`, mediaJSON, 400, "parameter_unknown"},
		{"PUT", path, "", mediaJSON, 400, "json_invalid"},
		{"PUT", path, "", "", 415, "content_type_unsupported"},
		{"PUT", path, "{}", mediaJSON, 200, ""},
	} {
		send(tt.method, tt.path, tt.body, "Content-Type: "+tt.media).want(t, tt.status, tt.code)
	}
}

func TestRepliesNameTheirObject(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	path := things + "/" + oneThing.ID.String()
	a := send("POST", "/things", `{"note":"new"}`, asJSONBody).want(t, 201, "")
	if h := a.header; h.Get("Location") != path || h.Get("ETag") != `"3"` || h.Get("Content-Type") != mediaJSON {
		t.Errorf("made with %v", h)
	}
	a = send("GET", path, "").want(t, 200, "")
	if h := a.header; h.Get("Location") != "" || h.Get("ETag") != `"3"` ||
		!strings.Contains(string(a.body), "as it is") {
		t.Errorf("read as %v %s", h, a.body)
	}
	a = send("PUT", path, "{}", asJSONBody, "Idempotency-Key: k").want(t, 200, "")
	if h := a.header; h.Get("Location") != "" || h.Get("ETag") != `"12"` || !a.replayed() ||
		string(a.body) != `{"id":7,"version":12}` {
		t.Errorf("replayed as %v %s", h, a.body)
	}
	send("GET", things+"/broken", "").want(t, 500, "internal_error")
}

func TestChangesOfAVersion(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	path := things + "/" + oneThing.ID.String()
	for _, value := range []string{`"3"`, "*", "-"} {
		r := []string{asJSONBody}
		if value != "-" {
			r = append(r, "If-Match: "+value)
		}
		send("PUT", path, "{}", r...).want(t, 200, "")
	}
	send("PUT", path, "{}", asJSONBody, `If-Match: "2"`).want(t, 412, "object_changed")
	for _, value := range []string{
		"3", `W/"3"`, `"03"`, `"0"`, `"-3"`, `"3`, `3"`, `""`, `"`, `"3", "4"`, `"a"`, `"99999999999999999999"`, "**",
		`*, "3"`, "", " ", `"` + marker + `"`,
	} {
		e := send("PUT", path, "{}", asJSONBody, "If-Match: "+value).want(t, 400, "parameter_invalid").error()
		if e.Param != "If-Match" || len(e.Errors) != 1 ||
			e.Message != `Send one ETag as it was given, such as "3", or *.` {
			t.Errorf("%s is told as %+v", value, e)
		}
	}
	for _, value := range []string{"*", `"3"`, marker} {
		e := send("GET", path, "", "If-Match: "+value).want(t, 400, "parameter_invalid").error()
		if e.Param != "If-Match" || e.Message != "This operation takes no If-Match." {
			t.Errorf("%s is told as %+v", value, e)
		}
	}
	send("PUT", path, `{"-":1}`, asJSONBody).want(t, 400, "parameter_unknown")
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	if a := send("GET", things+"?what=who", "").want(t, 200, ""); string(a.body) != `{"asked":"who"}` ||
		a.header.Get("ETag") != "" {
		t.Errorf("answered %s", a.body)
	}
	send("GET", things+"?what=too+long", "").want(t, 400, "parameter_invalid")
	for query, want := range map[string]string{
		"color=1": "Unknown parameter.", "wht=1": "Unknown parameter. Did you mean what?",
		"what[]=1":     "Unknown parameter. Did you mean what?",
		marker + "!=1": "The query has a parameter with a name that does not exist here.",
	} {
		if e := send("GET", things+"?"+query, "").want(t, 400, "parameter_unknown").error(); e.Message != want {
			t.Errorf("%s is told as %s", query, e.Message)
		}
	}
	send("GET", things+"?%zz", "").want(t, 400, "parameter_invalid")
}

func TestUploads(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	const path = "/api/thing_files"
	for _, tt := range []struct {
		query, body, media string
		status             int
		code               string
	}{
		{"?name=a.png", "x", "image/png", 201, ""},
		{"", strings.Repeat("x", 4<<10), "application/pdf; charset=UTF-8", 201, ""},
		{"", strings.Repeat("x", 4<<10+1), "application/pdf", 413, "request_too_large"},
		{"", "x", "image/gif", 415, "content_type_unsupported"},
		{"", "{}", mediaJSON, 415, "content_type_unsupported"},
		{"", "", "", 415, "content_type_unsupported"},
		{"?nam=a", "x", "image/png", 400, "parameter_unknown"},
		{"?name=a&name=b", "x", "image/png", 400, "parameter_invalid"},
		{"?%zz", "x", "image/png", 400, "parameter_invalid"},
	} {
		send("POST", path+tt.query, tt.body, "Content-Type: "+tt.media).want(t, tt.status, tt.code)
	}
	if a := send("POST", path+"?name=a.png", "four",
		"Content-Type: image/png"); string(a.body) != `{"media":"image/png","name":"a.png","size":4}` {
		t.Errorf("taken as %s", a.body)
	}
	send("POST", path, "x", "Content-Type: image/png", "Content-Encoding: gzip").want(t, 415,
		"content_type_unsupported")
	send("POST", path, "x", "Content-Type: image/png", "Idempotency-Key: a b").want(t, 400, "idempotency_key_invalid")
}

func TestUploadsHaveFingerprints(t *testing.T) {
	t.Parallel()
	claim := func(media, parameters, body string) idempotency.Claim {
		var got *idempotency.Claim
		h := uploads(1<<10, []string{"image/png", "image/jpeg"},
			func(_ context.Context, _ *request, _ *query, _ upload, c *idempotency.Claim) (reply, error) {
				got = c
				return reply{}, nil
			})
		r := httptest.NewRequest(http.MethodPost, "/api/files?"+parameters, strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		r.Header.Set("Idempotency-Key", "k")
		if _, err := h.run(echo.New().NewContext(r, httptest.NewRecorder()), new(request)); err != nil {
			t.Fatal(err)
		}
		return *got
	}
	first := claim("image/png", "", "one")
	if again := claim("image/png", "", "one"); again.Fingerprint != first.Fingerprint ||
		again.Params["file"] != first.Params["file"] {
		t.Error("the same file is another request")
	}
	for _, other := range []idempotency.Claim{claim("image/png", "", "two"), claim("image/jpeg", "", "one"),
		claim("image/png", "name=x", "one")} {
		if other.Fingerprint == first.Fingerprint {
			t.Error("another file is the same request")
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	path := things + "/x/file"
	for accept, want := range map[string]string{
		"": "text/csv", "*/*": "text/csv", "application/pdf": "application/pdf", "text/*": "text/csv",
		"text/csv;q=0.5, application/*": "application/pdf", "text/csv, application/pdf": "text/csv",
		"text/csv;q=0, */*;q=0.1": "application/pdf",
	} {
		a := send("GET", path, "", "Accept: "+accept)
		if a.status != 200 || a.header.Get("Content-Type") != want || string(a.body) != "x" ||
			a.header.Get("Content-Disposition") != "attachment; filename=thing.csv" {
			t.Errorf("%q is answered %d %v %s", accept, a.status, a.header, a.body)
		}
	}
	for _, accept := range []string{mediaJSON, "image/*", "*/*;q=0", "text/csv;q=0"} {
		send("GET", path, "", "Accept: "+accept).want(t, 406, "not_acceptable")
	}
	send("GET", path+"?x=1", "", "Accept: text/csv").want(t, 400, "parameter_unknown")
}

func TestObjectsWithinABody(t *testing.T) {
	t.Parallel()
	send := serveThings(t)
	for body, want := range map[string]struct{ code, param, message string }{
		`{"owner":{"name":"Dana"},"names":["a"],"rate":1.5}`: {},
		`{"owner":null,"names":null,"rate":null}`:            {},
		`{"owner":{"nam":"Dana"}}`:                           {"parameter_unknown", "owner.nam", "Unknown parameter. Did you mean name?"},
		`{"owner":{"` + marker + `!":1}}`:                    {"parameter_unknown", "", "The body has a parameter with a name that does not exist here."},
		`{"owner":{"name":5}}`:                               {"parameter_invalid", "owner.name", "This must be a text."},
		`{"owner":{"name":""}}`:                              {"parameter_invalid", "owner.name", "A name."},
		`{"owner":"` + marker + `"}`:                         {"parameter_invalid", "owner", "This must be an object."},
		`{"names":"` + marker + `"}`:                         {"parameter_invalid", "names", "This must be a list."},
		`{"names":["a",null]}`:                               {"parameter_invalid", "names", "This must be a list."},
		`{"names":[5]}`:                                      {"parameter_invalid", "names", "This must be a list."},
		`{"rate":"` + marker + `"}`:                          {"parameter_invalid", "rate", "This must be a number."},
	} {
		status := 400
		if want.code == "" {
			status = 201
		}
		e := send("POST", things, body, asJSONBody).want(t, status, want.code).error()
		if e.Param != want.param || e.Message != want.message {
			t.Errorf("%s is told as %+v", body, e)
		}
	}
	e := send("POST", things, `{"zz":1,"owner":{"name":1,"x":2},"note":3}`, asJSONBody).want(t, 400,
		"validation_failed").error()
	var params []string
	for _, f := range e.Errors {
		params = append(params, f.Param)
	}
	if got := strings.Join(params, " "); got != "note owner.name owner.x zz" {
		t.Errorf("told in the order %s", got)
	}
}
