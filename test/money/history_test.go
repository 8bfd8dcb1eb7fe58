package money

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/refund"
)

// told is an event as it was recorded.
type told struct {
	ObjectID [16]byte       `db:"object_id"`
	Type     string         `db:"type"`
	Position int            `db:"position"`
	Object   map[string]any `db:"object"`
	Previous map[string]any `db:"previous_attributes"`
	At       instant.Time   `db:"created_at"`
}

// step is a change of state and the event that reports it.
type step struct{ from, to, event string }

// allowed are the steps of each kind of object; those that leave the state alone are reported as an update.
func allowed() map[string]map[step]bool {
	charges, refunds, disputes, payouts, merchants := map[step]bool{}, map[step]bool{}, map[step]bool{},
		map[step]bool{}, map[step]bool{}
	for _, m := range charge.Moves() {
		charges[step{string(m.From), string(m.To), m.Event}] = true
	}
	for _, status := range charge.Statuses() {
		charges[step{status, status, "charge.updated"}], charges[step{status, status, "charge.refunded"}] = true, true
	}
	for _, m := range refund.Moves() {
		refunds[step{string(m.From), string(m.To), m.Event}] = true
	}
	state := func(s dispute.State) string {
		if s == (dispute.State{}) {
			return ""
		}
		return string(s.Kind) + " " + string(s.Status)
	}
	for _, m := range dispute.Moves() {
		disputes[step{state(m.From), state(m.To), m.Event}] = true
		disputes[step{state(m.To), state(m.To), "dispute.updated"}] = true
	}
	for _, m := range payout.Moves() {
		payouts[step{string(m.From), string(m.To), m.Event}] = true
	}
	for _, m := range merchant.Moves() {
		merchants[step{string(m.From), string(m.To), "merchant.updated"}] = true
	}
	for _, status := range merchant.Statuses() {
		merchants[step{string(status), string(status), "merchant.updated"}] = true
	}
	merchants[step{"", string(merchant.Active), "merchant.created"}] = true
	donations := map[step]bool{}
	for _, m := range daf.Moves() {
		from := ""
		if m.From != "" {
			from = string(m.Kind) + " " + string(m.From)
		}
		to := string(m.Kind) + " " + string(m.To)
		donations[step{from, to, m.Events[0]}], donations[step{to, to, "daf_donation_updated"}] = true, true
	}
	return map[string]map[step]bool{"daf_donation": donations, "charge": charges, "refund": refunds,
		"dispute": disputes, "payout": payouts, "merchant": merchants}
}

// stateOf is what an object's table of moves speaks of.
func stateOf(object map[string]any) string {
	status, _ := object["status"].(string)
	if kind, ok := object["kind"].(string); ok &&
		(object["object"] == "dispute" || object["object"] == "daf_donation") {
		return kind + " " + status
	}
	return status
}

// computed deletes the members that readers compute: a charge's payout, and a merchant's percentage, which is
// that of the fee schedule in effect. They change without a version of the object.
func computed(object map[string]any) {
	delete(object, "payout_id")
	delete(object, "daf_percentage")
}

// auditHistories follows every object through its events: each version is told once, of moves that the
// tables allow, and what is told last is what is there.
func (s *site) auditHistories() {
	s.t.Helper()
	tables, last := allowed(), map[[16]byte]told{}
	for _, e := range rows[told](s, `
		SELECT object_id, type, position::int, object, previous_attributes, created_at FROM events
		WHERE application_id = @app AND split_part(type, '.', 1) IN ('charge', 'refund', 'dispute', 'payout',
			'merchant', 'daf_donation', 'daf_donation_updated')
		ORDER BY object_id, position`) {
		kind := strings.TrimSuffix(strings.Split(e.Type, ".")[0], "_updated")
		computed(e.Object)
		before := last[e.ObjectID]
		if kind == "daf_donation" {
			if e.Position%2 == 0 {
				s.auditPair(before, e)
				last[e.ObjectID] = e
				continue
			}
			e.Position, before.Position = (e.Position+1)/2, (before.Position+1)/2 // one version may have two events
		}
		if e.Position != before.Position+1 || e.Object["version"] != float64(e.Position) ||
			e.At.Before(before.At.Time) {
			s.t.Fatalf("event %d of %s with version %v at %v follows %d at %v", e.Position, e.Object["id"],
				e.Object["version"], e.At, before.Position, before.At)
		}
		from := ""
		if before.Position > 0 {
			from = stateOf(before.Object)
		}
		if !tables[kind][step{from, stateOf(e.Object), e.Type}] {
			s.t.Fatalf("%s went from %q to %q by %s", e.Object["id"], from, stateOf(e.Object), e.Type)
		}
		computed(e.Previous) // a change at once has a version, one that was scheduled has none
		if want := differing(before.Object, e.Object); !reflect.DeepEqual(e.Previous, want) {
			s.t.Fatalf("version %d of %s tells of %v before, which was %v", e.Position, e.Object["id"],
				e.Previous, want)
		}
		if !grows(before.Object["fees"], e.Object["fees"]) {
			s.t.Fatalf("the fees of %s were %v, then %v", e.Object["id"], before.Object["fees"], e.Object["fees"])
		}
		if kind == "daf_donation" {
			e.Position = 2*e.Position - 1
		}
		last[e.ObjectID] = e
	}
	s.auditPresent(last)
}

// auditPair holds the event of a donation's completion or cancellation to the one of the update before.
func (s *site) auditPair(update, e told) {
	s.t.Helper()
	if e.Position != update.Position+1 || e.At != update.At || !reflect.DeepEqual(e.Object, update.Object) ||
		!reflect.DeepEqual(e.Previous, update.Previous) ||
		e.Type != "daf_donation."+fmt.Sprint(e.Object["status"]) || e.Object["status"] == e.Previous["status"] {
		s.t.Fatalf("%s of %v does not tell of the same as the update before", e.Type, e.Object["id"])
	}
}

// differing are the members of an object that are not so in the next; none of a creation.
func differing(before, after map[string]any) map[string]any {
	out := map[string]any{}
	for name, was := range before {
		if !reflect.DeepEqual(was, after[name]) {
			out[name] = was
		}
	}
	return out
}

// grows reports whether a list only got longer.
func grows(before, after any) bool {
	old, _ := before.([]any)
	now, _ := after.([]any)
	return len(old) <= len(now) && reflect.DeepEqual(append([]any{}, old...), append([]any{}, now[:len(old)]...))
}

// auditPresent compares what was told last of each object with what readers get.
func (s *site) auditPresent(last map[[16]byte]told) {
	s.t.Helper()
	type row struct {
		ID   [16]byte `db:"id"`
		Kind string   `db:"kind"`
	}
	all := rows[row](s, `
		SELECT id, 'charge' AS kind FROM charges WHERE application_id = @app UNION ALL SELECT id, 'refund' FROM refunds
			WHERE application_id = @app
		UNION ALL SELECT id, 'donation' FROM daf_donations WHERE application_id = @app
		UNION ALL SELECT id, 'dispute' FROM disputes WHERE application_id = @app UNION ALL SELECT id, 'payout'
			FROM payouts WHERE application_id = @app`)
	for _, r := range all {
		var now any
		var err error
		switch r.Kind {
		case "charge":
			now, err = s.Charges.Get(s.ctx(), s.server(), ids.ChargeFrom(r.ID).String())
		case "refund":
			now, err = s.Refunds.Get(s.ctx(), s.server(), ids.RefundFrom(r.ID).String())
		case "donation":
			now, err = s.DAF.Get(s.ctx(), s.server(), ids.DonationFrom(r.ID).String())
		case "payout":
			now, err = s.Payouts.Get(s.ctx(), s.server(), ids.PayoutFrom(r.ID).String())
		default:
			now, err = s.Disputes.Get(s.ctx(), s.server(), ids.DisputeFrom(r.ID).String())
		}
		s.must(err)
		got := members(now)
		computed(got)
		if !reflect.DeepEqual(got, last[r.ID].Object) {
			s.t.Fatalf("a %s is\n%v\nand was last told as\n%v", r.Kind, got, last[r.ID].Object)
		}
	}
}

// members are an object as JSON has it.
func members(object any) (out map[string]any) {
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // records are plain
	}
	return out
}
