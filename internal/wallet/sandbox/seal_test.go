package sandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/wallet"
)

const visa = "4242424242424242"

var (
	card = Card{Number: sensitive.NewPAN(visa), ExpMonth: 8, ExpYear: 2031, Network: "Visa", Holder: "Dana Reed"}
	sale = Sale{Amount: 12_500, Currency: money.USD, Bound: "merchant:7"}
)

func issuer(t *testing.T) *Issuer {
	t.Helper()
	i, err := Create(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func must(t *testing.T, token []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func wants(t *testing.T, err error, code, why string) {
	t.Helper()
	if !fault.HasCode(err, code) || !strings.Contains(errors.Unwrap(err).Error(), why) {
		t.Errorf("got %v (%v), want %s because of %q", err, errors.Unwrap(err), code, why)
	}
}

// Whatever is sealed is opened, by an issuer that was saved and loaded.
func TestWhatIsSealedOpens(t *testing.T) {
	t.Parallel()
	made := issuer(t)
	i, err := Load(made.Save())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom([]string{visa, "5555555555554444", "2223003122003222", "378282246310005",
			"6011111111111117", "3566002020360505"}).Draw(t, "number")
		c := Card{Number: sensitive.NewPAN(number), ExpMonth: rapid.IntRange(1, 12).Draw(t, "month"),
			ExpYear: rapid.IntRange(2026, 2050).Draw(t, "year"),
			Holder:  rapid.SampledFrom([]string{"", "Zoë Müller", "Dana Reed"}).Draw(t, "holder"),
			Plain:   rapid.Bool().Draw(t, "plain")}
		s := Sale{Amount: money.Amount(rapid.Int64Range(0, int64(money.MaxCharge)).Draw(t, "amount")),
			Currency: rapid.SampledFrom(money.Currencies()).Draw(t, "currency"), Bound: "merchant:7"}
		for name, open := range map[string]func() (wallet.Payment, error){
			"A": func() (wallet.Payment, error) {
				token, err := i.SealA(c, s)
				if err != nil {
					return wallet.Payment{}, err
				}
				return made.A().Open(token, []byte(s.Bound), time.Now())
			},
			"B": func() (wallet.Payment, error) {
				token, err := i.SealB(c, s, time.Now())
				if err != nil {
					return wallet.Payment{}, err
				}
				return made.B().Open(token, s.Bound, time.Now())
			},
		} {
			p, err := open()
			if err != nil {
				t.Fatalf("%s: %v, %v", name, err, errors.Unwrap(err))
			}
			if p.Number.Reveal() != number || p.ExpMonth != c.ExpMonth || p.ExpYear != c.ExpYear || p.ID == "" ||
				seen[p.ID] {
				t.Fatalf("%s: %+v", name, p)
			}
			if device := name == "A" || !c.Plain; device == p.Cryptogram.IsZero() || device == (p.ECI == "") {
				t.Fatalf("%s: a cryptogram is there: %v", name, !p.Cryptogram.IsZero())
			}
			if name == "A" && (p.Amount != s.Amount || p.Currency != s.Currency || p.Holder != c.Holder) {
				t.Fatalf("%+v", p)
			}
			seen[p.ID] = true
		}
	})
}

// member is one text of a token that stands for bytes.
type member struct {
	path []string
	hex  bool
}

// with is a token in which a member's text is another.
func with(t *testing.T, token []byte, path []string, change func(string) string) []byte {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(token, &whole); err != nil {
		t.Fatal(err)
	}
	at := whole
	var outer map[string]any
	for _, name := range path[:len(path)-1] {
		if text, ok := at[name].(string); ok { // JSON within JSON
			inner := map[string]any{}
			if err := json.Unmarshal([]byte(text), &inner); err != nil {
				t.Fatal(err)
			}
			outer, at = at, inner
			continue
		}
		at = at[name].(map[string]any)
	}
	last := path[len(path)-1]
	switch was := at[last].(type) {
	case string:
		at[last] = change(was)
	case []any:
		at[last] = []any{change(was[0].(string))}
	default:
		t.Fatalf("there is no %v", path)
	}
	if outer != nil {
		text, err := json.Marshal(at)
		if err != nil {
			t.Fatal(err)
		}
		outer[path[len(path)-2]] = string(text)
	}
	out, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// flips calls each with the token in which one bit of the member's bytes is another one.
func flips(t *testing.T, token []byte, m member, each func(bit int, token []byte)) {
	t.Helper()
	decode, code := base64.StdEncoding.DecodeString, base64.StdEncoding.EncodeToString
	if m.hex {
		decode, code = hex.DecodeString, hex.EncodeToString
	}
	var b []byte
	with(t, token, m.path, func(text string) string {
		var err error
		if b, err = decode(text); err != nil {
			t.Fatal(err)
		}
		return text
	})
	for bit := range len(b) * 8 {
		changed := bytes.Clone(b)
		changed[bit/8] ^= 1 << (bit % 8)
		each(bit, with(t, token, m.path, func(string) string { return code(changed) }))
	}
}

var (
	signedA = []member{{[]string{"paymentData", "header", "ephemeralPublicKey"}, false},
		{[]string{"paymentData", "header", "publicKeyHash"}, false},
		{[]string{"paymentData", "header", "transactionId"}, true},
		{[]string{"paymentData", "header", "applicationData"}, true}, {[]string{"paymentData", "data"}, false}}
	signatureA = member{[]string{"paymentData", "signature"}, false}
	signedB    = []member{{[]string{"signature"}, false}, {[]string{"intermediateSigningKey", "signatures"}, false},
		{[]string{"intermediateSigningKey", "signedKey", "keyValue"}, false},
		{[]string{"signedMessage", "encryptedMessage"}, false},
		{[]string{"signedMessage", "ephemeralPublicKey"}, false}, {[]string{"signedMessage", "tag"}, false}}
)

func TestEveryFlippedBitIsRefused(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	a, b = must(t, a, err), must(t, b, errB)
	bits := 0
	for _, m := range signedA {
		flips(t, a, m, func(bit int, token []byte) {
			bits++
			if _, err := i.A().Open(token, []byte(sale.Bound), time.Now()); !fault.HasCode(err,
				"wallet_signature_invalid") {
				t.Errorf("wallet A, %s, bit %d: %v", m.path[len(m.path)-1], bit, err)
			}
		})
	}
	for _, m := range signedB {
		flips(t, b, m, func(bit int, token []byte) {
			bits++
			if _, err := i.B().Open(token, sale.Bound, time.Now()); !fault.HasCode(err, "wallet_signature_invalid") {
				t.Errorf("wallet B, %s, bit %d: %v", m.path[len(m.path)-1], bit, err)
			}
		})
	}
	if bits < 5000 {
		t.Errorf("only %d bits were flipped", bits)
	}
}

// The signature of wallet A is neither signed nor encrypted, and has parts that no one reads: a bit flipped in it is
// refused, or changes nothing.
func TestAFlippedBitOfASignatureChangesNothing(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	a, err := i.SealA(card, sale)
	a = must(t, a, err)
	whole, err := i.A().Open(a, []byte(sale.Bound), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	bits, refused := 0, 0
	flips(t, a, signatureA, func(bit int, token []byte) {
		bits++
		p, err := i.A().Open(token, []byte(sale.Bound), time.Now())
		if err != nil {
			refused++
		} else if p.Number.Reveal() != whole.Number.Reveal() || p.ID != whole.ID || p.Amount != whole.Amount {
			t.Errorf("bit %d: %+v", bit, p)
		}
	})
	if refused < bits*9/10 {
		t.Errorf("%d of %d bits are refused", refused, bits)
	}
}

// Bytes have one spelling.
func TestOtherSpellingsAreRefused(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	a, b = must(t, a, err), must(t, b, errB)
	spellings := []func(string) string{
		func(s string) string { return s + "\n" }, func(s string) string { return s[:4] + "\r\n" + s[4:] },
		func(s string) string { return s + "=" }, func(s string) string { return " " + s }, func(s string) string {
			return strings.NewReplacer("+", "-", "/", "_").Replace(s) + "="
		}, stray,
	}
	for _, m := range append(slices.Clone(signedA), signatureA) {
		all := spellings
		if m.hex {
			all = []func(string) string{strings.ToUpper, func(s string) string { return s + "0" },
				func(s string) string { return "0x" + s }}
		}
		for n, spelling := range all {
			_, err := i.A().Open(with(t, a, m.path, spelling), []byte(sale.Bound), time.Now())
			if !fault.HasCode(err, "wallet_signature_invalid") {
				t.Errorf("%v, spelling %d: %v", m.path, n, err)
			}
		}
	}
	for _, m := range signedB {
		for n, spelling := range spellings {
			if _, err := i.B().Open(with(t, b, m.path, spelling), sale.Bound, time.Now()); !fault.HasCode(err,
				"wallet_signature_invalid") {
				t.Errorf("%v, spelling %d: %v", m.path, n, err)
			}
		}
	}
}

// stray sets the bits of the last letter that stand for nothing, or drops the padding.
func stray(s string) string {
	if !strings.HasSuffix(s, "=") {
		return s + "===="
	}
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	bare := strings.TrimRight(s, "=")
	last := strings.IndexByte(letters, bare[len(bare)-1])
	return bare[:len(bare)-1] + string(letters[last^1]) + s[len(bare):]
}
