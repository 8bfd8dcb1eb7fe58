package api

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed guides/*.md
var guideFiles embed.FS

const (
	guidesPath = "/docs/guides"
	// demoPayURL is the pay origin in the guides' files. A guide that is served names its deployment's.
	demoPayURL = "http://pay.localhost:8080"
)

// guide is a page for people who begin.
type guide struct {
	Name    string // of its file
	Title   string
	Summary string
}

// guides are in the order in which one reads them.
var guides = []guide{
	{"first-charge", "First charge", "From a key to a captured payment: a token, a charge, an authorization that you capture later."},
	{"library", "The browser library", "Payment fields for cards, wallets, bank accounts and donations in your page, with their options, events and errors."},
	{"library-banks", "Bank accounts in your page", "A form for the account, or a window in which payers sign in at their bank and agree to debits."},
	{"daf", "DAF Pay", "How a grant from a donor-advised fund reaches a nonprofit: who can accept one, what it costs, and what its status means."},
	{"saved-tokens", "Saved tokens and recurring charges", "Charge a saved payment method again, on a schedule of your own."},
	{"bank-debits", "Bank debits: ACH and ACSS", "How debits of bank accounts differ from card payments: they take days to settle, and banks can return them."},
	{"refunds", "Refunds", "Refund a captured charge, in full or in part."},
	{"errors-and-retries", "Errors and retries", "What an error contains, and how to retry a request safely."},
	{"webhooks", "Receiving webhooks", "Get events as they happen: endpoints, signatures, retries, and how to replay what your server missed."},
	{"testing", "Testing", "Test cards and accounts, a clock that you can move, and simulated events."},
}

// Path is where the guide is served.
func (g guide) Path() string { return guidesPath + "/" + g.Name }

// markdown takes no HTML: what looks like it is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// guidesPages are the list of the guides and each of them, with the pay origin of the deployment.
func guidesPages(payURL string) ([]docsContent, error) {
	pages := []docsContent{
		{path: guidesPath, title: "Guides", section: "guides", content: "docs_guides.html", what: guides}}
	for i, g := range guides {
		source, err := guideFiles.ReadFile("guides/" + g.Name + ".md")
		if err != nil {
			return nil, err
		}
		body, err := renderGuide(bytes.ReplaceAll(source, []byte(demoPayURL), []byte(payURL)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		what := map[string]any{"Guides": guides, "This": g, "Body": body}
		if i+1 < len(guides) {
			what["Next"] = guides[i+1]
		}
		pages = append(pages, docsContent{path: g.Path(), title: g.Title, section: "guides", content: "docs_guide.html",
			what: what})
	}
	return pages, nil
}

// errorCode is what a code of an error looks like.
var errorCode = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// renderGuide makes HTML of a guide. Links between the files become links between the pages. Under the heading
// "Errors", the first mention of a code has the code as its id.
func renderGuide(source []byte) (template.HTML, error) {
	doc := markdown.Parser().Parse(text.NewReader(source))
	section, named := "", map[string]bool{}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(leadsTo(string(n.Destination)))
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			section = fmt.Sprintf("%s", id)
		case *ast.CodeSpan:
			code := textOf(n, source)
			if section == "errors" && errorCode.MatchString(code) && !named[code] {
				n.SetAttributeString("id", []byte(code))
				named[code] = true
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil
}

// textOf is the text of a code span.
func textOf(n ast.Node, source []byte) (out string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out += string(t.Segment.Value(source))
		}
	}
	return out
}

// leadsTo is where a link of a guide leads when the guide is served.
func leadsTo(link string) string {
	name, anchor, found := strings.Cut(link, "#")
	if file, ok := strings.CutSuffix(name, ".md"); ok && !strings.Contains(file, "/") {
		name = guidesPath + "/" + file
	}
	if found {
		name += "#" + anchor
	}
	return name
}
