package api

import (
	"encoding/json"
	"strings"
)

const libraryPath = "/docs/library"

// Gallery is what the page needs that shows every field of the browser library; without a PayURL there is no such page.
type Gallery struct {
	// PayURL is the origin of the library, without a trailing slash.
	PayURL string
	// DAFURL is where donors visit their fund; "" if that is at PayURL.
	DAFURL string
	// PublicKey is the key of the samples; "" lets visitors give one of their own.
	PublicKey string
	// Merchants are those of the samples by what they take: us (bank accounts by processor P), us_q (by Q), ca.
	Merchants map[string]int64
}

// libraryPage shows the library's fields as pages use them. Its script and the library's are all that it runs.
func (d *docs) libraryPage(g Gallery) (docsContent, error) {
	merchants, err := json.Marshal(g.Merchants)
	return docsContent{path: libraryPath, title: "Library", section: "library", content: "docs_library.html",
		what: map[string]any{"Script": d.asset("library.js"), "Look": d.asset("library.css"), "Pay": g.PayURL,
			"Key": g.PublicKey, "Merchants": string(merchants)},
		styles: " 'self'", directives: "; script-src 'self' " + g.PayURL + "; frame-src " +
			strings.TrimSpace(g.PayURL+" "+g.DAFURL)}, err
}
