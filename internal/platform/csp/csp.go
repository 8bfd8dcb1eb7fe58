// Package csp has what pages with a Content-Security-Policy need to have their violations reported, and reads the
// reports. A violation on a payment page may mean that someone added a script to it (PCI DSS 11.6.1).
package csp

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// ReportPath is where browsers send reports, on the origin of the page.
const ReportPath = "/csp-reports"

// Reports are the directives of a policy whose violations are reported: report-uri is for browsers without report-to.
const Reports = "report-uri " + ReportPath + "; report-to csp; "

// SetEndpoint names the endpoint of the directive report-to.
func SetEndpoint(h http.Header) { h.Set("Reporting-Endpoints", `csp="`+ReportPath+`"`) }

// The media types of reports: of report-uri, and of report-to.
const (
	MediaReport  = "application/csp-report"
	MediaReports = "application/reports+json"
)

// Other stands for a directive that is not in the list.
const Other = "other"

// mostReports bounds the reports of one body that are read.
const mostReports = 20

var directives = []string{"base-uri", "child-src", "connect-src", "default-src", "font-src", "form-action",
	"frame-ancestors", "frame-src", "img-src", "manifest-src", "media-src", "object-src", "require-trusted-types-for",
	"script-src", "script-src-attr", "script-src-elem", "style-src", "style-src-attr", "style-src-elem",
	"trusted-types", "worker-src"}

var errUnreadable = errors.New("the body is no report")

// violation is what is read of a report.
type violation struct{ directive, blocked, source string }

// Parse reads the body of a request with reports, and returns the directives that were violated, each from a fixed list
// or [Other]. Violations by extensions of the browser are left out.
func Parse(media string, body []byte) ([]string, error) {
	var all []violation
	var err error
	switch media {
	case MediaReport:
		all, err = one(body)
	case MediaReports:
		all, err = several(body)
	default:
		err = errUnreadable
	}
	var out []string
	for _, v := range all[:min(len(all), mostReports)] {
		if !ofExtension(v.blocked) && !ofExtension(v.source) {
			out = append(out, known(v.directive))
		}
	}
	return out, err
}

// one reads the form of report-uri.
func one(body []byte) ([]violation, error) {
	var in struct {
		Report *struct {
			Effective string `json:"effective-directive"`
			Violated  string `json:"violated-directive"`
			Blocked   string `json:"blocked-uri"`
			Source    string `json:"source-file"`
		} `json:"csp-report"`
	}
	if json.Unmarshal(body, &in) != nil || in.Report == nil {
		return nil, errUnreadable
	}
	r := in.Report
	if r.Effective == "" { // older browsers have only the other one, some with its sources
		r.Effective, _, _ = strings.Cut(r.Violated, " ")
	}
	return []violation{{r.Effective, r.Blocked, r.Source}}, nil
}

// several reads the form of report-to, which may hold reports of other kinds.
func several(body []byte) (out []violation, err error) {
	var in []struct {
		Type string          `json:"type"`
		Body json.RawMessage `json:"body"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil, errUnreadable
	}
	for _, r := range in {
		if r.Type != "csp-violation" {
			continue
		}
		var v struct {
			Directive string `json:"effectiveDirective"`
			Blocked   string `json:"blockedURL"`
			Source    string `json:"sourceFile"`
		}
		if json.Unmarshal(r.Body, &v) != nil {
			return nil, errUnreadable
		}
		out = append(out, violation{v.Directive, v.Blocked, v.Source})
	}
	return out, nil
}

// ofExtension reports whether an address, or its scheme alone as browsers report it, is an extension's, such as
// chrome-extension or safari-web-extension.
func ofExtension(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return strings.HasSuffix(strings.ToLower(scheme), "-extension")
}

func known(directive string) string {
	if slices.Contains(directives, directive) {
		return directive
	}
	return Other
}
