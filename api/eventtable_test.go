package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/event"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// This file holds the catalogue of events to what happens. The rows that there must be follow from the
// tables of moves of the flows; eventrows_test.go has what makes each happen.

// change is a row's name: a type of event with the states between which it reports a move.
func change(name, from, to string) string {
	if from == "" {
		from = "nothing"
	}
	return fmt.Sprintf("%s: %s to %s", name, from, to)
}

// changes lists every row that there must be.
func changes() (out []string) {
	for _, m := range charge.Moves() {
		out = append(out, change(m.Event, string(m.From), string(m.To)))
	}
	for _, m := range refund.Moves() {
		out = append(out, change(m.Event, string(m.From), string(m.To)))
	}
	for _, m := range dispute.Moves() {
		out = append(out, change(m.Event, strings.TrimSpace(string(m.From.Kind)+" "+string(m.From.Status)),
			string(m.To.Kind)+" "+string(m.To.Status)))
	}
	for _, m := range payout.Moves() {
		out = append(out, change(m.Event, string(m.From), string(m.To)))
	}
	for _, m := range merchant.Moves() {
		out = append(out, change("merchant.updated", string(m.From), string(m.To)))
	}
	for row := range donationTriggers() {
		out = append(out, row)
	}
	return append(out, change("merchant.created", "", "active"), "merchant.updated", "card_rules.updated",
		"fees.updated", "charge.refunded",
		"charge.updated",
		change("token.updated", "pending_verification", "active"), change("token.updated", "pending_verification",
			"disabled"),
		change("token.updated", "active", "disabled"), change("token.updated", "active",
			"expired"), change("token.updated", "active", "deleted"), "token.updated",
		change("webhook_endpoint.paused", "enabled", "paused"), "webhook_endpoint.recovered")
}

// elsewhere are types without a row: the one that is in no list.
var elsewhere = []string{"ping"}

func TestEveryTypeOfEventHasATrigger(t *testing.T) {
	t.Parallel()
	wanted := changes()
	for _, name := range event.Names() {
		if has := slices.ContainsFunc(wanted, func(c string) bool {
			return c == name ||
				strings.HasPrefix(c, name+":")
		}); has == slices.Contains(elsewhere, name) {
			t.Errorf("%s: a row is wanted %v", name, has)
		}
	}
	all := donationTriggers()
	maps.Copy(all, triggers)
	same(t, "rows", slices.Collect(maps.Keys(all)), wanted)
	for row, trigger := range all {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			s := playSite(t)
			id := trigger(s)
			s.number(t)
			s.told(t, row, id)
			s.auditEvents(t)
		})
	}
}

// stage is a site whose processor does what a row wants.
type stage struct {
	*site
	t *testing.T
	p *puppet
}

// puppet is the sandbox's processor with refunds and payouts that a row plays with; nil plays nothing.
type puppet struct {
	*sandbox.Processor
	refund func(context.Context, processor.FollowUp) (processor.Answer, error)
	payout func(context.Context, processor.Payout) (processor.Answer, error)
	known  map[string]processor.Answer // what look-ups are told, whatever is in the book
}

var errLine = errors.New("the line is dead")

func (p *puppet) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	if p.refund != nil {
		return p.refund(ctx, f)
	}
	return p.Processor.Refund(ctx, f)
}

func (p *puppet) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	if p.payout != nil {
		return p.payout(ctx, out)
	}
	return p.Processor.Payout(ctx, out)
}

func (p *puppet) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	if a, ok := p.known[reference]; ok {
		return a, nil
	}
	return p.Processor.Lookup(ctx, account, reference)
}

func playSite(t *testing.T) *stage {
	t.Helper()
	p := &puppet{known: map[string]processor.Answer{}}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	return &stage{serve(t, w, configOf(w), time.Minute), t, p}
}

// told fails unless one event of an object reports a row's change.
func (s *stage) told(t *testing.T, row, id string) {
	t.Helper()
	name, move, moves := strings.Cut(row, ": ")
	n := 0
	var seen []string
	for _, h := range s.history(t)[id] {
		seen = append(seen, h.change())
		if h.Type == name && (!moves || h.change() == name+": "+move) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d events tell of it: %v", n, seen)
	}
}

// happened is an event with the object as it was before.
type happened struct {
	event.Event
	position      int64
	object, prior map[string]json.RawMessage
}

// change names the row that an event is in, by what it tells itself.
func (h happened) change() string {
	state := func(members map[string]json.RawMessage) string {
		text := strings.Trim(string(members["status"]), `"`)
		if kind := string(h.object["object"]); kind == `"dispute"` || kind == `"daf_donation"` {
			text = strings.Trim(string(members["kind"]), `"`) + " " + text
		}
		return text
	}
	before := maps.Clone(h.object)
	_ = json.Unmarshal(h.Data.PreviousAttributes, &before) // it is read again, and looked at, by holdPrevious
	from := state(before)
	if h.position == 1 {
		from = ""
	}
	return change(h.Type, from, state(h.object))
}

// history is what happened to each object of the first application, by its id.
func (s *stage) history(t *testing.T) map[string][]happened {
	t.Helper()
	type row struct {
		ID       string
		Position int64
	}
	rows, err := pg.All[row](t.Context(), s.Pool, `SELECT 'evt_' || id::text AS id, position FROM events
		WHERE application_id = @app AND sequence IS NOT NULL ORDER BY sequence`,
		pg.Args{"app": s.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]happened{}
	place := 0
	for after := int64(0); ; {
		p := s.events(t, fmt.Sprintf("limit=100&after_sequence=%d", after))
		for _, e := range p.Data {
			h := happened{Event: e, position: rows[place].Position}
			if err := json.Unmarshal(e.Data.Object, &h.object); err != nil {
				t.Fatal(err)
			}
			delete(h.object, "warnings") // those of a creation are in no later object
			id := strings.Trim(string(h.object["id"]), `"`)
			if before := out[id]; len(before) > 0 {
				h.prior = before[len(before)-1].object
			}
			out[id] = append(out[id], h)
			after, place = e.Number(), place+1
		}
		if !p.HasMore {
			return out
		}
	}
}

// reading leads to the objects that can be read; endpoints change without a version.
var reading = map[string]string{
	"daf_donation": "/api/dafDonations/", "charge": "/api/charges/", "refund": "/api/refunds/",
	"dispute": "/api/disputes/", "payout": "/api/payouts/", "merchant": "/api/merchants/", "token": "/api/tokens/",
}

// auditEvents holds every event to what all promise: it keeps its type's schema, is about the next version of
// its object, and has the former values of exactly what changed, those that the catalogue names among them; the
// last one has the object as it is.
func (s *stage) auditEvents(t *testing.T) {
	t.Helper()
	doc := read(t)
	kinds := map[string]event.Type{}
	for _, k := range event.Types() {
		kinds[k.Name] = k
	}
	for id, story := range s.history(t) {
		for _, h := range story {
			if string(h.object["object"]) != fmt.Sprintf("%q", kinds[h.Type].Object) {
				t.Errorf("%s is about %s", h.Type, h.object["object"])
			}
			if text, err := json.Marshal(h.Event); err != nil ||
				valid(doc.Components.Schemas[eventSchema(h.Type)], text) != nil {
				t.Errorf("%s breaks its schema: %v\n%s", h.Type,
					valid(doc.Components.Schemas[eventSchema(h.Type)], text), text)
			}
			h.holdPrevious(t, id, kinds[h.Type].Former)
		}
		last := story[len(story)-1]
		if path := reading[kinds[last.Type].Object]; path != "" {
			if now := s.get(t, path+id).want(t, 200, ""); !alike(now.body, last.lasting(t)) {
				t.Errorf("%s told\n%s\nbut it is\n%s", last.Type, last.Data.Object, now.body)
			}
		}
	}
}

// lasting is the object without what only its creation says.
func (h happened) lasting(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(h.object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func valid(schema *openapi3.SchemaRef, object json.RawMessage) error {
	var value any
	if err := json.Unmarshal(object, &value); err != nil {
		return err
	}
	return schema.Value.VisitJSON(value)
}

func alike(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// version is that of the object by the event. One version of a donation may have two events.
func (h happened) version() int64 {
	if string(h.object["object"]) == `"daf_donation"` {
		return (h.position + 1) / 2
	}
	return h.position
}

// holdPrevious compares an event's previous attributes and version with the event before, and with what they
// have every time.
func (h happened) holdPrevious(t *testing.T, id string, always []string) {
	t.Helper()
	var previous map[string]json.RawMessage
	if err := json.Unmarshal(h.Data.PreviousAttributes, &previous); err != nil {
		t.Fatal(err)
	}
	version := h.version()
	if string(h.object["version"]) != fmt.Sprint(version) {
		t.Errorf("%s of %s has version %s, it is number %d", h.Type, id, h.object["version"], h.position)
	}
	for _, name := range always {
		if _, ok := previous[name]; !ok {
			t.Errorf("%s of %s does not tell what %s was: %s", h.Type, id, name, h.Data.PreviousAttributes)
		}
	}
	if h.position == 1 {
		if len(previous) > 0 {
			t.Errorf("%s tells of something before: %s", h.Type, h.Data.PreviousAttributes)
		}
		return
	}
	if string(previous["version"]) != fmt.Sprint(version-1) {
		t.Errorf("%s of %s comes after version %s, it is %d", h.Type, id, previous["version"], version)
	}
	if string(h.prior["version"]) == fmt.Sprint(version) &&
		!maps.EqualFunc(h.prior, h.object, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%s of %s has another object than the event that it is the pair of", h.Type, id)
	}
	if string(h.prior["version"]) != fmt.Sprint(version-1) { // of some the versions before have no event
		return
	}
	for name, was := range h.prior {
		changed := !bytes.Equal(was, h.object[name])
		if told, ok := previous[name]; ok != changed || changed && !bytes.Equal(told, was) {
			t.Errorf("%s of %s: %s was %s and is %s, told is %s", h.Type, id, name, was, h.object[name], told)
		}
	}
}
