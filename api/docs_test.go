package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// builtDocs is what the front end's build leaves of these pages.
var builtDocs = fstest.MapFS{
	"docs/manifest.json":      {Data: []byte(`{"reference.js":"aa/reference.js","reference.css":"bb/reference.css","icon.svg":"cc/icon.svg","library.js":"ee/library.js","library.css":"ff/library.css","inter.woff2":"dd/inter.woff2"}`)},
	"docs/aa/reference.js":    {Data: []byte("plain script")},
	"docs/aa/reference.js.br": {Data: []byte("small script")},
	"docs/bb/reference.css":   {Data: []byte("style")},
	"docs/cc/icon.svg":        {Data: []byte("icon")},
	"docs/ee/library.js":      {Data: []byte("gallery")},
	"docs/ff/library.css":     {Data: []byte("gallery's look")},
	"docs/dd/inter.woff2":     {Data: []byte("font")},
}

func docsOf(t *testing.T, a *API) *docs {
	t.Helper()
	d, err := newDocs(a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryPageIsLinkedAndComplete(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*API{"built": {Config: Config{Static: builtDocs}},
		"not built": {Config: Config{Static: fstest.MapFS{}}}, "nothing": {}} {
		d := docsOf(t, a)
		if len(d.pages) != len(guides)+4 {
			t.Errorf("%s: %d pages", name, len(d.pages))
		}
		for path, page := range d.pages {
			html := string(page.html)
			for _, want := range []string{"<!doctype html>", `<html lang="en">`, `id="content"`, `href="/docs"`,
				`href="/docs/guides"`, `href="/docs/events"`, `href="/docs/errors"`, "/api/openapi.yaml",
				"/api/openapi.json", "</html>"} {
				if !strings.Contains(html, want) {
					t.Errorf("%s: %s lacks %s", name, path, want)
				}
			}
			for _, never := range []string{"ZgotmplZ", "raw HTML omitted", "<no value>", `style="`} {
				if strings.Contains(html, never) {
					t.Errorf("%s: %s has %s", name, path, never)
				}
			}
			if n := strings.Count(html, ` aria-current="page"`); n < 1 {
				t.Errorf("%s: %s is not marked in the navigation", name, path)
			}
		}
	}
}

// TestGalleryIsForSandboxes: the page that shows the library runs that library's scripts and ours, and nothing in the
// page.
func TestGalleryIsForSandboxes(t *testing.T) {
	t.Parallel()
	gallery := Gallery{PayURL: "https://pay.example", PublicKey: "pk_sandbox_<x>", Merchants: map[string]int64{"us": 7}}
	d := docsOf(t, &API{Config: Config{Static: builtDocs, Gallery: gallery}})
	page := d.pages[libraryPath]
	html := string(page.html)
	for _, want := range []string{`<script defer src="https://pay.example/3.2/svcpay.js"></script>`,
		`<script defer src="/docs/assets/ee/library.js"></script>`,
		`data-key="pk_sandbox_&lt;x&gt;"`, `data-merchants="{&#34;us&#34;:7}"`,
		`href="/docs/library" aria-current="page"`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Count(html, "<script") != 2 ||
		!strings.HasSuffix(page.policy, "; script-src 'self' https://pay.example; frame-src https://pay.example") {
		t.Errorf("%s", page.policy)
	}
	if other := string(d.pages["/docs/errors"].html); !strings.Contains(other, `href="/docs/library"`) {
		t.Error("other pages do not lead to it")
	}
	without := docsOf(t, &API{Config: Config{Static: builtDocs}})
	if _, ok := without.pages[libraryPath]; ok ||
		strings.Contains(string(without.pages["/docs/errors"].html), libraryPath+`"`) {
		t.Error("it is there where there is no sandbox")
	}
}

// TestPoliciesOfPages: only the reference may have a script, which is ours; no page may have one within it,
// or anything from elsewhere.
func TestPoliciesOfPages(t *testing.T) {
	t.Parallel()
	d := docsOf(t, &API{Config: Config{Static: builtDocs}})
	for path, page := range d.pages {
		scripts := strings.Count(string(page.html), "<script")
		if path == "/docs" {
			if scripts != 1 ||
				!strings.Contains(string(page.html), `<script defer src="/docs/assets/aa/reference.js"></script>`) ||
				!strings.Contains(page.policy, "; script-src 'self'; connect-src 'self'; worker-src blob:") {
				t.Errorf("%s: %s", path, page.policy)
			}
		} else if scripts != 0 || strings.Contains(page.policy, "script-src") ||
			strings.Contains(page.policy, "connect-src") {
			t.Errorf("%s: %d scripts under %s", path, scripts, page.policy)
		}
		style := string(page.html)[strings.Index(string(page.html), "<style>")+
			len("<style>") : strings.Index(string(page.html), "</style>")]
		if !strings.HasPrefix(page.policy, "default-src 'none'; style-src "+hashSource(style)) {
			t.Errorf("%s: the style is not that of %s", path, page.policy)
		}
		for _, never := range []string{"unsafe", "http", "*", "//"} {
			if strings.Contains(page.policy, never) {
				t.Errorf("%s: %s in %s", path, never, page.policy)
			}
		}
	}
}

func TestDocsAreServed(t *testing.T) {
	t.Parallel()
	w := open(t).World
	c := configOf(w)
	c.Static = builtDocs
	s := serve(t, w, c, time.Minute)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/docs": {200, "text/html"}, "/docs/guides": {200, "text/html"}, "/docs/guides/refunds": {200, "text/html"},
		"/docs/events": {200, "text/html"}, "/docs/errors": {200, "text/html"},
		"/docs/assets/aa/reference.js": {200, "text/javascript"}, "/docs/assets/dd/inter.woff2": {200, "font/woff2"},
		"/docs/assets/manifest.json": {404, ""}, "/docs/assets/": {404, ""}, "/docs/guides/none": {404, ""},
		"/docs/guides/refunds.md": {404, ""},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequest(method, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "br")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			h := response.Header
			if err != nil || response.StatusCode != want.status ||
				!strings.HasPrefix(h.Get("Content-Type"), want.text) {
				t.Errorf("%s %s: %d %v %v", method, path, response.StatusCode, h, err)
			}
			if want.status == 200 &&
				(h.Get("X-Content-Type-Options") != "nosniff" || (method == http.MethodGet) != (len(body) > 0)) {
				t.Errorf("%s %s: %d bytes, %v", method, path, len(body), h)
			}
			if strings.HasSuffix(path, ".js") &&
				(h.Get("Content-Encoding") != "br" || !strings.Contains(h.Get("Cache-Control"), "immutable")) {
				t.Errorf("%s %s: %v", method, path, h)
			}
		}
	}
}

func TestDamagedBuildIsAnError(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]fstest.MapFS{
		"manifest": {"docs/manifest.json": {Data: []byte("{")}},
		"file":     {"docs/manifest.json": {Data: []byte(`{"a.js":"x/a.js"}`)}},
	} {
		if _, err := newDocs(&API{Config: Config{Static: tree}}); err == nil {
			t.Errorf("%s: the pages are made", name)
		}
	}
}

// guideTexts are the guides by name.
func guideTexts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("guides/*")
	if err != nil || len(files) != len(guides) {
		t.Fatalf("%v, %v", files, err)
	}
	out := map[string]string{}
	for _, g := range guides {
		text, err := os.ReadFile("guides/" + g.Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		out[g.Name] = string(text)
	}
	return out
}

var fenceLine = regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$")

// TestGuidesHaveOneForm: a title as listed, the same lines to begin with, and blocks of known kinds.
func TestGuidesHaveOneForm(t *testing.T) {
	t.Parallel()
	setUp := ""
	for _, g := range guides {
		text := guideTexts(t)[g.Name]
		if !strings.HasPrefix(text, "# "+g.Title+"\n\n") {
			t.Errorf("%s does not begin with its title", g.Name)
		}
		blocks := fenceLine.FindAllStringSubmatch(text, -1)
		if setUp == "" {
			setUp = blocks[0][2]
		}
		if blocks[0][1] != "html" && blocks[0][2] != setUp { // a guide for pages has examples that a browser runs
			t.Errorf("%s begins with other commands than the first guide", g.Name)
		}
		for _, b := range blocks {
			languages := []string{"bash", "json", "html", "go", "js", "tsx", "python", "php", "sql", "console"}
			if kind, _, _ := strings.Cut(b[1], " "); !slices.Contains(languages, kind) {
				t.Errorf("%s has a block of %q", g.Name, b[1])
			}
		}
	}
}

// TestGuidesShowWhatTheContractSays: every JSON text names its schema, has no member that the schema lacks,
// and only values that it allows. It may leave members out.
func TestGuidesShowWhatTheContractSays(t *testing.T) {
	t.Parallel()
	contract, shown := read(t), 0
	for name, text := range guideTexts(t) {
		for _, b := range fenceLine.FindAllStringSubmatch(text, -1) {
			kind, schema, _ := strings.Cut(b[1], " ")
			if kind != "json" {
				continue
			}
			shown++
			var value any
			if err := json.Unmarshal([]byte(b[2]), &value); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			ref := contract.Components.Schemas[schema]
			if ref == nil {
				t.Fatalf("%s: there is no schema %q", name, schema)
			}
			for _, wrong := range excerptOf(ref.Value, value, schema) {
				t.Errorf("%s: %s", name, wrong)
			}
		}
	}
	if shown < 15 {
		t.Errorf("%d texts were looked at", shown)
	}
	if wrongs := excerptOf(contract.Components.Schemas["Charge"].Value,
		map[string]any{"amount": "1", "amout": 1.0, "failure": map[string]any{"cod": ""}}, "Charge"); len(wrongs) != 3 {
		t.Errorf("mistakes are not found: %v", wrongs)
	}
}

// excerptOf says what is wrong with a value that may lack members of its schema.
func excerptOf(schema *openapi3.Schema, value any, at string) (wrongs []string) {
	members, isObject := value.(map[string]any)
	items, isArray := value.([]any)
	for _, one := range schema.OneOf { // the one whose word the value has
		if d := schema.Discriminator; isObject && d != nil &&
			slices.Contains(one.Value.Properties[d.PropertyName].Value.Enum, members[d.PropertyName]) {
			return excerptOf(one.Value, value, at)
		}
	}
	switch {
	case isObject:
		for name, member := range members {
			of := schema.Properties[name]
			switch {
			case of != nil:
				wrongs = append(wrongs, excerptOf(of.Value, member, at+"."+name)...)
			case schema.AdditionalProperties.Has == nil || !*schema.AdditionalProperties.Has:
				wrongs = append(wrongs, at+" has no "+name)
			}
		}
	case isArray:
		for i, item := range items {
			wrongs = append(wrongs, excerptOf(schema.Items.Value, item, fmt.Sprint(at, "[", i, "]"))...)
		}
	default:
		if err := schema.VisitJSON(value); err != nil {
			wrongs = append(wrongs, at+" is not what the contract says")
		}
	}
	return wrongs
}

var markdownLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// TestLinksOfGuidesLead: to another guide's heading, to an operation or tag of the contract, to a code.
func TestLinksOfGuidesLead(t *testing.T) {
	t.Parallel()
	d, contract, links := docsOf(t, &API{}), read(t), 0
	// of svcpay dev, and of others
	targets := map[string]bool{"http://pay.localhost:8080/3.2/svcpay.js": true,
		"https://www.standardwebhooks.com": true}
	for path, page := range d.pages {
		targets[path] = true
		for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllSubmatch(page.html, -1) {
			targets[path+"#"+string(id[1])] = true
		}
	}
	for _, item := range contract.Paths.Map() {
		for _, op := range item.Operations() {
			targets["/docs#tag/"+op.Tags[0]] = true
			targets["/docs#tag/"+op.Tags[0]+"/operation/"+op.OperationID] = true
		}
	}
	for name, text := range guideTexts(t) {
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			links++
			to := leadsTo(link[1])
			if strings.HasPrefix(to, "#") { // of the same guide
				to = guidesPath + "/" + name + to
			}
			if !targets[to] {
				t.Errorf("%s: %s leads nowhere", name, to)
			}
		}
	}
	if links < 25 {
		t.Errorf("%d links were looked at", links)
	}
}

// TestNumbersOfTheTestingGuide compares its tables with the page about the sandbox, which a test holds to the
// sandbox itself.
func TestNumbersOfTheTestingGuide(t *testing.T) {
	t.Parallel()
	sandbox, err := os.ReadFile("../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([0-9 ]+) \\|").FindAllStringSubmatch(guideTexts(t)["testing"],
		-1)
	for _, row := range rows {
		number := strings.ReplaceAll(row[2], " ", "")
		if !regexp.MustCompile("(?m)^\\| `" + row[1] + "` \\|( ach \\|| acss \\|)? " + number + " \\|").Match(sandbox) {
			t.Errorf("%s is not %s", row[1], number)
		}
	}
	if len(rows) < 20 {
		t.Errorf("%d rows were looked at", len(rows))
	}
}

// TestReferenceWithoutJavaScript: a browser that runs no scripts is shown every operation of the contract.
func TestReferenceWithoutJavaScript(t *testing.T) {
	t.Parallel()
	html := string(docsOf(t, &API{Config: Config{Static: builtDocs}}).pages["/docs"].html)
	_, listed, _ := strings.Cut(html, "<noscript>")
	listed, _, closed := strings.Cut(listed, "</noscript>")
	doc, err := contract()
	if err != nil || !closed {
		t.Fatal(err)
	}
	n := 0
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			n++
			if !strings.Contains(listed, "<code>"+method+" "+path+"</code>") {
				t.Errorf("%s %s is not listed", method, path)
			}
		}
	}
	if rows := strings.Count(listed, "<code>"); rows != n {
		t.Errorf("%d operations are listed, there are %d", rows, n)
	}
}

// TestGuidesNameTheirDeployment: a served guide loads the library from the deployment that serves it.
func TestGuidesNameTheirDeployment(t *testing.T) {
	t.Parallel()
	d := docsOf(t, &API{Config: Config{Static: builtDocs, PayURL: "https://pay.example"}})
	for path, page := range d.pages {
		if strings.Contains(string(page.html), "pay.localhost") {
			t.Errorf("%s names the pay origin of the demo", path)
		}
	}
	if !strings.Contains(string(d.pages[guidesPath+"/first-charge"].html), "https://pay.example/3.2/svcpay.js") {
		t.Error("the first guide does not load the library from the deployment")
	}
}
