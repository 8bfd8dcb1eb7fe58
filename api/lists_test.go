package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
)

var tokenID = ids.ParseToken

// listed is a list as callers read it.
type listed struct {
	Data           []charge.Charge
	HasMore        bool `json:"has_more"`
	Next, Previous *string
}

func (s *site) list(t *testing.T, query string) listed {
	t.Helper()
	var p listed
	if err := json.Unmarshal(s.get(t, "/api/charges?"+query).want(t, 200, "").body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p listed) ids() []string {
	var out []string
	for _, c := range p.Data {
		out = append(out, c.ID.String())
	}
	return out
}

// make makes charges, one a millisecond, and returns their ids.
func (s *site) make(t *testing.T, n int, token string, capture bool) []string {
	t.Helper()
	var out []string
	for range n {
		s.Clock.Advance(time.Millisecond)
		amount := money.Amount(100)
		made, err := s.Charges.Create(t.Context(), s.Actor(),
			charge.CreateInput{MerchantID: &s.App.Merchants.US, Amount: &amount, Token: &token, Capture: &capture}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, made.Object.ID.String())
	}
	return out
}

// walk follows next (or previous) to the end of the list.
func (s *site) walk(t *testing.T, query, parameter string, p listed, between func()) []string {
	t.Helper()
	var out []string
	for {
		cursor := p.Next
		if parameter == "ending_before" {
			cursor, out = p.Previous, append(p.ids(), out...)
		} else {
			out = append(out, p.ids()...)
		}
		if cursor == nil {
			return out
		}
		between()
		p = s.list(t, query+"&"+parameter+"="+*cursor)
	}
}

func TestPagesHoldEveryChargeOnceWhileNewOnesArrive(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	ascending := s.make(t, 50, token, true)
	var arrived []string
	arrive := func() { arrived = append(arrived, s.make(t, 1, token, true)...) }

	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	if got := s.walk(t, "limit=7", "starting_after", s.list(t, "limit=7"), arrive); !slices.Equal(got, descending) {
		t.Errorf("newest first, %d of %d came", len(got), len(descending))
	}
	// Backwards from the oldest, what arrived in the meantime comes too.
	oldest := s.list(t, "limit=7&starting_after="+ascending[7])
	if oldest.HasMore || oldest.Next != nil || oldest.Previous == nil {
		t.Errorf("the last page is %v", oldest)
	}
	all := append(slices.Clone(ascending), arrived...)
	slices.Reverse(all)
	if got := s.walk(t, "limit=9", "ending_before", oldest, func() {}); !slices.Equal(got, all) {
		t.Errorf("backwards, %d of %d came", len(got), len(all))
	}
	slices.Reverse(all)
	if got := s.walk(t, "limit=100&order=asc", "starting_after", s.list(t, "limit=100&order=asc"),
		func() {}); !slices.Equal(got, all) {
		t.Errorf("oldest first, %d of %d came", len(got), len(all))
	}
	if got := s.walk(t, "order=asc&limit=11", "ending_before", s.list(t, "order=asc&limit=11&ending_before="+all[40]),
		func() {}); !slices.Equal(got, all[:40]) {
		t.Errorf("oldest first and backwards, %d of 40 came", len(got))
	}
}

func TestDefaultsAndEnds(t *testing.T) {
	t.Parallel()
	s := open(t)
	if p := s.list(t, ""); len(p.Data) != 0 || p.HasMore || p.Next != nil || p.Previous != nil {
		t.Errorf("an empty list is %+v", p)
	}
	made := s.make(t, 21, s.Token(good), true)
	first := s.list(t, "")
	if len(first.Data) != defaultLimit || !first.HasMore || first.Previous != nil || *first.Next != made[1] {
		t.Errorf("the first page has %d, more %v", len(first.Data), first.HasMore)
	}
	if p := s.list(t, "starting_after="+made[0]); len(p.Data) != 0 || p.HasMore || p.Next != nil {
		t.Errorf("after the oldest lies %+v", p)
	}
	if p := s.list(t, "limit=5&ending_before="+made[15]); !slices.Equal(p.ids(),
		[]string{made[20], made[19], made[18], made[17], made[16]}) ||
		p.HasMore || p.Previous != nil || *p.Next != made[16] {
		t.Errorf("back at the start, the page is %v", p.ids())
	}
	if p := s.list(t, "limit=21"); len(p.Data) != 21 || p.HasMore || p.Next != nil {
		t.Errorf("an exact page says more: %v", p.HasMore)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := open(t)
	captured, authorized := s.make(t, 2, s.Token(good), true), s.make(t, 1, s.Token(good), false)
	failed := []string{s.post(t, s.body(s.Token("4000000000000002"))).want(t, 402, "card_declined").error().ChargeID}
	ca := s.TokenIn(s.SessionOf(s.App, s.App.Merchants.CA), good)
	canadian := []string{
		s.post(t, s.body(ca, "merchant_id", fmt.Sprint(s.App.Merchants.CA), "currency", `"cad"`)).charge(t).ID.String()}
	named := []string{
		s.post(t, s.body(s.Token(good), "capture", "false", "external_id", `"gift 1/a"`, "recurring", "true",
			"metadata", `{"campaign":"spring","a b":"é"}`)).charge(t).ID.String()}
	first := authorized
	authorized = slices.Concat(authorized, named)
	more := slices.Concat(failed, canadian, named)
	all := slices.Concat(captured, first, more)
	oldest := url.QueryEscape(s.get(t, "/api/charges/"+captured[0]).charge(t).CreatedAt.Format(time.RFC3339Nano))
	theirs := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
	s.send(t, call{method: "POST", path: "/api/charges", as: &s.Other,
		body: s.body(theirs, "merchant_id", fmt.Sprint(s.Other.Merchants.US), "external_id", `"theirs"`)}).want(t, 201,
		"")
	us, other := fmt.Sprint(s.App.Merchants.US), fmt.Sprint(s.App.Merchants.CA)
	for query, want := range map[string][]string{
		"status=failed": failed, "status=authorized": authorized, "status=processing": nil,
		"status=captured,authorized": slices.Concat(captured, authorized, canadian), "merchant_id=" + other: canadian,
		"merchant_id=" + us + "," + other: slices.Concat(captured, authorized, failed,
			canadian), "merchant_id=999999": nil,
		"external_id=gift+1%2Fa": named, "external_id=gift": nil, "external_id=theirs": nil,
		"merchant_id=" + us + "&status=captured": captured,
		"amount=100":                             slices.Concat(captured, first), "amount[gt]=100": more,
		"amount[gte]=100&amount[lt]=101": slices.Concat(captured, first), "amount[lte]=99": nil,
		"type=cc": all, "type=ach,acss": nil, "type=cc&currency=cad": canadian, "currency=cad": canadian,
		"currency=usd,cad":       all,
		"email=DANA@Example.ORG": all, "email=dana": nil, "last4=0002": failed, "last4=4242&status=failed": nil,
		"recurring=true": named, "recurring=false&status=failed": failed, "recurring=true&currency=cad": nil,
		"metadata[campaign]=spring": named, "metadata[campaign]=spring&metadata[a+b]=%C3%A9": named,
		"metadata[campaign]=spring&metadata[a+b]=": nil, "metadata[campaign]=Spring": nil,
		"created_at[lte]=" + oldest: captured[:1], "created_at[lt]=" + oldest: nil, "created_at[gte]=" +
			oldest: all, "created_at[gt]=" + oldest + "&status=captured": slices.Concat(captured[1:], canadian),
	} {
		same(t, query, s.list(t, query).ids(), want)
	}
	if p := s.list(t, "status=captured&merchant_id="+us+"&limit=1"); !p.HasMore || *p.Next != captured[1] {
		t.Errorf("a filtered page is %+v", p)
	}
}

func TestQueriesThatAreWrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	const (
		cursor  = "ch_01jq8z6k4t8m2x9v5c7b1n3d0f"
		invalid = "parameter_invalid"
	)
	for query, code := range map[string]string{
		"limit=0": invalid, "limit=101": invalid, "limit=-1": invalid, "limit=": invalid, "limit=" +
			marker: invalid, "limit=1e1": invalid,
		"limit=99999999999999999999": invalid, "limit=10&limit=10": invalid, "limit=5%00": invalid,
		"limit=%2B5": invalid, "limit=05": invalid, "order=": invalid, "order=ASC": invalid, "order=" + marker: invalid,
		"status=": invalid, "status=paid": invalid, "status=captured,": invalid, "status=captured," +
			marker: invalid, "status=%00": invalid,
		"status=captured&status=failed": invalid, "status[]=captured": "parameter_unknown",
		"merchant_id=": invalid, "merchant_id=0": invalid, "merchant_id=1,x": invalid, "merchant_id=1,,2": invalid,
		"merchant_id=-4":                   invalid,
		"merchant_id=99999999999999999999": invalid, "merchant_id=1.0": invalid, "merchant_id=1&merchant_id=2": invalid,
		"merchant_id=%2B5": invalid,
		"starting_after=":  "cursor_invalid", "starting_after=" + marker: "cursor_invalid",
		"ending_before=tok_01jq8z6k4t8m2x9v5c7b1n3d0f": "cursor_invalid",
		"starting_after=" +
			strings.ToUpper(cursor): "cursor_invalid", "starting_after=ch_00000000000000000000000000": "cursor_invalid",
		"ending_before=" + cursor + "%00": "cursor_invalid", "starting_after=" + cursor + "&ending_before=" +
			cursor: "parameters_exclusive",
		"external_id=": invalid, "external_id=%00": invalid, "external_id=" +
			strings.Repeat("x", 65): invalid, "external_id=%ff": invalid,
		"amount=5.0": invalid, "amount=x": invalid, "amount=-5": invalid,
		"amount=5&amount[gt]=1": "parameters_exclusive", "amount[gt]=1&amount[gte]=1": "parameters_exclusive",
		"amount[eq]=5": "parameter_unknown", "type=": invalid, "type=CC": invalid, "type=cc,": invalid,
		"currency=USD": invalid, "currency=usd&currency=cad": invalid,
		"email=": invalid, "email=%00": invalid, "email=" + strings.Repeat("x", 256): invalid, "last4=": invalid,
		"last4=42424": invalid, "last4=4%00": invalid,
		"recurring=": invalid, "recurring=yes": invalid, "recurring=true&recurring=true": invalid,
		"recuring=true": "parameter_unknown",
		"metadata=1":    invalid, "metadata[]=1": invalid, "metadata[a]=1&metadata[a]=1": invalid,
		"metadata[a]=%00": invalid, "metadata[a][b]=1": "parameter_unknown", "metadata[" + strings.Repeat("x", 41) +
			"]=1": invalid,
		"Limit=5": "parameter_unknown", url.QueryEscape("<b>"+marker) + "=1": "parameter_unknown",
		"=1":                    "parameter_unknown",
		"created_at%5Bgte%5D=1": invalid, "created_at%5Beq%5D=1": "parameter_unknown",
		"created_at=1":                  "parameter_unknown",
		"created_at%5Blt%5D=2026-12-01": invalid, "created_at%5Bgt%5D=": invalid, "created_at%5Blte%5D=" +
			marker: invalid,
		"created_at%5Bgt%5D=2026-12-01T00:00:00Z&created_at%5Bgte%5D=2026-12-01T00:00:00Z": "parameters_exclusive",
		"%00=1": "parameter_unknown", "a;b=1": invalid, "%zz=1": invalid, "limit=%": invalid,
		"%ff=1":            "parameter_unknown",
		"limit=0&order=up": "validation_failed", "x1=1&x2=1": "validation_failed",
		"starting_after=1&ending_before=2&zz=3": "validation_failed",
	} {
		t.Run(query, func(t *testing.T) {
			s.get(t, "/api/charges?"+query).want(t, 400, code)
		})
	}
	for _, query := range []string{"starting_after=" + cursor, "ending_before=" + cursor,
		"limit=1&order=asc&status=captured,failed&merchant_id=1,2", "&&"} {
		s.get(t, "/api/charges?"+query).want(t, 200, "")
	}
}
