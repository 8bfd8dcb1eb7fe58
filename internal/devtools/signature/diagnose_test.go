package signature_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"svcpay/internal/devtools/signature"
)

// sent is an event as webhooks have it: its members in their order, <, > and & escaped.
const sent = `{"id":"evt_01jq8z6k4t8m2x9v5c7b1n3d0f","object":"event","type":"charge.captured","timestamp":"2026-12-01T09:00:00.000Z","sequence":7,` +
	`"application_id":12,"merchant_id":3,"livemode":false,"api_version":"2026-12-01","request":{"id":null,"source":"job"},` +
	`"data":{"object":{"id":"ch_1","fees":[{"fee":"capture_fee","rate":2.50}],"amount":12500,"object":"charge","metadata":{"a":"1","b":"2","aa":"3"},` +
	`"description":"Grüße \u003c100 €\u003e \u0026 a \"quote\""},"previous_attributes":{"status":"authorized","version":1}}}`

const eventID = "evt_01jq8z6k4t8m2x9v5c7b1n3d0f"

// Secrets, of which the first signs.
const (
	ours   = "whsec_bm90IGEgc2VjcmV0IGJ1dCBhIHRleHQgb2YgMzIgYnk="
	theirs = "whsec_YW5vdGhlciB0ZXh0IHRoYXQgaXMgb2YgMzIgYnl0ZXM="
)

var signedAt = time.Date(2026, 12, 1, 9, 0, 1, 0, time.UTC)

// signed is a delivery of a body; the library of Standard Webhooks signs it.
func signed(t testing.TB, secret, id string, body string) signature.Delivery {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	text, err := hook.Sign(id, signedAt, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return signature.Delivery{
		Header: http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {fmt.Sprint(signedAt.Unix())},
			"Webhook-Signature": {text}}, Body: []byte(body)}
}

func good(t testing.TB) signature.Delivery { return signed(t, ours, eventID, sent) }

// with is a delivery with something changed.
func with(d signature.Delivery, change func(*signature.Delivery)) signature.Delivery {
	d.Header, d.Body = d.Header.Clone(), bytes.Clone(d.Body)
	change(&d)
	return d
}

// bodied is the delivery with another body.
func bodied(t testing.TB, body string) signature.Delivery {
	t.Helper()
	return with(good(t), func(d *signature.Delivery) { d.Body = []byte(body) })
}

// headed is the delivery with another header; an empty one is left out.
func headed(t testing.TB, name, value string) signature.Delivery {
	t.Helper()
	return with(good(t), func(d *signature.Delivery) {
		d.Header.Set(name, value)
		if value == "" {
			d.Header.Del(name)
		}
	})
}

// encodedAgain reads and writes the event as a program does that keeps no order of members.
func encodedAgain(t testing.TB, write func(any) ([]byte, error)) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(sent), &v); err != nil {
		t.Fatal(err)
	}
	text, err := write(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pretty(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(sent), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func raw(t testing.TB) []byte {
	t.Helper()
	code, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(good(t).Header.Get("Webhook-Signature"), "v1,"))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// python is the text as json.dumps of Python writes it.
func python() string {
	spaced := strings.NewReplacer(`":`, `": `, `,"`, `, "`, `ü`, `\u00fc`, `ß`, `\u00df`, `€`, `\u20ac`, `\u003c`, `<`,
		`\u003e`, `>`, `\u0026`, `&`)
	return spaced.Replace(sent)
}

// javascript is the text as JSON.stringify writes it.
func javascript() string {
	return strings.NewReplacer(`\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`).Replace(sent)
}

func TestDiagnosis(t *testing.T) {
	t.Parallel()
	const (
		hm, hf = signature.HeaderMissing, signature.HeaderMalformed
		sm, sw = signature.SecretMalformed, signature.SecretWrong
		br, bc = signature.BodyReserialized, signature.BodyChanged
		co, cn = signature.ClockOld, signature.ClockNew
	)
	now := signedAt.Add(3 * time.Second)
	expected := func(change func(*signature.Expected)) signature.Expected {
		e := signature.Expected{Secrets: []string{ours}, Now: now}
		if change != nil {
			change(&e)
		}
		return e
	}
	secrets := func(s ...string) signature.Expected {
		return expected(func(e *signature.Expected) { e.Secrets = s })
	}
	original := func(text string, s ...string) signature.Expected {
		return expected(func(e *signature.Expected) { e.Original, e.Secrets = []byte(text), append(s, ours)[:1] })
	}
	later := func(d time.Duration) signature.Expected {
		return expected(func(e *signature.Expected) { e.Now = signedAt.Add(d) })
	}
	changed := strings.Replace(sent, "12500", "12501", 1)
	seen := map[signature.Kind]bool{}
	for name, c := range map[string]struct {
		d    signature.Delivery
		e    signature.Expected
		want []signature.Kind
		says string
	}{
		"as it was sent":                {good(t), expected(nil), nil, ""},
		"by one of two":                 {good(t), secrets(theirs, ours), nil, ""},
		"two signatures of a rotation":  {headed(t, "Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))+" "+good(t).Header.Get("Webhook-Signature")), expected(nil), nil, ""},
		"a signature of a later scheme": {headed(t, "Webhook-Signature", "v1a,abc "+good(t).Header.Get("Webhook-Signature")), expected(nil), nil, ""},
		"five minutes later":            {good(t), later(5 * time.Minute), nil, ""},
		"what is no event":              {signed(t, ours, "msg_1", "hello"), expected(nil), nil, ""},

		"no id":                         {headed(t, "Webhook-Id", ""), expected(nil), []signature.Kind{hm}, "webhook-id"},
		"no header at all":              {with(good(t), func(d *signature.Delivery) { d.Header = nil }), expected(nil), []signature.Kind{hm, hm, hm}, ""},
		"no time":                       {headed(t, "Webhook-Timestamp", "yesterday"), expected(nil), []signature.Kind{hf}, "not a number"},
		"milliseconds":                  {headed(t, "Webhook-Timestamp", fmt.Sprint(signedAt.UnixMilli())), expected(nil), []signature.Kind{hf}, "seconds since"},
		"a signature that was cut":      {headed(t, "Webhook-Signature", "v1,abc="), expected(nil), []signature.Kind{hf}, "of the form"},
		"an asymmetric signature alone": {headed(t, "Webhook-Signature", "v1a,"+base64.StdEncoding.EncodeToString(raw(t))), expected(nil), []signature.Kind{hf}, "of the form"},
		"without its version":           {headed(t, "Webhook-Signature", base64.StdEncoding.EncodeToString(raw(t))), expected(nil), []signature.Kind{hf}, "of the form"},

		"another secret":                      {good(t), secrets(theirs), []signature.Kind{sw}, "signed with a different secret"},
		"another secret, the event known":     {good(t), original(sent, theirs), []signature.Kind{sw}, "signed this event"},
		"another secret, of what is no event": {signed(t, ours, "msg_1", "{}"), secrets(theirs), []signature.Kind{sw}, "signed with a different secret"},
		"the secret of svcpay listen": {good(t), expected(func(e *signature.Expected) {
			e.Secrets, e.Others = []string{theirs}, []signature.Other{{Name: "svcpay listen", Secret: ours}}
		}), []signature.Kind{sw}, "secret of svcpay listen"},
		"a secret of production": {good(t), expected(func(e *signature.Expected) {
			e.Secrets, e.Others = []string{theirs}, []signature.Other{{"production", ours}}
		}), []signature.Kind{sw}, "secret of production"},
		"an API key":                            {good(t), secrets("sk_sandbox_abc"), []signature.Kind{sm}, "API key"},
		"a secret that was cut":                 {good(t), secrets(ours[:len(ours)-2]), []signature.Kind{sm}, "base64"},
		"a secret without its prefix":           {good(t), secrets(ours[6:]), []signature.Kind{sm}, "whsec_"},
		"a secret with a line end":              {good(t), secrets(ours + "\n"), []signature.Kind{sm}, "white space"},
		"a malformed secret beside a right one": {good(t), secrets("x", ours), []signature.Kind{sm}, "Secret 1"},

		"written by JSON.stringify":          {bodied(t, javascript()), expected(nil), []signature.Kind{br}, "encoded again"},
		"written by json.dumps":              {bodied(t, python()), expected(nil), []signature.Kind{sw}, "changed"},
		"written by json.dumps, event known": {bodied(t, python()), original(sent), []signature.Kind{br}, "encoded again"},
		"written with white space":           {bodied(t, pretty(t)), expected(nil), []signature.Kind{br}, "encoded again"},
		"a line end more":                    {bodied(t, sent+"\n"), expected(nil), []signature.Kind{br}, "White space was added"},
		"a line end less":                    {with(signed(t, ours, eventID, sent+"\n"), func(d *signature.Delivery) { d.Body = []byte(sent) }), expected(nil), []signature.Kind{br}, "White space was added"},
		// 2.50 becomes 2.5
		"written from a map of Go, event known": {bodied(t, encodedAgain(t, json.Marshal)), original(sent), []signature.Kind{br}, "encoded again"},
		"in another order":                      {bodied(t, reordered(`"type":"charge.captured",`, `"id":"evt_`)), expected(nil), []signature.Kind{sw}, "changed"},
		"in another order, event known":         {bodied(t, reordered(`"amount":12500,`, `"id":"ch_1",`)), original(sent), []signature.Kind{br}, "encoded again"},
		"encoded again, another secret":         {bodied(t, javascript()), secrets(theirs), []signature.Kind{sw}, ""},
		"encoded again, secret, event known":    {bodied(t, javascript()), original(sent, theirs), []signature.Kind{sw}, ""},
		"a changed amount, event known":         {bodied(t, changed), original(sent), []signature.Kind{bc}, "differs from the event"},
		"a changed amount":                      {bodied(t, changed), expected(nil), []signature.Kind{sw}, "changed"},
		"changed, another secret":               {bodied(t, changed), original(sent, theirs), []signature.Kind{sw}, ""},
		"nothing":                               {bodied(t, ""), expected(nil), []signature.Kind{bc}, "empty"},
		"half of it":                            {bodied(t, sent[:100]), expected(nil), []signature.Kind{bc}, "not JSON"},
		"a form":                                {bodied(t, "id=evt_1&type=x"), original(sent), []signature.Kind{bc}, "differs"},

		"too old":            {good(t), later(5*time.Minute + time.Second), []signature.Kind{co}, "5m1s ago"},
		"too new":            {good(t), later(-5*time.Minute - time.Second), []signature.Kind{cn}, "5m1s from now"},
		"old for less":       {good(t), expected(func(e *signature.Expected) { e.Tolerance = 2 * time.Second }), []signature.Kind{co}, "3s ago"},
		"old, and by others": {good(t), expected(func(e *signature.Expected) { e.Secrets, e.Now = []string{theirs}, now.Add(time.Hour) }), []signature.Kind{sw, co}, ""},
	} {
		v := signature.Diagnose(c.d, c.e)
		var got []signature.Kind
		all := ""
		for _, m := range v.Mistakes {
			got, all = append(got, m.Kind), all+m.Text+"\n"
			seen[m.Kind] = true
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || !strings.Contains(all, c.says) {
			t.Errorf("%s: %v, want %v\n%s", name, got, c.want, all)
		}
		if strings.Contains(all, "bm90IGEg") || strings.Contains(all, "YW5vdGhlci") {
			t.Errorf("%s: a secret is told: %s", name, all)
		}
	}
	for _, k := range signature.Kinds() {
		if !seen[k] {
			t.Errorf("no row makes the mistake %s", k)
		}
	}
}

// reordered is the event with a member moved before another.
func reordered(moved, before string) string {
	return strings.Replace(strings.Replace(sent, moved, "", 1), before, moved+before, 1)
}

// A verdict says which of the secrets signed.
func TestSecretsAreNumbered(t *testing.T) {
	t.Parallel()
	for number, secrets := range [][]string{{theirs}, {ours, theirs}, {theirs, ours}} {
		v := signature.Diagnose(good(t), signature.Expected{Secrets: secrets, Now: signedAt.Add(time.Minute)})
		if v.Secret != number || v.Age != time.Minute {
			t.Errorf("%+v, want %d", v, number)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	a, b := signature.NewSecret(), signature.NewSecret()
	if a.Text() == b.Text() || len(a.Text()) != len("whsec_")+44 {
		t.Errorf("%s, %s", a.Text(), b.Text())
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, a); strings.Contains(text, a.Text()) {
			t.Errorf("%s prints %s", format, text)
		}
	}
	again, err := signature.SecretOf(a.Text())
	if err != nil {
		t.Fatal(err)
	}
	h, err := again.Sign("evt_1", signedAt, []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	hook, err := standardwebhooks.NewWebhook(a.Text())
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.VerifyIgnoringTimestamp([]byte("hello"), h); err != nil {
		t.Error(err)
	}
}

// TestEncodingAgainIsFound encodes any event again, with any white space.
func TestEncodingAgainIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 20, 60)
		value := rapid.OneOf(text.AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(),
			rapid.SliceOfN(text, 0, 3).AsAny(), rapid.MapOfN(text, text, 0, 3).AsAny())
		body, err := json.Marshal(rapid.MapOfN(text, value, 0, 6).Draw(t, "object"))
		if err != nil {
			t.Fatal(err)
		}
		hook, err := standardwebhooks.NewWebhook(ours)
		if err != nil {
			t.Fatal(err)
		}
		code, err := hook.Sign(eventID, signedAt, body)
		if err != nil {
			t.Fatal(err)
		}
		d := signature.Delivery{
			Header: http.Header{"Webhook-Id": {eventID}, "Webhook-Timestamp": {fmt.Sprint(signedAt.Unix())},
				"Webhook-Signature": {code}}, Body: body}
		e := signature.Expected{Secrets: []string{ours}, Now: signedAt}
		if v := signature.Diagnose(d, e); len(v.Mistakes) > 0 {
			t.Fatalf("as it was sent: %+v", v)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, body, rapid.StringMatching(` *`).Draw(t, "prefix"), "\t"); err != nil {
			t.Fatal(err)
		}
		d.Body = append(out.Bytes(), ' ')
		if v := signature.Diagnose(d, e); len(v.Mistakes) != 1 || v.Mistakes[0].Kind != signature.BodyReserialized {
			t.Fatalf("%s: %+v", d.Body, v)
		}
	})
}

func FuzzDiagnose(f *testing.F) {
	d := good(f)
	f.Add(d.Header.Get("Webhook-Id"), d.Header.Get("Webhook-Timestamp"), d.Header.Get("Webhook-Signature"), ours,
		[]byte(sent), []byte(sent))
	f.Add("", "1", "v1,", "whsec_", []byte(`{"data":[[]]}`), []byte(`{"a":{}}`))
	f.Fuzz(func(t *testing.T, id, at, code, secret string, body, original []byte) {
		d := signature.Delivery{
			Header: http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {at}, "Webhook-Signature": {code}}, Body: body}
		v := signature.Diagnose(d, signature.Expected{Secrets: []string{secret}, Original: original, Now: signedAt})
		hook, err := standardwebhooks.NewWebhook(secret)
		believed := err == nil && hook.VerifyIgnoringTimestamp(body, d.Header) == nil
		if fine := len(v.Mistakes) == 0; fine && !believed {
			t.Errorf("%q %q %q %q is believed", id, at, code, body)
		}
		for _, m := range v.Mistakes {
			if m.Text == "" || !slices.Contains(signature.Kinds(), m.Kind) {
				t.Errorf("%+v", m)
			}
		}
	})
}
