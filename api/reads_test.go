package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/report/export"
	"svcpay/internal/report/search"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
)

// readRow says with which right objects of a kind are read, and what shows them besides events and webhooks.
type readRow struct {
	resource string // of the right
	path     string // of requests that contain them
	search   bool   // a search finds them
	export   string // the resource of exports that has them, "" for none
	timeline bool   // a charge's timeline has entries of them
	expand   bool   // other objects are given with them
}

// readRows has a row for each kind of objects that events are about. Who adds a kind adds a row.
var readRows = map[string]readRow{
	"charge":           {"charge", "/api/charges", true, "charges", true, true},
	"refund":           {"refund", "/api/refunds", true, "refunds", true, false},
	"dispute":          {"dispute", "/api/disputes/dp_1/evidence", true, "disputes", true, false},
	"payout":           {"payout", "/api/payouts", true, "payouts", true, false},
	"merchant":         {"merchant", "/api/merchants/1042", true, "merchants", false, true},
	"card_rules":       {"card_rule", "/api/merchants/1042/card_rules", false, "", false, false},
	"fee_change":       {"fee", "/api/merchants/1042/fees", false, "", false, false},
	"daf_donation":     {"donation", "/api/dafDonations", true, "daf_donations", false, false},
	"token":            {"token", "/api/tokens/tok_1", true, "tokens", false, false},
	"webhook_endpoint": {"webhook", "/api/webhook_endpoints", false, "", false, false},
}

// readWorld is an application with an object of each kind wherever objects are shown.
type readWorld struct {
	*site
	events    map[string][]event.Event // of a kind, those that are numbered
	endpoints map[string]string        // that get the events of a kind; any gets none
	exports   map[string]string        // that are done
	charges   map[string]ids.Charge    // that have entries of a kind in their timelines

	denied, allowed int // reads so far
}

// readSurface is something that shows objects of several kinds.
type readSurface struct {
	needs string // the resource whose right lets one ask at all
	has   func(readRow) bool
	// nil if the actor reads objects of the kind
	reads func(r *readWorld, t *testing.T, a authz.Actor, kind string) error
}

var errUnread = fmt.Errorf("left out, or without its contents")

func always(readRow) bool { return true }

// unread is an error if nothing is shown.
func unread(shown bool, err error) error {
	if err == nil && !shown {
		return errUnread
	}
	return err
}

var readSurfaces = map[string]readSurface{
	"events by type": {"event", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		p, err := r.Events.List(t.Context(), a,
			event.ListInput{Page: page.Input[int64]{Limit: 100}, Types: typesOf(kind)})
		return unread(len(p.Items) > 0, err)
	}},
	"events": {"event", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		p, err := r.Events.List(t.Context(), a, event.ListInput{Page: page.Input[int64]{Limit: 100}})
		return unread(slices.ContainsFunc(p.Items, func(e event.Event) bool { return event.Kind(e.Type) == kind }), err)
	}},
	"event": {"event", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) (err error) {
		for _, e := range r.events[kind] {
			if _, err = r.Events.Get(t.Context(), a, e.ID.String()); err != nil {
				return err
			}
		}
		return nil
	}},
	"redelivery": {"event", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		_, err := r.Webhooks.Redeliver(t.Context(), a, r.events[kind][0].ID.String(),
			webhook.RedeliverInput{EndpointID: new(r.endpoints["any"])}, nil)
		return err
	}},
	"new endpoint": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		made, err := r.Webhooks.Create(t.Context(), a, webhook.CreateInput{URL: new("https://example.org/new"),
			Events: typesOf(kind)}, nil)
		if err == nil {
			_, err = r.Webhooks.Delete(t.Context(), a, made.Object.ID.String(), webhook.DeleteInput{}, nil)
		}
		return err
	}},
	"endpoint that gets them": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		_, err := r.Webhooks.Update(t.Context(), a, r.endpoints[kind],
			webhook.UpdateInput{URL: new("https://example.org/" + kind)}, nil)
		return err
	}},
	"enabled endpoint": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		if _, err := r.Webhooks.Disable(t.Context(), a, r.endpoints[kind], nil); err != nil {
			return err
		}
		_, err := r.Webhooks.Enable(t.Context(), a, r.endpoints[kind], nil)
		if err != nil {
			_, _ = r.Webhooks.Enable(t.Context(), r.Actor(), r.endpoints[kind], nil)
		}
		return err
	}},
	"replay": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		begun, err := r.Webhooks.StartReplay(t.Context(), a, r.endpoints[kind],
			webhook.ReplayInput{Since: new(r.Clock.Now().Add(time.Hour))}, nil)
		if err == nil {
			_, err = r.Webhooks.CancelReplay(t.Context(), a, begun.Object.ID.String(), nil)
		}
		return err
	}},
	"test": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		in := webhook.TestInput{Type: new(typesOf(kind)[0]), Data: new(webhook.Sample)}
		if err := in.Data.UnmarshalJSON([]byte(`{"id":"of a test"}`)); err != nil {
			t.Fatal(err)
		}
		_, err := r.Webhooks.Test(t.Context(), a, r.endpoints["any"], in, nil)
		return err
	}},
	"deliveries": {"webhook", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		p, err := r.Webhooks.Deliveries(t.Context(), a, r.endpoints["any"],
			webhook.DeliveryInput{Page: page.Input[ids.Delivery]{Limit: 1}, Types: typesOf(kind)[:1],
				Statuses: []string{"succeeded"}})
		return unread(err == nil && len(p.Items[0].Attempts[0].Request) > 0 &&
			p.Items[0].Attempts[0].ResponseBody != "", err)
	}},
	"timeline": {"charge", func(row readRow) bool { return row.timeline },
		func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
			p, err := r.Timelines.OfCharge(t.Context(), a, r.charges[kind].String(),
				page.Input[ids.Happening]{Limit: 100})
			for _, h := range p.Items {
				about := map[string]bool{"charge": h.RefundID == nil && h.DisputeID == nil && h.PayoutID == nil,
					"refund": h.RefundID != nil, "dispute": h.DisputeID != nil, "payout": h.PayoutID != nil}
				if about[kind] {
					return err
				}
			}
			return unread(false, err)
		}},
	"request log": {"request_log", always, func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
		p, err := r.RequestLogs.List(t.Context(), a,
			requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 1}, Path: new(readRows[kind].path),
				Statuses: []int64{402}})
		if err != nil {
			return err
		}
		l, err := r.RequestLogs.Get(t.Context(), a, p.Items[0].ID.String())
		shown := l.RequestBody != nil && l.ResponseBody != nil && l.Query != ""
		if list := p.Items[0]; shown != (list.RequestBody != nil && list.ResponseBody != nil && list.Query != "") {
			t.Errorf("%s: its list and the entry show different contents", kind)
		}
		return unread(shown, err)
	}},
	"search": {"search", func(row readRow) bool { return row.search },
		func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
			q, err := search.Parse("object:" + kind)
			if err == nil {
				_, err = r.Search.Find(t.Context(), a, search.Input{Query: q, Page: page.Input[search.Ref]{Limit: 1}})
			}
			return err
		}},
	"export": {"export", func(row readRow) bool { return row.export != "" },
		func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
			_, err := r.Exports.File(t.Context(), a, r.exports[kind])
			if err != nil {
				_, create := r.Exports.Create(t.Context(), a,
					export.Input{Resource: new(readRows[kind].export), Format: new("csv")}, nil)
				if create == nil {
					t.Errorf("%s: it is exported, and its file is refused with %v", kind, err)
				}
			}
			return err
		}},
	"expanded object": {"", func(row readRow) bool { return row.expand },
		func(r *readWorld, t *testing.T, a authz.Actor, kind string) error {
			api := newAPI(configOf(r.World))
			references := map[string]reference{"charge": api.chargeOf(), "merchant": api.merchantOf()}
			of := struct {
				ChargeID   ids.Charge
				MerchantID int64
			}{r.charges["charge"], r.App.Merchants.US}
			objects, err := references[kind].objects(t.Context(), a, []any{of})
			return unread(err == nil && objects[0] != nil, err)
		}},
}

// typesOf lists the types of events that are about objects of a kind.
func typesOf(kind string) (out []string) {
	for _, e := range event.Types() {
		if e.Object == kind {
			out = append(out, e.Name)
		}
	}
	return out
}

// TestObjectsAreReadWithTheirRight walks all kinds of objects that events are about and everything that shows objects
// of several kinds: a key without a kind's right reads its objects nowhere, and all others everywhere. Other rights
// than those of the kinds and of what shows them change nothing.
func TestObjectsAreReadWithTheirRight(t *testing.T) {
	t.Parallel()
	r := readable(t)
	needed := map[string]bool{}
	for _, surface := range readSurfaces {
		needed[surface.needs] = true
	}
	for _, row := range readRows {
		needed[row.resource] = true
		r.readsAllBut(t, "a key without "+row.resource, row.resource,
			func(of string) bool { return of != row.resource })
	}
	r.readsAllBut(t, "a key without what no kind needs", "", func(of string) bool { return needed[of] })
	r.readsAllBut(t, "a key with all rights", "", func(string) bool { return true })
	t.Logf("%d kinds, %d surfaces: %d reads without the right denied, %d with it allowed", len(readRows),
		len(readSurfaces), r.denied, r.allowed)
}

// readsAllBut holds a key with the rights to some resources to what it reads: all objects but those of one resource.
func (r *readWorld) readsAllBut(t *testing.T, who, missing string, has func(resource string) bool) {
	t.Helper()
	a := r.Actor()
	a.Role, a.Restriction = authz.RoleRestrictedKey, &authz.Restriction{Rights: slices.DeleteFunc(authz.Rights(),
		func(right authz.Right) bool {
			resource, _, _ := strings.Cut(string(right), ":")
			return !has(resource)
		})}
	for name, surface := range readSurfaces {
		for kind, row := range readRows {
			if !surface.has(row) || surface.needs == missing && missing != "" {
				continue
			}
			err := surface.reads(r, t, a, kind)
			if err != nil {
				r.denied++
			} else {
				r.allowed++
			}
			if denied := row.resource == missing; (err != nil) != denied || denied && err != errUnread &&
				!fault.HasCode(err, "permission_denied") {
				t.Errorf("%s reads %s in %s: %v", who, kind, name, err)
			}
		}
	}
}

// Every kind, type, route and export is in the tables of this test and of package requestlog.
func TestEveryKindThatIsShownHasItsRight(t *testing.T) {
	t.Parallel()
	var exported []string
	for kind, row := range readRows {
		required := requiredFor(kind)
		if required != row.resource+":read" {
			t.Errorf("%s is read with %s, not with the right to read %s", kind, required, row.resource)
		}
		if kind, known := requestlog.ContentOf(row.path); !known || requiredFor(kind) != required {
			t.Errorf("%s contains %q", row.path, kind)
		}
		if _, err := search.Parse("object:" + kind); (err == nil) != row.search {
			t.Errorf("a search for %s: %v", kind, err)
		}
		if row.export != "" {
			exported = append(exported, row.export)
		}
	}
	for _, e := range event.Types() {
		if _, ok := readRows[e.Object]; !ok {
			t.Errorf("%s: no row says how objects of the kind %s are read", e.Name, e.Object)
		}
	}
	for _, name := range export.Resources() {
		if name != "balance_entries" && !slices.Contains(exported, name) { // no event is about those
			t.Errorf("no row has exports of %s", name)
		}
	}
	for _, route := range new(API).routes() {
		kind, known := requestlog.ContentOf(route.path)
		if !known {
			t.Errorf("%s: package requestlog does not know what its requests contain", route.path)
		}
		needed, _, _ := strings.Cut(string(route.permission), ":")
		reads, _, _ := strings.Cut(requiredFor(kind), ":")
		if kind != "" && needed != reads && needed != "sandbox" && !strings.HasPrefix(route.path, "/api/sandbox/") {
			t.Errorf("%s takes a right to %s, and its log one to %s", route.path, needed, reads)
		}
	}
}

// denying denies everything.
type denying struct{}

func (denying) Check(_ authz.Actor, p authz.Permission) error { return authz.Denied(p) }

// requiredFor is the permission that reads objects of a kind; "" if none does.
func requiredFor(kind string) string {
	f, ok := fault.As(authz.Reads(denying{}, authz.Actor{}, kind))
	if !ok {
		return ""
	}
	return fmt.Sprint(f.Detail["required_permission"])
}
