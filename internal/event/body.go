package event

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// nothing is how a body ends whose event has no data.
var nothing = []byte(`"data":{"object":null,"previous_attributes":null}}`)

// Body is the event as it is sent: what [json.Marshal] makes of it, in a fraction of the time, since what the database
// printed is known to be JSON. It is for events that were read.
func (e Event) Body() ([]byte, error) {
	data := e.Data
	e.Data = Data{}
	out, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	out = bytes.TrimSuffix(out, nothing)
	whole := make([]byte, 0, len(out)+len(nothing)+len(data.Object)+len(data.PreviousAttributes))
	whole = appendShort(append(append(whole, out...), `"data":{"object":`...), data.Object)
	whole = appendShort(append(whole, `,"previous_attributes":`...), data.PreviousAttributes)
	return append(whole, '}', '}'), nil
}

const hexadecimal = "0123456789abcdef"

// special are the bytes at which a text in short form may be another.
var special = func() (out [256]bool) {
	for _, c := range []byte("\"\\ \n\t\r<>&\xE2") {
		out[c] = true
	}
	return out
}()

// appendShort adds a JSON text in short form, with those characters escaped that encoding/json escapes.
func appendShort(out, text []byte) []byte {
	if len(text) == 0 {
		return append(out, "null"...)
	}
	done, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !special[c] {
			continue
		}
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			i++ // what is escaped ends no text
		case '<', '>', '&':
			out, done = append(out, text[done:i]...), i+1
			out = append(out, '\\', 'u', '0', '0', hexadecimal[c>>4], hexadecimal[c&0xF])
		case 0xE2:
			if r, size := utf8.DecodeRune(text[i:]); r == '\u2028' || r == '\u2029' {
				out, done = append(out, text[done:i]...), i+size
				out = append(append(out, `\u202`...), hexadecimal[r&0xF])
				i += size - 1
			}
		default:
			if !quoted {
				out, done = append(out, text[done:i]...), i+1
			}
		}
	}
	return append(out, text[done:]...)
}
