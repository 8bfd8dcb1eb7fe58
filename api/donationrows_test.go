package api

import (
	"fmt"
	"net/http"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/processor"
)

// donationTriggers make each move of donations happen, by the rows that report it.
func donationTriggers() map[string]func(*stage) string {
	out := make(map[string]func(*stage) string)
	for _, m := range daf.Moves() {
		from := ""
		if m.From != "" {
			from = string(m.Kind) + " " + string(m.From)
		}
		for _, event := range m.Events {
			out[change(event, from, string(m.Kind)+" "+string(m.To))] = func(s *stage) string {
				return s.donationMoves(m)
			}
		}
	}
	return out
}

// donationMoves brings a donation to where a move begins, and has it move.
func (s *stage) donationMoves(m daf.Move) string {
	s.t.Helper()
	s.Enrolled(s.App, s.App.Merchants.US)
	if m.Kind == daf.Integrated && m.From == daf.Canceled && m.To == daf.Initiated {
		return s.lateGrant()
	}
	d := s.site.given(s.t, m.Kind)
	for _, to := range []daf.Status{m.From, m.To} {
		now := s.get(s.t, "/api/dafDonations/"+d.ID.String()).donation(s.t)
		switch {
		case to == "" || to == now.Status:
		case m.Kind == daf.Integrated && (to == daf.Canceled || now.Status == daf.Canceled):
			s.provided(now, to)
		default:
			s.change(s.t, http.MethodPut, d, fmt.Sprintf(`{"status":%q}`, to)).want(s.t, 200, "")
		}
	}
	return d.ID.String()
}

// provided has the provider say that a donation was completed or canceled.
func (s *stage) provided(d daf.Donation, to daf.Status) {
	s.t.Helper()
	s.Clock.Advance(time.Second)
	tell := s.DAF.Completed
	if to == daf.Canceled {
		tell = s.DAF.Canceled
	}
	ev := provider.Event{ID: string(to), Account: processor.MerchantAccount(s.App.AppID, d.MerchantID),
		Reference: d.Provider.Reference, TrackingID: *d.TrackingID, At: s.Clock.Now()}
	if err := tell(s.t.Context(), ev); err != nil {
		s.t.Fatal(err)
	}
}

// lateGrant makes a donation whose grant is given up and turns up afterwards.
func (s *stage) lateGrant() string {
	s.t.Helper()
	d := s.give(s.t, s.gift(s.t, "timeout@fund.example", daf.Integrated, 12_500, "")).want(s.t, 202, "").donation(s.t)
	for _, until := range []time.Duration{time.Hour, 0} {
		s.conceal(s.t, s.Clock.Now().Add(until))
		s.Clock.Advance(10 * time.Minute)
		if n, err := s.Grants.Resolve(s.t.Context()); err != nil || n != 1 {
			s.t.Fatalf("%d, %v", n, err)
		}
	}
	return d.ID.String()
}
