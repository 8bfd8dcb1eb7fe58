package token

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

func TestRoutingNumbers(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{
		"110000000": true, "021000021": true, "011401533": true, "091000019": true, "322271627": true,
		"000000518": true,
		"800000006": true, "": false, "000000000": false, "021000022": false, "02100002": false, "0210000210": false,
		"02100002a": false,
		"130000006": false, "200000004": false, "330000000": false, "600000002": false, "730000008": false,
		"790000006": false, "810000009": false, "900000003": false, "-21000021": false,
	} {
		if got := isABA(number); got != want {
			t.Errorf("%s: %v, want %v", number, got, want)
		}
	}
	// of ten check digits one fits, if the prefix is given out, and no digit can change on its own
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.IntRange(0, 99).Draw(t, "prefix")
		head := fmt.Sprintf("%02d", prefix) + rapid.StringMatching(`[0-9]{5}[1-9]`).Draw(t, "head")
		var good []string
		for d := range 10 {
			if n := fmt.Sprint(head, d); isABA(n) {
				good = append(good, n)
			}
		}
		given := prefix <= 12 || prefix >= 21 && prefix <= 32 || prefix >= 61 && prefix <= 72 || prefix == 80
		if given != (len(good) == 1) || len(good) > 1 {
			t.Fatalf("%s: %v pass", head, good)
		}
		if !given {
			return
		}
		b := []byte(good[0])
		i := rapid.IntRange(0, 8).Draw(t, "position")
		b[i] = '0' + (b[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "other")))%10
		if isABA(string(b)) {
			t.Fatalf("%s passes as %s does", b, good[0])
		}
	})
}

// goodBank is an input without a mistake.
func goodBank() BankInput {
	return BankInput{
		Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber("000123456789"),
		AccountType: "checking",
		Billing:     Billing{FirstName: "Dana", LastName: "Reed", Email: "dana@example.org"}, Mandate: Acceptance{
			Accepted: true, TextVersion: MandateVersion},
	}
}

func TestBankValidation(t *testing.T) {
	t.Parallel()
	number := func(digits string) func(*BankInput) {
		return func(in *BankInput) { in.Number = sensitive.NewAccountNumber(digits) }
	}
	canadian := func(routing, digits string) func(*BankInput) {
		return func(in *BankInput) {
			in.Scheme, in.Routing, in.Number = processor.ACSS, routing, sensitive.NewAccountNumber(digits)
		}
	}
	const badNumber, badTransit = "bank_account.account_number invalid_account_number",
		"bank_account.routing_number invalid_transit_number"
	for _, c := range []struct {
		name  string
		spoil func(*BankInput)
		want  []string
	}{
		{"nothing wrong", func(*BankInput) {}, nil},
		{"savings", func(in *BankInput) { in.AccountType = "savings" }, nil},
		{"shortest number", number("1234"), nil},
		{"longest number", number("12345678901234567"), nil},
		{"short number", number("123"), []string{badNumber}},
		{"long number", number("123456789012345678"), []string{badNumber}},
		{"no number", number(""), []string{badNumber}},
		{"a letter", number("1234a"), []string{badNumber}},
		{"a space", number("1234 5"), []string{badNumber}},
		{"routing", func(in *BankInput) { in.Routing = "110000001" }, []string{"bank_account.routing_number invalid_routing_number"}},
		{"no routing", func(in *BankInput) { in.Routing = "" }, []string{"bank_account.routing_number invalid_routing_number"}},
		{"Canadian", canadian("11000000", "12345"), nil},
		{"Canadian, longest", canadian("11000000", "123456789012"), nil},
		{"Canadian, short", canadian("11000000", "1234"), []string{badNumber}},
		{"Canadian, long", canadian("11000000", "1234567890123"), []string{badNumber}},
		{"Canadian, nine digits", canadian("110000000", "12345"), []string{badTransit}},
		{"Canadian, a letter", canadian("1100000x", "12345"), []string{badTransit}},
		{"another scheme", func(in *BankInput) { in.Scheme = "sepa" }, []string{"bank_account.scheme invalid_scheme"}},
		{"type", func(in *BankInput) { in.AccountType = "" }, []string{"bank_account.account_type incomplete_account_type"}},
		{"other type", func(in *BankInput) { in.AccountType = "current" }, []string{"bank_account.account_type invalid_account_type"}},
		{"no first name", func(in *BankInput) { in.Billing.FirstName = " " }, []string{"billing.first_name incomplete_account_holder_name"}},
		{"a name without a letter", func(in *BankInput) { in.Billing.LastName = "12" },
			[]string{"billing.last_name invalid_account_holder_name"}},
		{"names with digits", func(in *BankInput) { in.Billing.FirstName, in.Billing.LastName = "3M", "Smith 3rd" }, nil},
		{"no last name", func(in *BankInput) { in.Billing.LastName = "" }, []string{"billing.last_name incomplete_account_holder_name"}},
		{"no email", func(in *BankInput) { in.Billing.Email = "" }, []string{"billing.email incomplete_email"}},
		{"an address that mail cannot reach", func(in *BankInput) { in.Billing.Email = "élodie@example.org" }, []string{"billing.email invalid_email"}},
		{"an international domain", func(in *BankInput) { in.Billing.Email = "dana@bücher.example" }, nil},
		{"email", func(in *BankInput) { in.Billing.Email = "dana" }, []string{"billing.email invalid_email"}},
		{"mandate refused", func(in *BankInput) { in.Mandate.Accepted = false }, []string{"mandate mandate_not_accepted"}},
		{"another mandate", func(in *BankInput) { in.Mandate.TextVersion = "2020-01" }, []string{"mandate mandate_not_accepted"}},
		{"everything", func(in *BankInput) { *in = BankInput{Scheme: processor.ACH} }, []string{
			"bank_account.routing_number invalid_routing_number", badNumber,
			"bank_account.account_type incomplete_account_type",
			"billing.first_name incomplete_account_holder_name", "billing.last_name incomplete_account_holder_name",
			"billing.email incomplete_email", "mandate mandate_not_accepted",
		}},
	} {
		in := goodBank()
		c.spoil(&in)
		var got []string
		for _, f := range in.validate() {
			got = append(got, f.Param+" "+f.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMandateNamesTheMerchant(t *testing.T) {
	t.Parallel()
	for _, scheme := range []processor.Scheme{processor.ACH, processor.ACSS} {
		text := MandateText(scheme, "Riverside Food Bank")
		if strings.Count(text, "Riverside Food Bank") != 2 || strings.Contains(text, "%!") ||
			!strings.Contains(text, "revoke") {
			t.Errorf("%s: %s", scheme, text)
		}
	}
	if MandateText(processor.ACH, "x") == MandateText(processor.ACSS, "x") ||
		!strings.Contains(MandateText(processor.ACSS, "x"), "pre-authorized debit") {
		t.Error("the schemes have one text")
	}
}

func TestShortened(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "ab": "ab", "abc": "abc", "abcd": "abc", "é\x00éé\xffé": "ééé"} {
		if got := shortened(in, 3); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
