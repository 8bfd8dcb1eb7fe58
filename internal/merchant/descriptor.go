package merchant

import (
	"regexp"
	"strings"

	"svcpay/internal/fault"
)

const maxDescriptor = 22

// descriptorForm is what card networks print on statements. A star is between a descriptor and
// what is added to it, so it is in none.
var descriptorForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 .,&'/#-]{0,21}$`)

var letter = regexp.MustCompile(`[A-Za-z]`)

func checkDescriptor(fs *fault.Fields, d *string) {
	if d != nil && (!descriptorForm.MatchString(*d) || !letter.MatchString(*d) || strings.HasSuffix(*d, " ")) {
		fs.Add("statement_descriptor", "parameter_invalid",
			"1 to 22 characters: letters A to Z, of which there must be one, digits, spaces within, and . , & ' / # -.")
	}
}

// plainLetters writes the letters of English, French and Spanish as statements have them.
var plainLetters = strings.NewReplacer(
	"À", "A", "Á", "A", "Â", "A", "Ã", "A", "Ä", "A", "Å", "A", "Æ", "AE", "Ç", "C", "È", "E", "É", "E", "Ê",
	"E", "Ë", "E",
	"Ì", "I", "Í", "I", "Î", "I", "Ï", "I", "Ñ", "N", "Ò", "O", "Ó", "O", "Ô", "O", "Õ", "O", "Ö", "O", "Ø", "O",
	"Œ", "OE", "Ù", "U", "Ú", "U", "Û", "U", "Ü", "U", "Ý", "Y", "Ÿ", "Y", "ß", "SS", "ẞ", "SS", "’", "'")

// unprintable is what no statement has.
var unprintable = regexp.MustCompile(`[^A-Z0-9.,&'/#-]+`)

// descriptorOf derives a statement descriptor from a name; "" if nothing of it can be printed.
func descriptorOf(name string) string {
	d := unprintable.ReplaceAllString(plainLetters.Replace(strings.ToUpper(name)), " ")
	d = strings.TrimLeft(d, " .,&'/#-")
	d = strings.TrimRight(d[:min(len(d), maxDescriptor)], " ")
	if !letter.MatchString(d) {
		return ""
	}
	return d
}
