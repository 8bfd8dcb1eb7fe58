package api

import (
	"strings"
	"testing"
)

// wrongHeader is what a header must not say, of the operations that it is said to.
type wrongHeader struct {
	name   string
	said   func(call) bool
	status int
	code   string
	params []string
	values []string // a newline separates the values of one that is sent several times, - leaves it out
}

func everywhere(c call) bool { return !c.route.handler.public }

func bodied(c call) bool      { return c.body != "" }
func withKey(c call) bool     { return c.documents(400, "idempotency_key_invalid") }
func ofAVersion(c call) bool  { return c.route.handler.versioned }
func ofNoVersion(c call) bool { return !c.route.handler.versioned }
func ofOneForm(c call) bool {
	return len(c.route.handler.produces) == 1 && c.route.handler.produces[0] == mediaJSON
}

// tooLong is a value of a header that the server still reads.
var tooLong = strings.Repeat(marker, 1000)

var wrongHeaders = []wrongHeader{
	{"Content-Type", bodied, 415, "content_type_unsupported", nil, []string{
		"-", "", " ", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"application/xml", "application/vnd." + marker + "+json", "application/jsonp", "application/json5",
		"application/x-ndjson", "application/octet-stream", "application", "application/", "/json", "json", "*/*",
		"application/*", ";;;", marker, "application/json,application/json", "application/json\ntext/plain",
		"application/json\napplication/json", "application/json; charset=latin1", "application/json; charset=utf-16",
		"application/json; charset=utf8", "application/json; charset=" +
			marker, "application/json; charset=utf-8; charset=latin1",
		"application/json; charset", "application/json charset=utf-8", "application/json; =", "application/j\xffson",
		"appl\u00efcation/json", "image/svg+xml", "image/gif", "text/html", tooLong,
	}},
	{"Content-Encoding", bodied, 415, "content_type_unsupported", nil, []string{"gzip", "deflate", "br", "zstd", "compress", "x-gzip", "identity", "identity, gzip", "gzip\ngzip", "", marker, "\xff", tooLong}},
	{"Accept", everywhere, 406, "not_acceptable", nil, []string{
		"text/html", "audio/*", "application/xml", "application/x-ndjson", "application/json5", marker, ";,;", ",", "/",
		"*/json", "json", "*/*;q=0", "application/*;q=0, text/*;q=0", "text/html\naudio/mpeg", "\xff", "é", tooLong,
		"application/json;q=0, application/pdf;q=0, text/csv;q=0", "*/*;q=0, text/html",
	}},
	{"Accept", ofOneForm, 406, "not_acceptable", nil, []string{"application/json;q=0", "application/json;q=0.000, */*", "application/json; q=0", "text/csv", "application/pdf", "image/*", "text/html\nimage/png", "application/*, application/json;q=0.0"}},
	{"X-API-Version", everywhere, 400, "api_version_unknown", nil, []string{
		"2020-01-01", "2026-12-02", "2026-12-1", "2026-12", "1", "v1", "latest", "0", "-1", "2026-12-01T00:00:00Z",
		"2026-12-01 x", "２０２６-12-01", marker, "\xff", Version + "," + Version, Version + "\n" + Version, "\n" +
			Version, tooLong,
	}},
	{"X-Request-Id", everywhere, 400, "parameter_invalid", []string{"X-Request-Id"}, []string{
		"", strings.Repeat("i", 256), "two " + marker, "tab\t" + marker, marker + "\n2", "é", "\xff", "\u200b", tooLong,
	}},
	{"Idempotency-Key", withKey, 400, "idempotency_key_invalid", nil, []string{
		"", strings.Repeat("k", 256), "two " + marker, "tab\t" + marker, "é", "\xff", "\u200b", "🔑", "a\nb", "a\na",
		"\n", "a\n", tooLong,
	}},
	{"If-Match", ofAVersion, 400, "parameter_invalid", []string{"If-Match"}, []string{
		"", " ", "3", `W/"3"`, `"03"`, `"0"`, `"-3"`, `"+3"`, `"3`, `3"`, `""`, `"`, `'3'`, `"3", "4"`, "\"3\"\n\"3\"",
		"*\n*", `"a"`, `"3.0"`, `"1e3"`, `"99999999999999999999"`, "**", `*, "3"`, `"*"`, `" 3"`, `"` + marker +
			`"`, "\"\xff\"", `"٣"`, tooLong,
	}},
	{"If-Match", ofNoVersion, 400, "parameter_invalid", []string{"If-Match"}, []string{"", "*", `"1"`, marker, "\xff", tooLong}},
	{"Origin", everywhere, 403, "secret_key_in_browser", nil, []string{"https://shop.example", "null", "http://localhost:3000", marker, "\xff", "https://api.example", "\nhttps://shop.example", "https://" + marker + ".example\nhttps://shop.example"}},
}

func TestBadInputInHeaders(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, c := range everyRoute(t) {
		for _, h := range wrongHeaders {
			if !h.said(c) {
				continue
			}
			for _, value := range h.values {
				cases = append(cases,
					bad{label(c, h.name, value), c.header1(h.name, value), h.status, h.code, h.params})
			}
		}
	}
	s.refuse(t, cases)
}

// Headers that mean nothing here change nothing, whatever they say.
func TestHeadersThatMeanNothing(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for name, value := range map[string]string{
		"X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE",
		"X-Original-URL": "/api/" + marker, "X-Rewrite-URL": "/api/" + marker, "X-Forwarded-For": marker,
		"X-Forwarded-Host": marker, "X-Forwarded-Proto": marker, "Forwarded": "for=" +
			marker, "X-Real-IP": marker, "Cookie": "session=" + marker, "Authorization": "Bearer " +
			marker, "Proxy-Authorization": marker,
		"Range": "bytes=0-1", "If-None-Match": "*", "If-Modified-Since": marker, "If-Range": marker,
		"Accept-Language": marker, "Accept-Charset": marker, "Accept-Encoding": marker, "Referer": marker,
		"User-Agent": marker,
		"Via":        marker, "X-" + marker: marker, "Expect": "100-continue", "Upgrade": "h2c", "TE": "trailers",
		"Content-Language": marker, "Digest": marker, "Prefer": marker, "Access-Control-Request-Method": "DELETE",
		"Sec-Fetch-Site": "cross-site",
	} {
		for _, c := range everyRoute(t) {
			if c.route.path == "/api/charges" { // reading works, and making one fails for its own reason
				status, code, params := 200, "", []string(nil)
				if c.method == "POST" {
					status, code, params = 403, "merchant_not_associated", []string{"merchant_id"}
				}
				cases = append(cases, bad{label(c, name, value), c.header1(name, value), status, code, params})
			}
		}
	}
	s.refuse(t, cases)
}
