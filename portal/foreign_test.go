package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/event"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/requestlog"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/history"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// lived is a portal over a demo with its history: nearly all of it is Riverside's.
func lived(t *testing.T) *world {
	t.Helper()
	w := mailWorld(t, nil)
	maker := demo.Maker{Identity: w.World.Identity, APIKeys: w.World.APIKeys, Merchants: w.Merchants,
		Payouts: w.Payouts, DAF: w.DAF}
	c, err := maker.Ensure(t.Context(), demo.Credentials{Application: w.App, Other: &w.Other}, fixture.PageOrigin)
	if err == nil {
		err = maker.EnsureDAF(t.Context(), c)
	}
	if err == nil {
		_, err = history.Maker{Services: w.Services, Funds: w.Funds, Clock: w.Clock, Demo: c,
			Origin: fixture.PageOrigin}.Make(t.Context(), w.Clock.Now().AddDate(0, 0, history.Days))
	}
	for n := 1; err == nil && n > 0; {
		n, err = w.Events.Number(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// one is the first object of a list, as addresses name it.
func one[T any](t *testing.T, id func(T) string) func(page.Of[T], error) string {
	return func(of page.Of[T], err error) string {
		t.Helper()
		if err != nil || len(of.Items) == 0 {
			t.Fatalf("none of %T: %v", of.Items, err)
		}
		return id(of.Items[0])
	}
}

// ofRiverside are ids of one of everything that Riverside has.
func (w *world) ofRiverside() []string {
	t, ctx, a := w.t, w.t.Context(), w.Person(authz.RoleApplicationAdmin)
	own, defaults := w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-77", "payout")),
		w.connected(w.sandboxAccount(nil, "own-78", "payout"))
	return []string{
		one(t, func(o charge.Charge) string { return o.ID.String() })(w.Charges.List(ctx, a,
			charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}})),
		one(t, func(o charge.Charge) string { return o.ID.String() })(w.Charges.List(ctx, a,
			charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}, Statuses: []string{"authorized"}})),
		one(t, func(o refund.Refund) string { return o.ID.String() })(w.Refunds.List(ctx, a,
			refund.ListInput{Page: page.Input[ids.Refund]{Limit: 1}, Statuses: []string{"pending"}})),
		one(t, func(o dispute.Dispute) string { return o.ID.String() })(w.Disputes.List(ctx, a,
			dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 1}, Statuses: []string{"needs_response"}})),
		one(t, func(o payout.Payout) string { return o.ID.String() })(w.Payouts.List(ctx, a,
			payout.ListInput{Page: page.Input[ids.Payout]{Limit: 1}})),
		one(t, func(o daf.Donation) string { return o.ID.String() })(w.DAF.List(ctx, a,
			daf.ListInput{Page: page.Input[ids.Donation]{Limit: 1}, Statuses: []string{"unknown"}})),
		one(t, func(o event.Event) string { return o.ID.String() })(w.Events.List(ctx, a,
			event.ListInput{Page: page.Input[int64]{Limit: 1}})),
		one(t, func(o requestlog.Log) string { return o.ID.String() })(w.RequestLogs.List(ctx, a,
			requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 1}})),
		one(t, func(o webhook.Endpoint) string { return o.ID.String() })(w.Webhooks.List(ctx, a,
			webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 1}})),
		one(t, func(o identity.Member) string { return fmt.Sprint(o.GrantID) })(w.World.Identity.Team(ctx, a,
			identity.TeamInput{Page: page.Input[int64]{Limit: 1}})),
		one(t, func(o identity.Invitation) string { return fmt.Sprint(o.ID) })(w.World.Identity.Invitations(ctx, a,
			page.Input[int64]{Limit: 1})),
		w.entries(authz.FeeManage)[0].ID.String(), w.entries(authz.RefundCreate)[0].ID.String(),
		w.entries(authz.TeamRead, authz.TeamManage)[0].ID.String(),
		fmt.Sprint(w.App.Merchants.US), fmt.Sprint(w.App.OrganizationID), own.ID.String(), defaults.ID.String(),
	}
}

// addresses are a route with each of the ids in the place of its parameters.
func addresses(path string, of []string) (out []string) {
	if !strings.Contains(path, ":") {
		return nil
	}
	for _, id := range of {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, ":") {
				parts[i] = id
			}
		}
		out = append(out, strings.Join(parts, "/"))
	}
	return out
}

// changes counts what was changed, by anybody: not that people signed in, or took their own lists as files.
func (w *world) changes() int64 {
	w.t.Helper()
	n, err := pg.Value[int64](w.t.Context(), w.Pool, `SELECT (SELECT count(*) FROM events) + (SELECT count(*)
		FROM audit_entries WHERE outcome = 'done' AND subject_kind NOT IN ('download', 'person'))`, pg.Args{})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// An administrator of one organization finds nothing of another's, of the same application or of another one, under
// any address and in any form, nor does the administrator of another application; and no page of theirs says a word of
// it.
func TestNothingOfAnotherOrganizationIsThere(t *testing.T) {
	t.Parallel()
	w := lived(t)
	foreign := w.ofRiverside()
	second := w.Merchant(merchant.CreateInput{Name: new("Parish Kitchen"),
		Organization: &merchant.NewOrganization{Name: new("Parish Trust")}})
	beside := w.App
	beside.OrganizationID = second.Organization.ID
	for _, viewer := range []struct {
		who  string
		role authz.Role
		in   demo.Application
	}{{"another organization of the application", authz.RoleOrganizationAdmin, beside},
		{"an organization of another application", authz.RoleOrganizationAdmin, w.Other},
		{"another application", authz.RoleApplicationAdmin, w.Other}} {
		cookie := w.in(viewer.role, viewer.in)
		before := w.changes()
		for _, r := range w.routes() {
			if r.Needs == web.Public || !slices.Contains(w.desk.Holders(r.Needs), viewer.role) &&
				r.Needs != web.SignedIn {
				continue // others are refused altogether
			}
			w.findsNothing(viewer.who, cookie, r, foreign)
		}
		for _, id := range foreign {
			w.silent(viewer.who, find(id), w.send(find(id), nil, "Cookie", cookie), nil)
		}
		if n := w.changes() - before; n != 0 {
			t.Errorf("%s made %d changes", viewer.who, n)
		}
	}
}

// findsNothing has someone try every id under a route, and in the fields of its form.
func (w *world) findsNothing(who, cookie string, r web.Route, foreign []string) {
	w.t.Helper()
	form := func(id string) url.Values {
		return url.Values{web.OnceField: {web.NewOnce()}, "version": {"1"}, "id": {id}, "ids": {id}, "donation": {id},
			"merchant": {id}, "merchant_id": {id},
			"status": {"completed"}, "role": {"organization_staff"}, "amount": {"1.00"}}
	}
	switch at := addresses(r.Path, foreign); {
	case r.Method == http.MethodGet && at == nil:
		w.silent(who, r.Path, w.send(r.Path, nil, "Cookie", cookie), foreign)
	case r.Method == http.MethodGet:
		for _, path := range at {
			if a := w.send(path, nil, "Cookie", cookie); a.StatusCode != http.StatusNotFound &&
				a.StatusCode != http.StatusForbidden {
				w.t.Errorf("%s: GET %s is %d", who, path, a.StatusCode)
			}
		}
	case r.Needs == web.SignedIn: // of their own account, whose sessions and passkeys have numbers like anybody's
	case at == nil:
		for _, id := range foreign {
			w.silent(who, r.Path, w.send(r.Path, form(id), "Cookie", cookie), nil)
		}
	default:
		for i, path := range at {
			if a := w.send(path, form(foreign[i]), "Cookie", cookie); a.StatusCode < http.StatusBadRequest {
				w.t.Errorf("%s: POST %s is %d to %s", who, path, a.StatusCode, a.Header.Get("Location"))
			}
		}
	}
}

// silent demands that a page names nothing and no one of Riverside.
func (w *world) silent(who, path string, a answer, more []string) {
	w.t.Helper()
	said := slices.DeleteFunc(slices.Concat(more,
		[]string{"Riverside Community", "Riverside Food", "Riverside Animal", "Riverside Winter", "@riverside.example",
			"Whitfield"}),
		func(word string) bool { return len(word) < 8 || !strings.Contains(a.body, word) })
	if len(said) > 0 {
		w.t.Errorf("%s: %s says %q", who, path, said)
	}
}
