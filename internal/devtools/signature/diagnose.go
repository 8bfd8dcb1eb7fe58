package signature

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind names a sort of mistake. It is a stable code.
type Kind string

// The mistakes that break a signature.
const (
	HeaderMissing    Kind = "header_missing"    // one that verifying needs is not there
	HeaderMalformed  Kind = "header_malformed"  // it is there, in another form
	HeaderWrong      Kind = "header_wrong"      // it is not the one that was signed
	SecretMalformed  Kind = "secret_malformed"  // no secret at all
	SecretWrong      Kind = "secret_wrong"      // another one signed
	BodyReserialized Kind = "body_reserialized" // it says the same as what was sent, in other bytes
	BodyChanged      Kind = "body_changed"      // it says something else than what was sent, or nothing
	ClockOld         Kind = "clock_too_old"     // it was signed too long ago
	ClockNew         Kind = "clock_too_new"     // it was signed in the future
	Environment      Kind = "environment"       // it is another environment's or application's
)

// Kinds lists every sort.
func Kinds() []Kind {
	return []Kind{HeaderMissing, HeaderMalformed, HeaderWrong, SecretMalformed, SecretWrong, BodyReserialized, BodyChanged, ClockOld, ClockNew, Environment}
}

// Mistake is one that was found, and what to do about it.
type Mistake struct {
	Kind Kind
	Text string
}

// Delivery is what a receiver got.
type Delivery struct {
	Header http.Header
	Body   []byte // byte for byte
}

// Other is a secret that should not have signed, with its name for people. If it did, that is told.
type Other struct {
	Name   string
	Secret string
	// Foreign: it belongs to another environment.
	Foreign bool
}

// Expected is what a delivery is held to.
type Expected struct {
	Secrets []string // one of them should have signed
	Others  []Other
	// Original is the event as the API tells it; nil if it is not known.
	Original      []byte
	Environment   string // sandbox or production; "" if any will do
	ApplicationID int64  // 0 if any will do
	Now           time.Time
	Tolerance     time.Duration // 0: [Tolerance]
}

// Verdict is what came out. Without mistakes the delivery is to be believed.
type Verdict struct {
	Secret   int           // which of the secrets signed it, from 1; 0: none did
	Age      time.Duration // from its signing until now
	Mistakes []Mistake
}

// Has tells whether a sort of mistake was found.
func (v Verdict) Has(k Kind) bool {
	return slices.ContainsFunc(v.Mistakes, func(m Mistake) bool { return m.Kind == k })
}

func (v *Verdict) add(k Kind, format string, args ...any) {
	v.Mistakes = append(v.Mistakes, Mistake{k, fmt.Sprintf(format, args...)})
}

// Diagnose tells whether a delivery is to be believed, and if not, why. It looks for the smallest change of the
// delivery and of the secret that would make the signature right.
func Diagnose(d Delivery, e Expected) (v Verdict) {
	c := &examination{delivery: d, expected: e, Verdict: &v}
	if c.headers(); len(v.Mistakes) == 0 || c.repaired {
		c.secrets()
		if len(c.signers) > 0 && !c.explain() {
			c.guess()
		}
		c.clock()
	}
	c.environment()
	return v
}

// examination is a diagnosis under way.
type examination struct {
	*Verdict
	delivery   Delivery
	expected   Expected
	id         string
	at         time.Time
	signatures [][]byte
	signers    []signer
	repaired   bool // a header was malformed, and read all the same
}

// signer is a secret that may have signed.
type signer struct {
	Secret
	number int // among the secrets that should have; 0 for another
	other  Other
}

// headers reads the three headers.
func (c *examination) headers() {
	h := c.delivery.Header
	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		if h.Get(name) == "" {
			c.add(HeaderMissing, "There is no header %s%s. A proxy or a framework may have dropped it, or the request is no webhook of ours.", name, resembling(h, name))
		}
	}
	if len(c.Mistakes) > 0 {
		return
	}
	c.id = h.Get(HeaderID)
	if !c.time(h.Get(HeaderTimestamp)) {
		c.add(HeaderMalformed, "%s is not a number of seconds since 1970.", HeaderTimestamp)
		return
	}
	c.signed(h.Get(HeaderSignature))
}

// resembling names a header that may have been meant.
func resembling(h http.Header, name string) string {
	_, word, _ := strings.Cut(name, "-")
	var found []string
	for other := range h {
		if strings.HasSuffix(strings.ToLower(other), word) {
			found = append(found, strings.ToLower(other))
		}
	}
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return " (but " + strings.Join(found, ", ") + ")"
}

// time reads the time of signing, also in forms that it should not have.
func (c *examination) time(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && len(text) < len("1700000000000") {
		c.at = time.Unix(n, 0)
		return true
	}
	if err == nil {
		c.at = time.UnixMilli(n)
	} else if c.at, err = time.Parse(time.RFC3339Nano, text); err != nil {
		return false
	}
	c.repaired = true
	c.add(HeaderMalformed, "%s is not in seconds since 1970, as it is sent: something between SvcPay and you wrote it anew.", HeaderTimestamp)
	return true
}

// signed reads the signatures, also in forms that they should not have.
func (c *examination) signed(text string) {
	const size = 32
	named := false
	for word := range strings.FieldsSeq(text) {
		name, encoded, ok := strings.Cut(word, ",")
		if !ok {
			name, encoded = "", word
		}
		code, err := base64.StdEncoding.DecodeString(encoded)
		if raw, hexErr := hex.DecodeString(encoded); hexErr == nil && len(raw) == size {
			code, err, name = raw, nil, ""
		}
		if err != nil || len(code) != size || ok && name != version && name != "" {
			continue
		}
		named = named || name == version
		c.signatures = append(c.signatures, code)
	}
	switch {
	case len(c.signatures) == 0:
		c.add(HeaderMalformed, "%s has no signature of the form %s,base64 of 32 bytes: it was cut short or is another scheme's.", HeaderSignature, version)
		c.repaired = false
	case !named:
		c.add(HeaderMalformed, "%s has a signature, but not in the form in which it is sent, %s,base64.", HeaderSignature, version)
		c.repaired = true
	}
}

// secrets reads the secrets.
func (c *examination) secrets() {
	for i, text := range c.expected.Secrets {
		s, err := SecretOf(text)
		if trimmed, trimErr := SecretOf(strings.TrimSpace(text)); err != nil && trimErr == nil {
			s = trimmed // white space is told, and looked through
		}
		if err != nil {
			c.add(SecretMalformed, "Secret %d is none: %v.", i+1, err)
		}
		if s.hook != nil {
			c.signers = append(c.signers, signer{Secret: s, number: i + 1})
		}
	}
	for _, o := range c.expected.Others {
		if s, err := SecretOf(o.Secret); err == nil {
			c.signers = append(c.signers, signer{Secret: s, other: o})
		} else {
			c.add(SecretMalformed, "The secret %s is none: %v.", o.Name, err)
		}
	}
}

// matches tells whether one of the signatures is that of a message.
func (c *examination) matches(s Secret, id string, at time.Time, body []byte) bool {
	text, err := s.hook.Sign(id, at, body)
	if err != nil {
		return false
	}
	code, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, version+","))
	return err == nil && slices.ContainsFunc(c.signatures, func(given []byte) bool { return bytes.Equal(given, code) })
}

// clock compares the time of signing with now.
func (c *examination) clock() {
	limit := cmp.Or(c.expected.Tolerance, Tolerance)
	c.Age = c.expected.Now.Sub(c.at).Round(time.Second)
	switch {
	case c.expected.Now.Sub(c.at) > limit:
		c.add(ClockOld, "It was signed %s ago, more than %s. If it came just now, this clock is fast or the delivery was kept somewhere; an attempt that is repeated is signed anew.", c.Age, limit)
	case c.at.Sub(c.expected.Now) > limit:
		c.add(ClockNew, "It was signed %s from now, more than %s. The clock that it is compared with is slow.", -c.Age, limit)
	}
}
