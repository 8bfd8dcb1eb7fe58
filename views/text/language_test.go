package text

import (
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/money"
)

func TestLanguagesByTag(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]Language{"": "en", "en-GB": "en", "ES": "es", "es-MX": "es", "fr-FR": "fr",
		"fr-ca": "fr-CA", "de": "en", "de-AT,de;q=0.9, fr;q=0.8": "fr", "*": "en", "fr_CA": "en"} {
		if got := LanguageOf(tags); got != want {
			t.Errorf("%q is %s, want %s", tags, got, want)
		}
	}
}

func TestDollarsInEveryLanguage(t *testing.T) {
	t.Parallel()
	for language, want := range map[Language][3]string{
		"en":    {"$1,250", "$12.50", "-$1,250"},
		"es":    {"$1,250", "$12.50", "-$1,250"},
		"fr":    {"1\u202f250\u00a0$US", "12,50\u00a0$US", "-1\u202f250\u00a0$US"},
		"fr-CA": {"1\u00a0250\u00a0$\u00a0US", "12,50\u00a0$\u00a0US", "-1\u00a0250\u00a0$\u00a0US"},
	} {
		if got := [3]string{language.Dollars(125_000), language.Dollars(1_250),
			language.Dollars(-125_000)}; got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := money.Amount(rapid.Int64Range(0, 99_999_999).Draw(t, "amount"))
		l := rapid.SampledFrom(ModalLanguages()).Draw(t, "language")
		for _, written := range []string{l.Dollars(a), l.Digits(a)} {
			if back, err := money.ParseDecimal(l.Typed(written)); err != nil || back != a {
				t.Fatalf("%s: %d is written %q and read as %d, %v", l, a, written, back, err)
			}
		}
	})
}

// No amount is read as a hundred or a thousand times what was meant.
func TestTypedAmounts(t *testing.T) {
	t.Parallel()
	const none = money.Amount(-1)
	for typed, want := range map[string]map[Language]money.Amount{
		"1250":     {"en": 125_000, "es": 125_000, "fr": 125_000, "fr-CA": 125_000},
		"1,250":    {"en": 125_000, "es": 125_000, "fr": none, "fr-CA": none},
		"1.250":    {"en": none, "es": none, "fr": none, "fr-CA": none},
		"1 250":    {"en": none, "es": none, "fr": 125_000, "fr-CA": 125_000},
		"12,50":    {"en": none, "es": 1_250, "fr": 1_250, "fr-CA": 1_250},
		"12.50":    {"en": 1_250, "es": 1_250, "fr": 1_250, "fr-CA": 1_250},
		"1,250.00": {"en": 125_000, "es": 125_000, "fr": 125_000, "fr-CA": 125_000},
		"1.250,00": {"en": none, "es": none, "fr": none, "fr-CA": none},
		"125 $ US": {"en": none, "es": none, "fr": 12_500, "fr-CA": 12_500},
		"$125":     {"en": 12_500, "es": 12_500, "fr": 12_500, "fr-CA": 12_500},
		"1,2,3":    {"en": none, "es": none, "fr": none, "fr-CA": none},
	} {
		for language, amount := range want {
			got, err := money.ParseDecimal(language.Typed(typed))
			if err != nil {
				got = none
			}
			if got != amount {
				t.Errorf("%q in %s is read as %d, want %d", typed, language, got, amount)
			}
		}
	}
}
