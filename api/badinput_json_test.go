package api

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// noJSON are bodies that are not one JSON object, made of one that is.
var noJSON = map[string]func(whole string) string{
	"blank": unchanging(" \r\n\t"), "null": unchanging("null"), "text": unchanging(quoted(20)), "number": unchanging("12"),
	"true":  unchanging("true"),
	"array": func(s string) string { return "[" + s + "]" }, "empty array": unchanging("[]"),
	"marker alone": unchanging(marker),

	"cut to a brace": unchanging("{"), "cut in a name": unchanging(`{"` + marker),
	"cut after a name":  unchanging(`{"` + marker + `"`),
	"cut after a colon": unchanging(`{"` + marker + `":`), "cut in a text": unchanging(`{"a":"` + marker),
	"cut after a value": unchanging(`{"a":"` + marker + `"`),
	"cut after a comma": unchanging(`{"a":"` + marker + `",`), "cut in a number": unchanging(`{"a":-`),
	"cut in an exponent": unchanging(`{"a":1e`),
	"cut in a word":      unchanging(`{"a":tru`), "cut in an escape": unchanging(`{"a":"\u12`),
	"cut in a list":      unchanging(`{"a":["` + marker + `"`),
	"cut before the end": func(s string) string { return strings.TrimSuffix(s, "}") },
	"cut in the middle":  func(s string) string { return s[:len(s)/2] },

	"two objects": func(s string) string { return s + s }, "two lines": func(s string) string { return s + "\n" + s },
	"something after":        func(s string) string { return s + marker },
	"brace after":            func(s string) string { return s + "}" },
	"NUL after":              func(s string) string { return s + "\x00" },
	"comma after":            func(s string) string { return s + "," },
	"something before":       func(s string) string { return marker + s },
	"prefix against scripts": func(s string) string { return ")]}',\n" + s },

	"byte order mark": func(s string) string { return "\ufeff" + s },
	"UTF-16, little":  func(s string) string { return utf16Of(s, false) },
	"UTF-16, big":     func(s string) string { return utf16Of(s, true) },
	"no-break space":  func(s string) string { return "\u00a0" + s },
	"form feed":       func(s string) string { return "\f" + s },
	"vertical tab":    func(s string) string { return "\v" + s },

	"duplicate": member(`"a":"` + marker + `","a":"` + marker + `"`), "duplicate, escaped": member(`"a":1,"\u0061":2`),
	"duplicate within": member(`"a":{"b":1,"b":2}`), "duplicate in a list": member(`"a":[{"b":1,"b":2}]`),
	"duplicate, far": member(`"a":1,` + memberPairs(200) + `,"a":1`),

	"name no UTF-8": member("\"\xff" + marker + "\":1"), "text no UTF-8": member("\"a\":\"\xff" + marker + "\""),
	"overlong":     member("\"a\":\"\xc0\xaf\""),
	"overlong NUL": member("\"a\":\"\xc0\x80\""), "surrogate in UTF-8": member("\"a\":\"\xed\xa0\x80\""),
	"beyond Unicode": member("\"a\":\"\xf5\x80\x80\x80\""),
	"UTF-8 cut":      member("\"a\":\"\xe2\x82\""), "Latin 1": member("\"a\":\"caf\xe9\""),
	"high surrogate alone": member(`"a":"\ud800"`), "low surrogate alone": member(`"a":"\udc00"`),
	"surrogates reversed": member(`"a":"\udc00\ud800"`),
	"surrogate then text": member(`"a":"\ud800a"`), "surrogate in a name": member(`"\ud800":1`),

	"escape unheard of": member(`"a":"\x41"`), "escaped apostrophe": member(`"a":"\'"`),
	"escape too short": member(`"a":"\u12"`), "escape of no number": member(`"a":"\uzzzz"`),
	"raw NUL": member("\"a\":\"\x00\""), "raw line break": member("\"a\":\"b\nc\""),
	"raw tab": member("\"a\":\"b\tc\""), "raw NUL in a name": member("\"\x00\":1"),

	"comma at the end":   func(s string) string { return strings.TrimSuffix(s, "}") + ",}" },
	"comma at the start": unchanging(`{,"a":1}`), "two commas": unchanging(`{"a":1,,"b":2}`),
	"no comma": unchanging(`{"a":1 "b":2}`), "no colon": unchanging(`{"a" 1}`), "no value": unchanging(`{"a":}`),
	"no name": unchanging(`{:1}`), "comma in a list": member(`"a":[1,]`),
	"number as a name": unchanging(`{1:2}`), "bare name": unchanging(`{` + marker + `:1}`),
	"single quotes":                  func(s string) string { return "{'a':'" + marker + "'}" + s[:0] },
	"comment":                        member(`"a":1/*` + marker + `*/`),
	"comment to the end of the line": member("\"a\":1//" + marker + "\n"),
	"comment with a hash":            member("\"a\":1#" + marker + "\n"),

	"NaN": member(`"a":NaN`), "Infinity": member(`"a":Infinity`), "negative Infinity": member(`"a":-Infinity`),
	"undefined": member(`"a":undefined`),
	"True":      member(`"a":True`), "NULL": member(`"a":NULL`), "leading zero": member(`"a":012`),
	"hexadecimal": member(`"a":0x10`), "octal": member(`"a":0o17`),
	"plus": member(`"a":+5`), "bare point": member(`"a":.5`), "point at the end": member(`"a":5.`),
	"two signs": member(`"a":--5`), "no exponent": member(`"a":5e`),
	"signed exponent of none": member(`"a":5e+`), "underscore": member(`"a":1_000`),
	"comma in a number": member(`"a":1,5`), "big integer of a script": member(`"a":5n`),

	"form": unchanging("a=" + marker + "&b=2"), "XML": unchanging("<a>" + marker + "</a>"),
	"YAML":      unchanging("a: " + marker + "\nb: 2\n"),
	"multipart": unchanging("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + marker + "\r\n--x--\r\n"),
	"gzip":      unchanging("\x1f\x8b\x08\x00\x00\x00\x00\x00"),

	"objects too deep": member(`"a":` + nested(maxDepth)),
	"lists too deep":   member(`"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)),
	"far too deep":     member(`"a":` + nested(40_000)), "endless array": unchanging(strings.Repeat("[", 100_000)),
	"endless object": unchanging(strings.Repeat(`{"a":`, 20_000)),
	"deep and cut":   unchanging(strings.Repeat("[", maxDepth+1)),
}

func unchanging(body string) func(string) string { return func(string) string { return body } }

// member adds the text of members to an object.
func member(text string) func(string) string {
	return func(whole string) string {
		inner := strings.TrimSuffix(strings.TrimPrefix(whole, "{"), "}")
		if inner != "" {
			inner += ","
		}
		return "{" + inner + text + "}"
	}
}

func memberPairs(n int) string { return strings.Trim(pairsOf(n), "{}") }

func utf16Of(s string, big bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
		low, high := byte(unit), byte(unit>>8)
		if big {
			low, high = high, low
		}
		out = append(out, low, high)
	}
	return string(out)
}

// withJSON are the calls of every operation that takes a JSON body.
func withJSON(t testing.TB) (out []call) {
	t.Helper()
	for _, c := range everyRoute(t) {
		if c.op.RequestBody != nil && c.media == mediaJSON {
			out = append(out, c)
		}
	}
	return out
}

func TestBadInputThatIsNoJSON(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, c := range withJSON(t) {
		whole := c.body
		for name, form := range noJSON {
			c.body = form(whole)
			cases = append(cases, bad{c.name() + ": " + name, c, 400, "json_invalid", nil})
		}
		if c.op.RequestBody.Value.Required {
			c.body = ""
			cases = append(cases,
				bad{c.name() + ": empty", c.header1("Content-Type", mediaJSON), 400, "json_invalid", nil})
		}
	}
	s.refuse(t, cases)
}
