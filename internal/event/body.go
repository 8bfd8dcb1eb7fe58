package event

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"svcpay/internal/instant"
)

// headRoom is what the members before the data take at most, but for longer names than there are.
const headRoom = 512

// Body is the event as it is sent: what [json.Marshal] makes of it, in a fraction of the time, since what the database
// printed is known to be JSON, and the rest is written member by member. It is for events that were read.
func (e Event) Body() []byte {
	out := make([]byte, 0, headRoom+len(e.Data.Object)+len(e.Data.PreviousAttributes))
	out = appendText(append(out, `{"id":`...), e.ID.String())
	out = appendText(append(out, `,"object":`...), e.Object)
	out = appendText(append(out, `,"type":`...), e.Type)
	out = e.Timestamp.UTC().AppendFormat(append(out, `,"timestamp":"`...), instant.Layout)
	out = appendNumber(append(out, `","sequence":`...), e.Sequence)
	out = strconv.AppendInt(append(out, `,"application_id":`...), e.ApplicationID, 10)
	out = appendNumber(append(out, `,"merchant_id":`...), e.MerchantID)
	out = strconv.AppendBool(append(out, `,"livemode":`...), e.Livemode)
	out = appendText(append(out, `,"api_version":`...), e.APIVersion)
	if out = append(out, `,"request":{"id":`...); e.Request.ID == nil {
		out = append(out, "null"...)
	} else {
		out = appendText(out, e.Request.ID.String())
	}
	out = appendText(append(out, `,"source":`...), e.Request.Source)
	out = appendShort(append(out, `},"data":{"object":`...), e.Data.Object)
	out = appendShort(append(out, `,"previous_attributes":`...), e.Data.PreviousAttributes)
	return append(out, '}', '}')
}

// appendText adds a text in quotes.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7F || special[c] && c != ' ' {
			quoted, _ := json.Marshal(text) // a text always is one in JSON
			return append(out, quoted...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}

func appendNumber(out []byte, n *int64) []byte {
	if n == nil {
		return append(out, "null"...)
	}
	return strconv.AppendInt(out, *n, 10)
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
