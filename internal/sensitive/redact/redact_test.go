package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/sensitive/redact"
)

func TestText(t *testing.T) {
	t.Parallel()
	secret := "sk_sandbox_" + strings.Repeat("aB3", 12)
	for text, want := range map[string]string{
		"4242424242424242":                              "[redacted]",
		"card 4242 4242 4242 4242.":                     "card [redacted].",
		"card 4242-4242-4242-4242":                      "card [redacted]",
		"3782 822463 10005":                             "[redacted]",
		`{"n":"378282246310005"}`:                       `{"n":"[redacted]"}`,
		"at 1700000000 4242424242424242 seen":           "at 1700000000 [redacted] seen",
		"at 1700000000 4242 4242 4242 4242 seen":        "at 1700000000 [redacted] seen",
		"two: 4242424242424242,5555555555554444":        "two: [redacted],[redacted]",
		"4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2":               "[redacted]",
		"4242 4242 4242 4242 12/30 123":                 "[redacted] 12/30 123",
		"４２４２\u00a0٤٢٤٢.4242--4242 ok":                  "[redacted] ok",
		"9405 5112 0620 1002 6924 61":                   "9405 5112 0620 1002 6924 61",
		"7992739871300000000 1234567812345670":          "7992739871300000000 1234567812345670",
		"4242424242424241":                              "4242424242424241",
		"amount 99999999 id 12345678901":                "amount 99999999 id 12345678901",
		"key " + secret + ", x":                         "key [redacted], x",
		"pk_production_abc rk_sandbox_abc":              "[redacted] [redacted]",
		"cs_" + strings.Repeat("x-_9", 10):              "[redacted]",
		"whsec_c2VjcmV0+/=":                             "[redacted]",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f cs_short task_1": "ch_01jq8z6k4t8m2x9v5c7b1n3d0f cs_short task_1",
	} {
		if got := redact.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// cardNumbers are those of every test case, as people and programs write them.
func cardNumbers() (out []string) {
	for _, c := range sandbox.Cases() {
		if n := c.Number; len(n) >= 13 {
			out = append(out, n, strings.Join([]string{n[:4], n[4:8], n[8:12], n[12:]}, " "),
				strings.Join([]string{n[:4], n[4:8], n[8:12], n[12:]}, "-"))
		}
	}
	return out
}

func TestJSONHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{ "amount" : 12500, "token":"tok_01jq8z6k4t8m2x9v5c7b1n3d0f" }`: `{"amount":12500,"token":"tok_01jq8z6k4t8m2x9v5c7b1n3d0f"}`,
		`{"card":{"number":"4242","cvc":"123","exp_month":8}}`:           `{"card":{"number":"[redacted]","cvc":"[redacted]","exp_month":8}}`,
		`{"cvc":123,"Security-Code":["1","2"],"secret":{"a":1}}`:         `{"cvc":"[redacted]","Security-Code":"[redacted]","secret":"[redacted]"}`,
		`{"account_number":null,"accountNumber":"1"}`:                    `{"account_number":"[redacted]","accountNumber":"[redacted]"}`,
		`{"note":"paid with 4242 4242 4242 4242","n":4242424242424242}`:  `{"note":"paid with [redacted]","n":"[redacted]"}`,
		`{"4242424242424242":1,"4000000000000002":2}`:                    `{"[redacted]":1,"[redacted]":2}`,
		`["sk_sandbox_abc",true,null,1e3]`:                               `["[redacted]",true,null,1e3]`,
		`{"a":1,"a":2}`:                                                  `{"a":1,"a":2}`,
		`"x"`:                                                            `"x"`,
		`{"a":[4242,4242,4242,4242]}`:                                    `"[redacted]"`,
		`{"metadata":{"campaign":"spring","panel":"A","pinned":"b"}}`:    `{"metadata":{"campaign":"spring","panel":"A","pinned":"b"}}`,
	} {
		if got, ok := redact.JSON([]byte(body)); !ok || got != want {
			t.Errorf("%s becomes %s, %v", body, got, ok)
		}
	}
	for _, body := range []string{"", " ", "{", `{"a":}`, "cvc=123", `{"cvc":`, `{"a":1}}`, "{]"} {
		if got, ok := redact.JSON([]byte(body)); ok {
			t.Errorf("%q is taken for JSON: %s", body, got)
		}
	}
}

// Wherever in a body a card number stands, and however it is written, it goes; the rest stays.
func TestNoCardNumberIsLeftInJSON(t *testing.T) {
	t.Parallel()
	numbers := cardNumbers()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom(numbers).Draw(t, "number")
		before, after := rapid.StringMatching(`[a-z .,:]{0,9}`).Draw(t,
			"before"), rapid.StringMatching(`[a-z .,:]{0,9}`).Draw(t, "after")
		name := rapid.SampledFrom([]string{"description", "metadata", "x", "number"}).Draw(t, "name")
		body, err := json.Marshal(map[string]any{
			name: []any{before + number + after, map[string]string{before + number + after: "kept"}}, "amount": 12500})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := redact.JSON(body)
		if !ok || strings.Contains(got, number) || !strings.Contains(got, "12500") || !json.Valid([]byte(got)) {
			t.Errorf("%s becomes %s", body, got)
		}
	})
}

// What package sensitive takes for a card number, no text keeps.
func TestNoCardNumberIsLeftInText(t *testing.T) {
	t.Parallel()
	numbers := cardNumbers()
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.StringMatching(`[0-9a-z -]{0,12}`)
		digits := strings.Split(strings.NewReplacer(" ", "", "-",
			"").Replace(rapid.SampledFrom(numbers).Draw(t, "number")), "")
		for i := 1; i < len(digits); i++ {
			digits[i] = rapid.SampledFrom([]string{"", "", "", " ", "-"}).Draw(t, "between") + digits[i]
		}
		text := around.Draw(t, "before") + strings.Join(digits, "") + around.Draw(t, "after")
		if got := redact.Text(text); sensitive.HoldsPAN(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func TestQueryHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                               "",
		"status=captured,failed&limit=5": "status=captured,failed&limit=5",
		"created_at%5Bgte%5D=2026-12-01T00%3A00%3A00Z": "created_at%5Bgte%5D=2026-12-01T00%3A00%3A00Z",
		"email=dana%40example.org&last4=4242":          "email=dana%40example.org&last4=4242",
		"card=4242424242424242":                        "card=[redacted]",
		"q=4242+4242+4242+4242":                        "q=[redacted]",
		"q=%34242424242424242":                         "q=[redacted]",
		"4242424242424242":                             "[redacted]=",
		"cvc=123&api_key=x":                            "cvc=[redacted]&api_key=[redacted]",
		"%zz=1&a=1":                                    "[redacted]&a=1",
		"q=%D9%A42%D9%A42+4242%C2%A04242-4242":         "q=[redacted]",
		"4242&4242&4242&4242":                          "[redacted]",
	} {
		if got := redact.Query(raw); got != want {
			t.Errorf("%s becomes %s, want %s", raw, got, want)
		}
	}
	for _, n := range cardNumbers() {
		if got := redact.Query(fmt.Sprintf("q=%s&metadata[%s]=1", strings.ReplaceAll(n, " ", "+"),
			strings.ReplaceAll(n, " ", "%20"))); strings.Contains(got, n[:4]) {
			t.Errorf("%s is left in %s", n, got)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, body := range []string{`{"a":[1,{"cvc":"1"}]}`, `{"n":"4242424242424242"}`, "{\"\xff\":1}", `[[[]]]`,
		`{"a":1,"a":2}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, ok := redact.JSON(body)
		if !ok {
			return
		}
		again, ok := redact.JSON([]byte(got))
		if !ok || again != got {
			t.Errorf("%q becomes %q, and that %q", body, got, again)
		}
	})
}
