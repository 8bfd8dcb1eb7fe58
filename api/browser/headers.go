package browser

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/check"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/platform/csp"
)

// Sources of frame-ancestors for every page, files on a developer's disk included, and for none.
const (
	anyOrigin = "* file:"
	noOrigin  = "'none'"
)

// framePolicy is what a field or controller frame may do: run and style itself from its own origin,
// and talk to it, and run the scripts in its HTML, of which it has the hashes. Trusted Types close the ways in which
// text could become script. Browsers report what it blocks.
const framePolicy = "default-src 'none'; script-src 'self'%s; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; " + csp.Reports + "form-action 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors "

// libraryHeaders are those of a file that any page may load, also one that isolates itself (COEP).
func libraryHeaders(h http.Header, cacheControl string) {
	h.Set(echo.HeaderAccessControlAllowOrigin, "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set(echo.HeaderXContentTypeOptions, "nosniff")
	h.Set(echo.HeaderCacheControl, cacheControl)
}

// frameHeaders are those of a field or controller frame that the given ancestors may embed, with the sources of scripts
// as scriptSources has them. It is never stored: the ancestors can change, and what was typed must not come back with
// the page.
func frameHeaders(h http.Header, scripts, ancestors string) {
	h.Set(echo.HeaderContentSecurityPolicy, fmt.Sprintf(framePolicy, scripts)+ancestors)
	csp.SetEndpoint(h)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set(echo.HeaderReferrerPolicy, "no-referrer")
	h.Set(echo.HeaderXContentTypeOptions, "nosniff")
	h.Set(echo.HeaderCacheControl, "no-store")
}

// modalPolicy is what a page of a modal may do: as a frame, and send its forms. htmx builds elements of text, so
// that Trusted Types do not apply.
const modalPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; " + csp.Reports + "form-action "

// modalHeaders are those of a page of a modal that the given ancestors may embed. Its forms lead to its own origin,
// and to that of a counterparty's pages unless it is "". It is never stored, as a frame is not.
func modalHeaders(h http.Header, ancestors, counterparty string) {
	frameHeaders(h, "", ancestors)
	action := "'self'"
	if counterparty != "" {
		action += " " + counterparty
	}
	h.Set(echo.HeaderContentSecurityPolicy, modalPolicy+action+"; frame-ancestors "+ancestors)
}

// visitHeaders are those of a page with Chariot's component that the given ancestors may embed. The component needs
// styles of its own, and pages of Chariot as a frame or as a window that it opens. It is never stored. Pages that
// isolate themselves (COEP) can't embed it, for Chariot's pages are not isolated.
func visitHeaders(h http.Header, ancestors string, at chariot.Component, payURL string) {
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; script-src 'self' "+at.Files+
		"; style-src 'self' 'unsafe-inline'; img-src 'self' "+at.Files+"; font-src "+at.Files+
		"; connect-src 'self'; frame-src "+at.Pages+"; base-uri 'none'; "+csp.Reports+"form-action 'self' "+payURL+
		"; frame-ancestors "+ancestors)
	csp.SetEndpoint(h)
	h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set(echo.HeaderReferrerPolicy, "strict-origin")
	h.Set(echo.HeaderXContentTypeOptions, "nosniff")
	h.Set(echo.HeaderCacheControl, "no-store")
}

// frameAncestors returns the source list for the pages that may use a key. A key that names none can be embedded
// anywhere in the sandbox and nowhere in production. What is not plainly an origin or a pattern of origins is left out,
// never copied.
func frameAncestors(p apikey.Pages, production bool) string {
	if !p.Bounded() && !production {
		return anyOrigin
	}
	var sources []string
	for _, origin := range p.Origins() {
		if check.IsOriginPattern(origin) || check.IsOriginOfDomain(origin) {
			sources = append(sources, origin)
		}
	}
	switch {
	case len(sources) == 0:
		return noOrigin
	case p.AnyAncestor: // the page next to the frame must be allowed when it opens a session
		return anyOrigin
	}
	return strings.Join(sources, " ")
}
