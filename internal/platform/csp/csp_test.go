package csp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReportsAreReadInBothForms(t *testing.T) {
	t.Parallel()
	const one, several = MediaReport, MediaReports
	violation := func(directive, blocked, source string) string {
		return fmt.Sprintf(`{"type":"csp-violation","age":5,"url":"https://pay.example/3.2/frame/field?k=pk",`+
			`"body":{"effectiveDirective":%q,"blockedURL":%q,"sourceFile":%q,"disposition":"enforce"}}`,
			directive, blocked, source)
	}
	for name, tt := range map[string]struct {
		media, body string
		want        []string
	}{
		"effective": {one, `{"csp-report":{"document-uri":"https://pay.example","effective-directive":"script-src-elem",
			"violated-directive":"script-src","blocked-uri":"https://evil.example"}}`, []string{"script-src-elem"}},
		"violated": {one, `{"csp-report":{"violated-directive":"img-src 'self' data:"}}`, []string{"img-src"}},
		"unknown":  {one, `{"csp-report":{"effective-directive":"4242424242424242"}}`, []string{Other}},
		"empty":    {one, `{"csp-report":{}}`, []string{Other}},
		"blocked":  {one, `{"csp-report":{"effective-directive":"img-src","blocked-uri":"chrome-extension"}}`, nil},
		"source":   {one, `{"csp-report":{"effective-directive":"img-src","source-file":"moz-extension"}}`, nil},
		"another form": {several, `[` + violation("connect-src", "https://evil.example/x", "") + `]`,
			[]string{"connect-src"}},
		"other types": {several, `[{"type":"deprecation","body":7},` + violation("x", "inline", "") + `]`, []string{Other}},
		"extensions": {several, `[` + violation("script-src", "chrome-extension://abc/x.js", "") + `,` +
			violation("style-src-attr", "inline", "safari-web-extension://abc/x.js") + `,` +
			violation("style-src-elem", "inline", "Moz-Extension") + `,` +
			violation("form-action", "https://evil.example/chrome-extension:", "") + `]`, []string{"form-action"}},
		"none": {several, `[]`, nil},
		"many": {several, `[` + strings.Repeat(violation("font-src", "", "")+",", 99) + violation("font-src", "", "") +
			`]`, slices.Repeat([]string{"font-src"}, mostReports)},
	} {
		if got, err := Parse(tt.media, []byte(tt.body)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ media, body string }{
		{"application/json", `{"csp-report":{}}`}, {MediaReport, ``}, {MediaReport, `[]`}, {MediaReport, `{}`},
		{MediaReport, `{"csp-report":{"blocked-uri":7}}`}, {MediaReports, `{"csp-report":{}}`},
		{MediaReports, `[{"type":"csp-violation"}]`}, {MediaReports, `[{"type":"csp-violation","body":[]}]`},
	} {
		if got, err := Parse(tt.media, []byte(tt.body)); err == nil || got != nil {
			t.Errorf("%s %s: %v", tt.media, tt.body, got)
		}
	}
}

// Whatever a report says, an outcome is a word of the list.
func FuzzParse(f *testing.F) {
	f.Add(true, `{"csp-report":{"effective-directive":"script-src","blocked-uri":"inline"}}`)
	f.Add(false, `[{"type":"csp-violation","body":{"effectiveDirective":"style-src-elem"}}]`)
	f.Fuzz(func(t *testing.T, single bool, body string) {
		got, err := Parse(map[bool]string{true: MediaReport, false: MediaReports}[single], []byte(body))
		if len(got) > mostReports || err != nil && got != nil {
			t.Errorf("%d outcomes, %v", len(got), err)
		}
		for _, outcome := range got {
			if outcome != Other && !slices.Contains(directives, outcome) {
				t.Errorf("the outcome %q", outcome)
			}
		}
	})
}
