package redact

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/sensitive"
)

// JSON gives a JSON text without what no one may see, in short form; false if it is no JSON. Of a text whose numbers
// only together read as a card number nothing is left.
func JSON(text []byte) (string, bool) {
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(text), options...), jsontext.NewEncoder(&out, options...)
	hide := false // the value that comes is a secret's
	for {
		if hide {
			hide = false
			if from.SkipValue() != nil || to.WriteToken(jsontext.String(Mark)) != nil {
				return "", false
			}
			continue
		}
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			if sensitive.HoldsPAN(out.String()) {
				return `"` + Mark + `"`, true
			}
			return strings.TrimSpace(out.String()), out.Len() > 0
		}
		if err != nil {
			return "", false
		}
		hide = isName(from) && secret(token.String())
		if to.WriteToken(cleaned(token)) != nil {
			return "", false
		}
	}
}

// isName reports whether the token that was read last is the name of a member.
func isName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 1
}

func cleaned(token jsontext.Token) jsontext.Token {
	if kind := token.Kind(); kind != '"' && kind != '0' {
		return token
	}
	was := token.String()
	if now := Text(was); now != was {
		return jsontext.String(now)
	}
	return token
}

// Query gives a query string without what no one may see.
func Query(raw string) string {
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		plainName, nameErr := url.QueryUnescape(name)
		plainValue, valueErr := url.QueryUnescape(value)
		switch whole := plainName + "=" + plainValue; {
		case nameErr != nil || valueErr != nil:
			parts[i] = Mark
		case secret(plainName):
			parts[i] = url.QueryEscape(Text(plainName)) + "=" + Mark
		case Text(whole) != whole, Text(part) != part: // an escape's own digits may read as a number's first
			parts[i] = Text(whole)
		}
	}
	return Text(strings.Join(parts, "&"))
}
