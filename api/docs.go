package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

//go:embed docs.css
var docsCSS string

//go:embed docs.html
var docsHTML string

// docsPolicy lets the page have its own style and nothing else.
var docsPolicy = func() string {
	sum := sha256.Sum256([]byte(docsCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// docsGroup is the codes that share a status.
type docsGroup struct {
	Status int
	Text   string
	Codes  []docsCode
}

type docsCode struct {
	code
	Type string
}

// renderErrors makes the page out of the table of codes; it is the same for everybody.
var renderErrors = sync.OnceValues(func() ([]byte, error) {
	page, err := template.New("errors").Funcs(template.FuncMap{"card": groupsOfFour}).Parse(docsHTML)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{"Style": template.CSS(docsCSS), "Groups": docsGroups(), "Declines": declines})
	return out.Bytes(), err
})

func docsGroups() []docsGroup {
	var out []docsGroup
	for _, c := range codes {
		d := c.dress()
		at := slices.IndexFunc(out, func(g docsGroup) bool { return g.Status == d.Status })
		if at < 0 {
			at, out = len(out), append(out, docsGroup{Status: d.Status, Text: http.StatusText(d.Status)})
		}
		out[at].Codes = append(out[at].Codes, docsCode{c, d.Type})
	}
	slices.SortFunc(out, func(a, b docsGroup) int { return cmp.Compare(a.Status, b.Status) })
	return out
}

// groupsOfFour prints a card number as people read it.
func groupsOfFour(number string) string {
	var groups []string
	for group := range slices.Chunk([]byte(number), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}

func errorsPage(c echo.Context) error {
	page, err := renderErrors()
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	return c.HTMLBlob(http.StatusOK, page)
}
