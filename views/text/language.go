package text

import (
	"regexp"
	"slices"
	"strings"

	"svcpay/internal/money"
)

// Language is one that payers and donors can read in the modals, by its BCP 47 tag. The portal has catalogues.
type Language string

// The languages. Spanish writes numbers as in the United States.
const (
	LanguageEnglish        Language = "en"
	LanguageSpanish        Language = "es"
	LanguageFrench         Language = "fr"
	LanguageCanadianFrench Language = "fr-CA"
)

// ModalLanguages lists the languages, the one for everyone else first.
func ModalLanguages() []Language {
	return []Language{LanguageEnglish, LanguageSpanish, LanguageFrench, LanguageCanadianFrench}
}

// LanguageOf is the language of the first tag that has one, as in the header Accept-Language. A regional language
// without texts of its own is its language, and any other is English.
func LanguageOf(tags string) Language {
	for tag := range strings.SplitSeq(tags, ",") {
		tag, _, _ = strings.Cut(strings.TrimSpace(tag), ";")
		main, _, _ := strings.Cut(tag, "-")
		for _, wanted := range []string{tag, main} {
			i := slices.IndexFunc(ModalLanguages(),
				func(l Language) bool { return strings.EqualFold(string(l), wanted) })
			if i >= 0 {
				return ModalLanguages()[i]
			}
		}
	}
	return LanguageEnglish
}

// French reports whether a language is French, of any region.
func (l Language) French() bool { return l == LanguageFrench || l == LanguageCanadianFrench }

// The spaces of numbers: French groups digits by a narrow one in France, and by a full one in Canada.
const (
	space       = "\u00a0"
	narrowSpace = "\u202f"
)

// Dollars writes an amount of US dollars, without cents if there are none: $1,250 in English and Spanish, 1 250 $US in
// French, 1 250 $ US in Canada.
func (l Language) Dollars(a money.Amount) string {
	if !l.French() {
		return a.Dollars()
	}
	if a < 0 {
		return "-" + l.Dollars(-a)
	}
	if l == LanguageCanadianFrench {
		return l.Digits(a) + space + symbol + space + "US"
	}
	return l.Digits(a) + space + symbol + "US"
}

// Digits is Dollars without the sign of the currency.
func (l Language) Digits(a money.Amount) string {
	digits := strings.TrimPrefix(a.Dollars(), symbol)
	switch l {
	case LanguageFrench:
		return strings.NewReplacer(",", narrowSpace, ".", ",").Replace(digits)
	case LanguageCanadianFrench:
		return strings.NewReplacer(",", space, ".", ",").Replace(digits)
	}
	return digits
}

// decimalComma ends an amount that has cents after a comma.
var decimalComma = regexp.MustCompile(`^([0-9]+),([0-9]{1,2})$`)

// Typed rewrites an amount that someone typed to the form that [money.ParseDecimal] reads. In French, a comma begins
// the cents and spaces group digits; an amount that could be read in two ways stays one that cannot be read.
func (l Language) Typed(amount string) string {
	if l == LanguageEnglish {
		return amount
	}
	out := strings.TrimSpace(amount)
	if l.French() {
		out = strings.NewReplacer(space, " ", narrowSpace, " ").Replace(out)
		for _, sign := range []string{"US", symbol} {
			out = strings.TrimSpace(strings.TrimSuffix(out, sign))
		}
		out = strings.ReplaceAll(out, " ", "")
		if !strings.Contains(out, ".") {
			return strings.Replace(out, ",", ".", 1)
		}
	}
	return decimalComma.ReplaceAllString(out, "$1.$2")
}
