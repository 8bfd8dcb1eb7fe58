package shop

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed page.html
var pageSource string

//go:embed assets
var assetFiles embed.FS

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// amounts are the suggested gifts, in cents.
var amounts = []int{2500, 5000, 10000, 25000}

// pageView is all the page is told. Nothing secret is in it.
type pageView struct {
	Nonce     string
	PayURL    string
	Assets    string
	PublicKey string
	Merchant  Merchant
	Others    []Merchant
	Amounts   []suggestion
	MinCents  int64
	MaxCents  int64
	Sandbox   bool
	TestCards []testCard
	TestBank  testBank
}

type suggestion struct {
	Cents   int
	Dollars int
	Checked bool
}

type testCard struct{ Number, Outcome string }

var testCards = []testCard{
	{"4242 4242 4242 4242", "Approved"},
	{"3782 822463 10005", "Approved, American Express"},
	{"4000 0000 0000 0002", "Declined"},
	{"4000 0000 0000 9995", "Declined, insufficient funds"},
	{"4000 0000 0000 5423", "Timeout, confirmed later"},
}

// testBank is an account at the sandbox's banks, as the way to it asks for it.
type testBank struct{ Routing, Institution, Transit, Number string }

var testBanks = map[string]testBank{
	"usd": {Routing: "110000000", Number: "000123456789"},
	"cad": {Institution: "000", Transit: "11000", Number: "000123456789"},
}

// page renders the donation page; ?merchant= chooses who receives the gift.
func (s *shop) page(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(r.URL.Query().Get("merchant"), 10, 64)
	merchant, ok := s.merchant(id)
	if !ok {
		http.NotFound(w, r)
		return
	}
	view := s.view(merchant)
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, view); err != nil {
		s.log.Error("the page did not render", "error", err)
		http.Error(w, "This page is not available right now.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", contentPolicy(s.cfg.PayURL, s.cfg.DAFURL, view.Nonce))
	_, _ = w.Write(body.Bytes())
}

func (s *shop) view(merchant Merchant) pageView {
	v := pageView{
		Nonce: rand.Text(), PayURL: s.cfg.PayURL, Assets: s.assets.base, PublicKey: s.cfg.PublicKey,
		Merchant: merchant, MinCents: minAmount, MaxCents: maxAmount,
		Sandbox: strings.HasPrefix(s.cfg.PublicKey, "pk_sandbox_"), TestCards: testCards,
		TestBank: testBanks[merchant.Currency],
	}
	for _, cents := range amounts {
		v.Amounts = append(v.Amounts, suggestion{Cents: cents, Dollars: cents / 100, Checked: cents == 5000})
	}
	for _, m := range s.cfg.Merchants {
		if m.ID != merchant.ID {
			v.Others = append(v.Others, m)
		}
	}
	return v
}

// contentPolicy lets the page run its own scripts and the library, embed the
// library's frames and the pages of donors' funds, talk to this server, and nothing else.
func contentPolicy(pay, funds, nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + pay + " 'nonce-" + nonce + "'",
		"style-src 'self'",
		"img-src 'self' data:",
		"font-src 'self'",
		strings.TrimSpace("frame-src " + pay + " " + funds),
		"connect-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

// assetSet serves the style sheet and the scripts under an address that
// changes with their content, so a browser may keep them for good.
type assetSet struct {
	version string
	base    string
	files   map[string][]byte
}

func loadAssets() *assetSet {
	set := &assetSet{files: map[string][]byte{}}
	sum := sha256.New()
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		panic(err) // embedded at build time
	}
	for _, entry := range entries {
		content, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		set.files[entry.Name()] = content
		sum.Write([]byte(entry.Name()))
		sum.Write(content)
	}
	set.version = hex.EncodeToString(sum.Sum(nil))[:12]
	set.base = "/assets/" + set.version
	return set
}

func (a *assetSet) serve(w http.ResponseWriter, r *http.Request) {
	content, ok := a.files[r.PathValue("file")]
	if !ok || r.PathValue("version") != a.version {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.PathValue("file"))))
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(content)
}
