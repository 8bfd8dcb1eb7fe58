package client_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/api/client"
)

func pageOf(more bool, next, previous string, ids ...string) answer {
	quoted := func(id string) string {
		if id == "" {
			return "null"
		}
		return fmt.Sprintf("%q", id)
	}
	var items []string
	for _, id := range ids {
		items = append(items, fmt.Sprintf(`{"id":%q}`, id))
	}
	return answer{
		status: 200,
		body: fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%t,"next":%s,"previous":%s,"url":"/api/charges"}`,
			strings.Join(items, ","), more, quoted(next), quoted(previous))}
}

// walk collects a list, at most so many, and the error that ended it.
func walk(c *client.Client, t *testing.T, params client.ListChargesParams, most int) (ids []string, err error) {
	t.Helper()
	for charge, err := range c.Charges.List(t.Context(), params) {
		if err != nil {
			return ids, err
		}
		if ids = append(ids, charge.ID); len(ids) == most {
			break
		}
	}
	return ids, nil
}

func TestLists(t *testing.T) {
	t.Parallel()
	forward := []answer{pageOf(true, "b", "", "a", "b"), pageOf(true, "d", "c", "c", "d"), pageOf(false, "", "e", "e")}
	c, s := talking(t, nil, forward...)
	ids, err := walk(c, t, client.ListChargesParams{Limit: new(2), MerchantID: []int64{1, 2}}, 0)
	if err != nil || strings.Join(ids, "") != "abcde" {
		t.Errorf("%v, %v", ids, err)
	}
	for i, want := range []string{"limit=2&merchant_id=1%2C2", "limit=2&merchant_id=1%2C2&starting_after=b",
		"limit=2&merchant_id=1%2C2&starting_after=d"} {
		if got := s.requests[i].URL.RawQuery; got != want {
			t.Errorf("page %d: %s", i, got)
		}
	}

	c, s = talking(t, nil, forward...)
	if ids, err := walk(c, t, client.ListChargesParams{}, 2); err != nil || len(ids) != 2 || len(s.requests) != 1 {
		t.Errorf("who stops early has %v by %d requests: %v", ids, len(s.requests), err)
	}

	c, s = talking(t, nil, pageOf(true, "d", "c", "c", "d"), pageOf(false, "b", "", "a", "b"))
	ids, err = walk(c, t, client.ListChargesParams{EndingBefore: "e"}, 0)
	if err != nil || strings.Join(ids, "") != "dcba" || s.last().URL.RawQuery != "ending_before=c" {
		t.Errorf("backwards: %v by %s, %v", ids, s.last().URL.RawQuery, err)
	}

	c, _ = talking(t, nil, forward[0], refusal(401, "api_key_expired"))
	if ids, err := walk(c, t, client.ListChargesParams{}, 0); failure(t, err).StatusCode != 401 || len(ids) != 2 {
		t.Errorf("%v, then %v", ids, err)
	}

	c, s = talking(t, nil, forward[0], forward[2])
	list := c.Charges.List(t.Context(), client.ListChargesParams{})
	for range 2 { // a sequence may be walked again, from its beginning
		s.requests = nil
		for _, err := range list {
			if err != nil {
				t.Error(err)
			}
		}
		if s.requests[0].URL.RawQuery != "" {
			t.Errorf("a walk begins with %s", s.requests[0].URL)
		}
	}

	c, _ = talking(t, nil, forward[0])
	page, err := c.Charges.ListPage(t.Context(), client.ListChargesParams{})
	if err != nil || len(page.Data) != 2 || !page.HasMore || *page.Next != "b" || page.Previous != nil {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	c, s := talking(t, nil, pageOf(false, "", ""))
	east := time.FixedZone("", 3*3600)
	_, err := c.Charges.ListPage(t.Context(), client.ListChargesParams{
		Status: []client.ChargeStatus{client.ChargeStatusFailed, client.ChargeStatusReturned}, Order: client.OrderAsc,
		CreatedAtGte: new(time.Date(2026, 12, 1, 3, 0, 0, 5e6, east)),
	})
	want := "created_at%5Bgte%5D=2026-12-01T00%3A00%3A00.005Z&order=asc&status=failed%2Creturned"
	if err != nil || s.last().URL.RawQuery != want {
		t.Errorf("%s, %v", s.last().URL.RawQuery, err)
	}
}

func TestFormsOfQueries(t *testing.T) {
	t.Parallel()
	type params struct {
		Expand    []string          `query:"expand[],omitzero"`
		Metadata  map[string]string `query:"metadata,omitzero"`
		Recurring *bool             `query:"recurring,omitzero"`
		Amount    *int64            `query:"amount[gte],omitzero"`
		Month     string            `query:"month"`
	}
	for want, p := range map[string]params{
		"month=": {},
		"expand[]=merchant&expand[]=token&metadata[a]=1&metadata[b c]=2&month=": {Expand: []string{"merchant", "token"}, Metadata: map[string]string{"a": "1", "b c": "2"}},
		"amount[gte]=0&month=2026-12&recurring=false":                           {Recurring: new(false), Amount: new(int64(0)), Month: "2026-12"},
	} {
		got, err := url.QueryUnescape(client.EncodeQuery(p).Encode())
		if err != nil || got != want {
			t.Errorf("%+v gives %s, %v", p, got, err)
		}
	}
}
