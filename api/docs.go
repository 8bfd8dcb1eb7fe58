package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"svcpay/static"
)

//go:embed docs.css
var docsCSS string

//go:embed docs*.html
var docsHTML embed.FS

// docsAssets is where the built files of the pages are.
const docsAssets = "/docs/assets/"

// docs are the pages below /docs: the reference, the guides, the types of events, the codes of errors. They are the
// same for everybody.
type docs struct {
	files *static.Bundle
	style template.CSS
	pages map[string]docsPage // by path
	// gallery says that there is a page that shows the library.
	gallery bool
}

// docsPage is a page as it is sent.
type docsPage struct {
	policy string
	html   []byte
}

// docsContent is a page without its frame.
type docsContent struct {
	path    string
	title   string
	section string // of the navigation
	// content is the name of the template, what its dot.
	content string
	what    any
	// These add sources of styles and of images, and directives, to the page's policy.
	styles, images, directives string
}

// newDocs makes all pages. Without a built front end they lack font and reference.
func newDocs(a *API) (*docs, error) {
	d := &docs{files: &static.Bundle{}, style: template.CSS(docsCSS), pages: map[string]docsPage{},
		gallery: a.Gallery.PayURL != ""}
	if a.Static != nil {
		var err error
		if d.files, err = static.LoadBundle(a.Static, "docs"); err != nil {
			return nil, err
		}
	}
	if d.files.Built() {
		d.style = template.CSS("@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(" +
			d.asset("inter.woff2") + ")}\n" + docsCSS)
	}
	pages, err := guidesPages(cmp.Or(a.PayURL, demoPayURL))
	if err != nil {
		return nil, err
	}
	if d.gallery {
		library, err := d.libraryPage(a.Gallery)
		if err != nil {
			return nil, err
		}
		pages = append(pages, library)
	}
	reference, err := d.reference()
	if err != nil {
		return nil, err
	}
	for _, c := range append(pages, reference, eventsPage(), errorsPage()) {
		page, err := d.frame(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.path, err)
		}
		d.pages[c.path] = page
	}
	return d, nil
}

// asset is the address of a built file, "" before it is built.
func (d *docs) asset(name string) string {
	if !d.files.Built() {
		return ""
	}
	return docsAssets + d.files.Path(name)
}

// reference is the page that Redoc fills with the contract. Its styles come as elements that are empty
// when they are made, hence the hash of nothing; its search has an icon that is data, and runs in a
// worker made of a blob. Browsers without JavaScript show a table of the operations.
func (d *docs) reference() (docsContent, error) {
	groups, err := operationGroups()
	return docsContent{path: "/docs", title: "Reference", section: "reference", content: "docs_reference.html",
		what: map[string]any{"Script": d.asset("reference.js"), "Style": d.asset("reference.css"),
			"Operations": groups},
		styles: " 'self' " + hashSource(""), images: " data:",
		directives: "; script-src 'self'; connect-src 'self'; worker-src blob:"}, err
}

// frame puts a page into the frame that all have.
func (d *docs) frame(c docsContent) (docsPage, error) {
	t, err := template.New("docs.html").Funcs(template.FuncMap{"card": groupsOfFour}).ParseFS(docsHTML, "docs.html",
		c.content)
	if err != nil {
		return docsPage{}, err
	}
	if _, err := t.AddParseTree("content", t.Lookup(c.content).Tree); err != nil {
		return docsPage{}, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Title": c.title, "Section": c.section, "Gallery": d.gallery, "Style": d.style,
		"Icon": d.asset("icon.svg"), "What": c.what})
	policy := "default-src 'none'; style-src " + hashSource(string(d.style)) + c.styles +
		"; img-src 'self'" + c.images +
		"; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" + c.directives
	return docsPage{policy, out.Bytes()}, err
}

// hashSource lets an inline text of a page pass its policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// describeDocs adds the routes of the pages and their files.
func (a *API) describeDocs(e *echo.Echo) {
	made := sync.OnceValues(func() (*docs, error) { return newDocs(a) })
	serve := func(c echo.Context) error {
		d, err := made()
		if err != nil {
			return err
		}
		h := c.Response().Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if page, ok := d.pages[c.Path()]; ok {
			h.Set("Content-Security-Policy", page.policy)
			return c.HTMLBlob(http.StatusOK, page.html)
		}
		if d.files.Serve(c.Response(), c.Request(), c.Param("*")) {
			return nil
		}
		return echo.ErrNotFound
	}
	e.Match([]string{http.MethodGet, http.MethodHead}, postmanPath, a.servePostman)
	paths := []string{"/docs", "/docs/events", "/docs/errors", docsAssets + "*", guidesPath}
	if a.Gallery.PayURL != "" {
		paths = append(paths, libraryPath)
	}
	for _, g := range guides {
		paths = append(paths, g.Path())
	}
	for _, path := range paths {
		e.Match([]string{http.MethodGet, http.MethodHead}, path, serve)
	}
}
