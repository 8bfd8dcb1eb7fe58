package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/report/statement"
)

var dafQuoteResource = resource{
	shapes: map[string]any{"DafQuote": daf.Quote{}, "DafQuoteFee": daf.QuoteFee{}, "DafInvoice": statement.DAFInvoice{},
		"DafInvoice.organization": merchant.Organization{}, "DafInvoiceLine": statement.DAFInvoiceLine{}},
	enums: map[string][]string{"DafCover": daf.CoveredNames()},
}

func (s *site) quote(t testing.TB, query string) daf.Quote {
	t.Helper()
	return readAs[daf.Quote](t, s.get(t, "/api/dafDonations/quote?"+query).want(t, 200, ""))
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	s := open(t)
	us := fmt.Sprint("merchant_id=", s.App.Merchants.US)
	for query, want := range map[string]struct{ amount, service, provider money.Amount }{
		"&amount=10000":               {10_300, 206, 0},
		"&amount=10000&cover=service": {10_300, 206, 0},
		"&amount=10000&cover=all":     {10_600, 212, 307},
		"&amount=123456":              {126_000, 2_520, 0},
		"&amount=123456&cover=all":    {129_900, 2_598, 3_767},
		"&amount=666&cover=all":       {700, 14, 20},
		"&amount=1":                   {100, 2, 0},
	} {
		q := s.quote(t, us+query)
		var fees []money.Amount
		for _, l := range q.Fees {
			fees = append(fees, l.Amount)
		}
		wanted := []money.Amount{want.service, want.provider}
		if want.provider == 0 {
			wanted = wanted[:1]
		}
		if q.Amount != want.amount || !slices.Equal(fees, wanted) || q.FeeTotal != want.service+want.provider ||
			q.Net != want.amount-q.FeeTotal || q.Net < q.Goal {
			t.Errorf("%s: %+v", query, q)
		}
	}
}

// The rate is the merchant's of this moment; a fee that is off is covered by nothing.
func TestQuotesByTheMerchantsRate(t *testing.T) {
	t.Parallel()
	s := open(t)
	us := s.App.Merchants.US
	for rate, want := range map[string]money.Amount{"0": 10_000, "1.5": 10_200, "50": 20_000} {
		s.send(t, call{method: http.MethodPut, path: fmt.Sprint("/api/merchants/", us),
			body: `{"daf_percentage":` + rate + `}`}).want(t, 200, "")
		if q := s.quote(t, fmt.Sprint("amount=10000&merchant_id=", us)); q.Amount != want || q.Net < 10_000 ||
			(rate == "0") != (len(q.Fees) == 0) {
			t.Errorf("at %s %%: %+v", rate, q)
		}
	}
}

func TestWhatIsNotQuoted(t *testing.T) {
	t.Parallel()
	s := open(t)
	us := fmt.Sprint("merchant_id=", s.App.Merchants.US)
	profit := s.Merchant(merchant.CreateInput{}).ID
	for _, c := range []struct {
		query  string
		status int
		code   string
		param  string
	}{
		{"amount=100", 400, "parameter_missing", "merchant_id"},
		{us, 400, "parameter_missing", "amount"},
		{us + "&amount=0", 400, "parameter_invalid", "amount"},
		{us + "&amount=100000000", 400, "parameter_invalid", "amount"},
		{us + "&amount=10.50", 400, "parameter_invalid", "amount"},
		{us + "&amount=100&cover=provider", 400, "parameter_invalid", "cover"},
		{us + "&amount=99999999", 400, "amount_too_large", "amount"},
		{us + "&amount=97999903", 400, "amount_too_large", "amount"},
		{fmt.Sprint("amount=100&merchant_id=", s.Other.Merchants.US), 403, "merchant_not_associated", "merchant_id"},
		{fmt.Sprint("amount=100&merchant_id=", s.App.Merchants.CA), 422, "daf_not_eligible", "merchant_id"},
		{fmt.Sprint("amount=100&merchant_id=", profit), 422, "daf_not_eligible", "merchant_id"},
	} {
		if e := s.get(t, "/api/dafDonations/quote?"+c.query).want(t, c.status, c.code).error(); e.Param != c.param {
			t.Errorf("%s names %q", c.query, e.Param)
		}
	}
	s.quote(t, us+"&amount=97999902")
}
