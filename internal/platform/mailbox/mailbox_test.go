package mailbox_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"

	"svcpay/internal/platform/mailbox"
)

func TestEveryFormOfAnAddressIsTheSame(t *testing.T) {
	t.Parallel()
	for want, forms := range map[string][]string{
		"dana@xn--bcher-kva.example": {"dana@bücher.example", "dana@BÜCHER.example", "dana@XN--BCHER-KVA.Example",
			norm.NFD.String("dana@bücher.example"), "dana@bücher。example", "dana@ｂücher.example"},
		"Dana@example.org":               {"Dana@EXAMPLE.org", "Dana@ｅxample.org"},
		"dana@xn--strae-oqa.example":     {"dana@straße.example"},
		"dana@xn--r8jz45g.xn--zckzah":    {"dana@例え.テスト"},
		"élodie@example.org":             {norm.NFD.String("élodie@example.org")},
		"dana@my_host.example":           {"dana@MY_HOST.example"},
		"dana@xn--mgba3gch31f060k.local": {"dana@نامه\u200cای.local"},
	} {
		for _, form := range append(forms, want) {
			if got := mailbox.Normal(form); got != want {
				t.Errorf("%q is %q, want %q", form, got, want)
			}
			if !mailbox.Valid(form) {
				t.Errorf("%q is refused", form)
			}
		}
	}
}

func TestWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "@", "dana", "dana@", "@example.org", "dana@example.org.", "dana@@example.org",
		"a b@example.org", "dana@exa mple.org",
		"Dana <dana@example.org>", "dana@xn--a.example", "dana@" + strings.Repeat("ü", 64) + ".example",
		strings.Repeat("d", 250) + "@x.org", "dana@bücher.example\n", "dana\x00@example.org",
		"dana@exa\u2024\u2024mple.ü", "da\xffna@example.org", `"dana reed"@example.org`} {
		if mailbox.Valid(text) {
			t.Errorf("%q is an address", text)
		}
		if got := mailbox.Normal(text); mailbox.Valid(got) {
			t.Errorf("%q becomes the address %q", text, got)
		}
	}
}

func TestMailGoesToLocalPartsOfASCII(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"dana@bücher.example": true, "o'neil+tag@example.org": true,
		"élodie@example.org": false, "用户@例え.テスト": false} {
		if got := mailbox.Deliverable(address); got != want || !mailbox.Valid(address) {
			t.Errorf("%s: %t", address, got)
		}
	}
}

// A domain of each letter of Unicode that may be in one is the same in every form in which a person can give it.
func TestDomainsOfAllLetters(t *testing.T) {
	t.Parallel()
	seen := 0
	rangetable.Visit(rangetable.Merge(unicode.L, unicode.N), func(r rune) {
		// thousands alike
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Yi, unicode.Egyptian_Hieroglyphs) && r%32 != 0 {
			return
		}
		text := "Dana@" + string(r) + ".example"
		if !mailbox.Valid(text) { // unassigned or not for names of hosts
			return
		}
		seen++
		address := mailbox.Normal(text)
		for _, form := range []string{address, mailbox.Shown(address), norm.NFD.String(mailbox.Shown(address)),
			strings.ToUpper(address[5:])} {
			if !strings.Contains(form, "@") {
				form = "Dana@" + form
			}
			if got := mailbox.Normal(form); got != address {
				t.Errorf("%U: %q is %q, not %q", r, form, got, address)
			}
		}
		if strings.ContainsFunc(address, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("%U: %q is not ASCII", r, address)
		}
	})
	if seen < 20_000 {
		t.Errorf("%d letters", seen)
	}
}

func TestFormsThatATextMayHave(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Dana@BÜCHER.example": "Dana@xn--bcher-kva.example Dana@bücher.example",
		"dana@example.org": "dana@example.org",
		"Bücher":           "Bücher"} {
		if got := strings.Join(mailbox.Forms(text), " "); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzNormal(f *testing.F) {
	for _, text := range []string{"dana@bücher.example", "a@b", "@", "dana@xn--a.example", "dana@例え.テスト",
		"d@\u200c.example", "a@b@c.ü", "d@℀.example"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address := mailbox.Normal(text)
		if again := mailbox.Normal(address); again != address {
			t.Errorf("%q is %q, which is %q", text, address, again)
		}
		if mailbox.Valid(text) != mailbox.Valid(address) {
			t.Errorf("%q and %q are not the same", text, address)
		}
		if shown := mailbox.Shown(address); mailbox.Normal(shown) != address {
			t.Errorf("%q is shown as %q, which is %q", address, shown, mailbox.Normal(shown))
		}
		if _, domain, _ := strings.Cut(address, "@"); mailbox.Valid(text) &&
			strings.ContainsFunc(domain, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("%q is %q", text, address)
		}
	})
}
