package apikey

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeyTextSurvives(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		env := rapid.SampledFrom([]Environment{Sandbox, Production}).Draw(t, "environment")
		text := newText(kind, env)
		k, err := parseText(text)
		if err != nil || k != (keyText{kind, env, text}) || seen[text] ||
			!strings.HasPrefix(text, prefixes[kind]+"_"+string(env)+"_") {
			t.Fatalf("%s parses to %+v, %v", text, k, err)
		}
		if k.last4() != text[len(text)-4:] || IsPrivate(text) == (kind == Public) {
			t.Fatalf("%s ends in %s, private: %v", text, k.last4(), IsPrivate(text))
		}
		seen[text] = true
		i := rapid.IntRange(0, len(text)-1).Draw(t, "position")
		c := rapid.SampledFrom([]byte(base62+"_ ")).Draw(t, "character")
		if spoiled := text[:i] + string(c) + text[i+1:]; spoiled != text {
			if k, err := parseText(spoiled); err == nil {
				t.Fatalf("%s with one other character is taken for %+v", text, k)
			}
		}
	})
}

func TestKeyTextRefuses(t *testing.T) {
	t.Parallel()
	good := newText(Secret, Sandbox)
	other := func(head string) string { return head + checksum(head) } // right in its checksum
	random := strings.Repeat("a", randomLength)
	for name, text := range map[string]string{
		"nothing": "", "two parts": "sk_sandbox", "four parts": good + "_x", "cut": good[:len(good)-1],
		"longer":         good + "0",
		"another prefix": other("xk_sandbox_" + random), "another environment": other("sk_staging_" + random),
		"too little randomness": other("sk_sandbox_" + random[1:]), "blank": strings.Repeat(" ", len(good)),
	} {
		if k, err := parseText(text); err == nil {
			t.Errorf("%s: %q is taken for %+v", name, text, k)
		}
	}
}
