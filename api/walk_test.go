package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
)

// leaf is a page as one who walks reads it.
type leaf struct {
	Data           []struct{ ID string }
	Next, Previous string
}

// leaf reads a page without holding it to the contract, which takes longer than to make it.
func (s *site) leaf(t *testing.T, query url.Values) leaf {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/charges?"+query.Encode(), nil)
	if err != nil {
		t.Error(err)
		return leaf{}
	}
	r.Header.Set("X-API-Key", s.App.SecretKey)
	r.Header.Set("X-App-ID", fmt.Sprint(s.App.AppID))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return leaf{}
	}
	defer func() { _ = response.Body.Close() }()
	var out leaf
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%s is answered %d, %v", query.Encode(), response.StatusCode, err)
	}
	return out
}

// walkOn follows a list from its beginning, or with ending_before from a charge, and tells every id in the
// order in which it came.
func (s *site) walkOn(t *testing.T, parameter, from string, query url.Values) (out []string) {
	t.Helper()
	query.Set("limit", "100")
	for first := true; first || from != ""; first = false {
		if from != "" {
			query.Set(parameter, from)
		}
		p := s.leaf(t, query)
		for _, c := range p.Data {
			out = append(out, c.ID)
		}
		if from = p.Next; parameter == endingBefore {
			from = p.Previous
		}
	}
	return out
}

// While 1,000 charges arrive, anyone who walks over the 10,000 that were there sees each of them once.
func TestWalksOverManyChargesWhileOthersArrive(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	newest := s.make(t, 1, token, true)[0]
	const many, arriving, hands = 10_000, 1000, 4
	s.Copies(s.get(t, "/api/charges/"+newest).charge(t), many-1, time.Millisecond, func(k int) map[string]any {
		columns := map[string]any{"metadata": map[string]string{"third": fmt.Sprint(k % 3)}}
		if k == many-1 {
			columns["external_id"] = "oldest"
		}
		return columns
	})
	old := make(map[string]bool, many)
	all := s.walkOn(t, startingAfter, "", url.Values{})
	for _, id := range all {
		old[id] = true
	}
	oldest := s.leaf(t, url.Values{"external_id": {"oldest"}}).Data[0].ID
	if len(old) != many || len(all) != many || all[0] != newest || all[many-1] != oldest {
		t.Fatalf("%d charges are listed, %d of them differ, want %d", len(all), len(old), many)
	}
	s.Clock.Advance(time.Millisecond) // what arrives is newer

	var left atomic.Int64
	left.Store(arriving)
	var work sync.WaitGroup
	amount := money.Amount(100)
	for range hands {
		work.Go(func() {
			for left.Add(-1) >= 0 {
				in := charge.CreateInput{MerchantID: &s.App.Merchants.US, Amount: &amount, Token: &token,
					Metadata: map[string]string{"third": "1"}}
				if _, err := s.Charges.Create(t.Context(), s.Actor(), in, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	check := func(name string, got []string, want int) {
		var seen []string
		for _, id := range got {
			if old[id] {
				seen = append(seen, id)
			}
		}
		slices.Sort(got)
		slices.Sort(seen)
		if twice := len(got) - len(slices.Compact(got)); twice > 0 || len(slices.Compact(seen)) != want {
			t.Errorf("%s: %d of %d were seen, %d charges twice", name, len(slices.Compact(seen)), want, twice)
		}
	}
	for name, w := range map[string]struct {
		parameter, from string
		query           url.Values
		want            int
	}{
		"newest first":            {startingAfter, "", url.Values{}, many},
		"oldest first":            {startingAfter, "", url.Values{"order": {"asc"}}, many},
		"backwards to the newest": {endingBefore, oldest, url.Values{}, many - 1},
		"of some metadata":        {startingAfter, "", url.Values{"metadata[third]": {"1"}}, (many - 1 + 2) / 3},
		"backwards, of a status":  {endingBefore, oldest, url.Values{"status": {"captured"}, "last4": {"4242"}}, many - 1},
	} {
		work.Go(func() {
			before := left.Load()
			check(name, s.walkOn(t, w.parameter, w.from, w.query), w.want)
			if left.Load() == before {
				t.Errorf("%s: nothing arrived meanwhile", name)
			}
		})
	}
	work.Wait()
	if n := len(s.walkOn(t, startingAfter, "", url.Values{})); n != many+arriving {
		t.Errorf("%d charges are there in the end, want %d", n, many+arriving)
	}
}
