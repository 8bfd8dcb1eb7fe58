package notice

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// tolerance is how old a notice may be, and how far ahead of our clock.
const tolerance = 5 * time.Minute

// Signed reports whether a header, as t=TIME,v1=HEX, has a signature of a body that is right and of now. timeOf reads
// the time as the counterparty writes it.
func Signed(header, secret string, body []byte, now time.Time, timeOf func(string) (time.Time, error)) bool {
	written, right := "", false
	var given [][]byte
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			written = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				given = append(given, sum)
			}
		}
	}
	at, err := timeOf(written)
	if err != nil || now.Sub(at).Abs() > tolerance {
		return false
	}
	want := hmac.New(sha256.New, []byte(secret))
	want.Write([]byte(written + "."))
	want.Write(body)
	sum := want.Sum(nil)
	for _, one := range given {
		right = right || hmac.Equal(one, sum)
	}
	return right
}
