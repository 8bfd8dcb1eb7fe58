package signature

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is a stable code of a mistake.
type Kind string

// The mistakes that make a signature invalid.
const (
	HeaderMissing    Kind = "header_missing"
	HeaderMalformed  Kind = "header_malformed"
	SecretMalformed  Kind = "secret_malformed"
	SecretWrong      Kind = "secret_wrong"      // signed with a secret that is not among the expected ones
	BodyReserialized Kind = "body_reserialized" // the same JSON in other bytes
	BodyChanged      Kind = "body_changed"      // other JSON, no JSON, or nothing
	ClockOld         Kind = "clock_too_old"
	ClockNew         Kind = "clock_too_new"
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{HeaderMissing, HeaderMalformed, SecretMalformed, SecretWrong, BodyReserialized, BodyChanged,
		ClockOld, ClockNew}
}

// Mistake is a reason why a signature is invalid, with what to do about it.
type Mistake struct {
	Kind Kind
	Text string
}

// Delivery is what a receiver got.
type Delivery struct {
	Header http.Header
	Body   []byte // byte for byte
}

// Other is a secret that should not have signed, such as that of another endpoint, with a name for people.
type Other struct {
	Name   string
	Secret string
}

// Expected is what a delivery is compared with.
type Expected struct {
	Secrets  []string // one of them should have signed
	Others   []Other
	Original []byte // the event as the API returns it; nil if unknown
	Now      time.Time
	// Tolerance is how far the time of signing may be from Now; 0: [Tolerance].
	Tolerance time.Duration
}

// Verdict is the result. Without mistakes the delivery is genuine.
type Verdict struct {
	Secret   int           // which of the expected secrets signed, from 1; 0: none did
	Age      time.Duration // from signing until now
	Mistakes []Mistake
}

func (v *Verdict) add(k Kind, format string, args ...any) {
	v.Mistakes = append(v.Mistakes, Mistake{k, fmt.Sprintf(format, args...)})
}

// Diagnose checks the signature of a delivery. If it is invalid, the verdict names the common mistake that explains it.
func Diagnose(d Delivery, e Expected) (v Verdict) {
	at, ok := v.headers(d.Header)
	if !ok {
		return v
	}
	if signers := v.signers(e); len(signers) > 0 {
		v.attribute(d, e.Original, signers)
	}
	v.clock(at, e)
	return v
}

// lastSecond is larger than any time of signing in seconds, and smaller than any in milliseconds.
const lastSecond = 100_000_000_000

// headers checks the form of the three headers and reads the time of signing.
func (v *Verdict) headers(h http.Header) (at time.Time, ok bool) {
	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		if h.Get(name) == "" {
			v.add(HeaderMissing,
				"The header %s is missing. A proxy or a framework may have removed it, or another sender made the request.", name)
		}
	}
	if len(v.Mistakes) > 0 {
		return at, false
	}
	seconds, err := strconv.ParseInt(h.Get(HeaderTimestamp), 10, 64)
	if err != nil || seconds < 0 || seconds > lastSecond {
		v.add(HeaderMalformed, "%s is not a number of seconds since 1970.", HeaderTimestamp)
	}
	if !slices.ContainsFunc(strings.Fields(h.Get(HeaderSignature)), wellFormed) {
		v.add(HeaderMalformed, "%s has no signature of the form %s,base64 of 32 bytes.", HeaderSignature, version)
	}
	return time.Unix(seconds, 0), len(v.Mistakes) == 0
}

// wellFormed reports whether a text has the form of a signature.
func wellFormed(signature string) bool {
	encoded, ok := strings.CutPrefix(signature, version+",")
	code, err := base64.StdEncoding.DecodeString(encoded)
	return ok && err == nil && len(code) == sha256.Size
}

// signer is a secret that may have signed.
type signer struct {
	Secret
	number int    // among the expected secrets; 0 for another
	name   string // of another
}

// signers reads the secrets.
func (v *Verdict) signers(e Expected) (out []signer) {
	for i, text := range e.Secrets {
		s, err := SecretOf(text)
		if err != nil {
			v.add(SecretMalformed, "Secret %d is malformed: %v.", i+1, err)
			continue
		}
		out = append(out, signer{Secret: s, number: i + 1})
	}
	for _, o := range e.Others {
		s, err := SecretOf(o.Secret)
		if err != nil {
			v.add(SecretMalformed, "The secret of %s is malformed: %v.", o.Name, err)
			continue
		}
		out = append(out, signer{Secret: s, name: o.Name})
	}
	return out
}

// candidate is a body that may have been signed, with the mistake if it was.
type candidate struct {
	body []byte
	kind Kind // "" for the body as it arrived
	text string
}

const untouched = "Verify the bytes of the request as they arrive, before anything parses them."

// candidates lists what may have been signed, the smallest mistakes first.
func candidates(body, original []byte) []candidate {
	const ends = "White space was added at the end of the body, or removed from it. " + untouched
	out := []candidate{
		{body, "", ""},
		{bytes.TrimSpace(body), BodyReserialized, ends},
		{append(slices.Clone(body), '\n'), BodyReserialized, ends},
	}
	const encoded = "The body was parsed and encoded again. " + untouched
	var compact, escaped bytes.Buffer
	if json.Compact(&compact, body) == nil {
		json.HTMLEscape(&escaped, compact.Bytes()) // as events are encoded
		out = append(out, candidate{escaped.Bytes(), BodyReserialized, encoded})
	}
	switch {
	case original == nil:
	case sameJSON(body, original):
		out = append(out, candidate{bytes.TrimSpace(original), BodyReserialized, encoded})
	default:
		out = append(out,
			candidate{bytes.TrimSpace(original), BodyChanged, "The body differs from the event that was sent. " +
				untouched})
	}
	return out
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// attribute finds the secret and the body that give the signature.
func (v *Verdict) attribute(d Delivery, original []byte, signers []signer) {
	for _, c := range candidates(d.Body, original) {
		for _, s := range signers {
			if s.hook.VerifyIgnoringTimestamp(c.body, d.Header) != nil {
				continue
			}
			if v.Secret = s.number; s.number == 0 {
				v.add(SecretWrong, "It was signed with the secret of %s, which is not one of yours.", s.name)
			}
			if c.kind != "" {
				v.add(c.kind, "%s", c.text)
			}
			return
		}
	}
	switch {
	case len(bytes.TrimSpace(d.Body)) == 0:
		v.add(BodyChanged, "The body is empty: something read it before. Keep the bytes of the request as they arrive.")
	case !json.Valid(d.Body):
		v.add(BodyChanged,
			"The body is not JSON, which every event is: it was decoded, truncated, or belongs to another request.")
	case original == nil:
		v.add(SecretWrong,
			"None of the given secrets signed this body. It was signed with a different secret (each endpoint has its own, and so does svcpay listen), or the body was changed.")
	default:
		v.add(SecretWrong,
			"None of the given secrets signed this event. Each endpoint has its own secret, and so does svcpay listen.")
	}
}

// clock compares the time of signing with now.
func (v *Verdict) clock(at time.Time, e Expected) {
	limit := cmp.Or(e.Tolerance, Tolerance)
	age := e.Now.Sub(at)
	v.Age = age.Round(time.Second)
	switch {
	case age > limit:
		v.add(ClockOld,
			"It was signed %s ago, more than %s. If it has just arrived, the clock here is fast or the delivery was delayed; each retry has a new time.", v.Age, limit)
	case -age > limit:
		v.add(ClockNew, "It was signed %s from now, more than %s. The clock here is slow.", -v.Age, limit)
	}
}
