package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
)

func TestCasesAreNumbersAndNames(t *testing.T) {
	t.Parallel()
	names, numbers := map[string]bool{}, map[string]bool{}
	check := func(c sandbox.Case, number string, fits bool) {
		if !fits || c.Name == "" || c.Effect == "" || names[c.Name] || numbers[number] {
			t.Errorf("%s %s", number, c.Name)
		}
		names[c.Name], numbers[number] = true, true
	}
	for _, c := range sandbox.Cases() {
		check(c, c.Number, sensitive.Luhn(c.Number) && len(c.Number) >= 14 && c.Bank == processor.Bank{})
	}
	for kind, cases := range map[string][]sandbox.Case{"debit": sandbox.BankCases(), "payout": sandbox.PayoutCases()} {
		for _, c := range cases {
			number := c.Bank.Number.Reveal()
			fits := c.Number == "" && len(number) == 12 && strings.Trim(number, "0123456789") == ""
			switch c.Bank.Scheme {
			case processor.ACH:
				fits = fits && aba(c.Bank.Routing) && (c.Return == "" || c.Return[0] == 'R')
			case processor.ACSS:
				fits = fits && len(c.Bank.Routing) == 8 && (c.Return == "" || c.Return[0] == '9')
			default:
				fits = false
			}
			check(c, fmt.Sprint(kind, c.Bank.Scheme, number), fits && (c.Return == "") == (c.ReturnAfter == 0))
		}
	}
	for _, must := range []string{
		"4242424242424242", "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
		"3566002020360505",
		"36227206271667", "4000000000000002", "4000000000009995", "4000000000009987", "4000000000009979",
		"4000000000000069", "4000000000000127",
		"4000000000000119", "4000000000000341", "4000000000000010", "4000000000000101", "4000000000005423",
		"4000000000000259",
		"4000000000001976", "4000000000000689", "4000000000007726", "4000000000003063", "4000000000005126",
		"4000000000005431",
		"debitach000123456789", "debitach000222222227", "debitach000111111113", "debitach000111111116",
		"debitach000333333335", "debitach000666666661", "debitacss000666666661",
		"debitacss000123456789", "debitacss000222222227", "debitacss000111111116", "debitacss000333333335",
		"payoutach000111111116", "payoutach000444444440",
	} {
		if !numbers[must] {
			t.Errorf("%s has no case", must)
		}
	}
	for _, must := range []string{"approved", "approved_amex", "declined_insufficient_funds", "timeout", "disputed",
		"retrieval",
		"ach_settles", "ach_r01", "ach_r02", "ach_r03", "ach_returned_r10", "acss_settles", "acss_901", "acss_915"} {
		if !names[must] {
			t.Errorf("no case is named %s", must)
		}
	}
}

func TestTokenCases(t *testing.T) {
	t.Parallel()
	for _, c := range append(sandbox.Cases(), sandbox.BankCases()...) {
		if got, ok := sandbox.TokenCase(c.Name); !ok || got.Number != c.Number ||
			got.Bank.Number.Reveal() != c.Bank.Number.Reveal() || got.Bank.Scheme != c.Bank.Scheme {
			t.Errorf("%s is %+v, %v", c.Name, got, ok)
		}
	}
	// payouts go to merchants: no payer has such a token
	for _, name := range []string{"", "payout_failed", "Approved"} {
		if _, ok := sandbox.TokenCase(name); ok {
			t.Errorf("%q is a test case", name)
		}
	}
}

// aba reports whether a routing number has nine digits of a valid range that pass the ABA's checksum.
func aba(routing string) bool {
	sum := 0
	for i, d := range routing {
		sum += []int{3, 7, 1}[i%3] * int(d-'0')
	}
	prefix := ""
	if len(routing) == 9 {
		prefix = routing[:2]
	}
	return sum%10 == 0 && (prefix >= "00" && prefix <= "12" || prefix >= "21" && prefix <= "32")
}

// TestGuide compares the tables of docs/sandbox.md with the cases of the code.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	var cards, debits, payouts strings.Builder
	cards.WriteString("| test case | card | what happens |\n|---|---|---|\n")
	for _, c := range sandbox.Cases() {
		fmt.Fprintf(&cards, "| `%s` | %s | %s |\n", c.Name, c.Number, c.Effect)
	}
	debits.WriteString("| test case | scheme | account | a debit |\n|---|---|---|---|\n")
	for _, c := range sandbox.BankCases() {
		fmt.Fprintf(&debits, "| `%s` | %s | %s | %s |\n", c.Name, c.Bank.Scheme, c.Bank.Number.Reveal(), c.Effect)
	}
	payouts.WriteString("| name | scheme | account | a payout |\n|---|---|---|---|\n")
	for _, c := range sandbox.PayoutCases() {
		fmt.Fprintf(&payouts, "| `%s` | %s | %s | %s |\n", c.Name, c.Bank.Scheme, c.Bank.Number.Reveal(), c.Effect)
	}
	for _, table := range []string{cards.String(), debits.String(), payouts.String()} {
		if !strings.Contains(string(text), table) {
			t.Errorf("docs/sandbox.md must contain this table:\n%s", table)
		}
	}
}

func TestBankNames(t *testing.T) {
	t.Parallel()
	p := newWorld(t).open()
	for _, c := range []struct {
		scheme  processor.Scheme
		routing string
		want    string
	}{
		{processor.ACH, "110000000", "Sandbox Bank"}, {processor.ACSS, "11000000", "Sandbox Bank of Canada"},
		{processor.ACH, "021000021", ""}, {processor.ACSS, "110000000", ""}, {"", "110000000", ""},
	} {
		if name, err := p.BankName(t.Context(), c.scheme, c.routing); err != nil || name != c.want {
			t.Errorf("%s %s is %q, %v", c.scheme, c.routing, name, err)
		}
	}
}
