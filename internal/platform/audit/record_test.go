package audit_test

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
)

// list reads the log as an actor sees it, the first entry first.
func (w world) list(a authz.Actor, in audit.ListInput) []audit.Entry {
	w.t.Helper()
	in.Page = page.Input[ids.AuditEntry]{Limit: 100, Ascending: true}
	p, err := w.List(w.t.Context(), a, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Items
}

func TestEntryTellsWhoDidWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := person(3, 7)
	a.RequestID, a.Address = ids.NewRequest(w.clock.Now()), netip.MustParseAddr("::ffff:192.0.2.7")
	at := w.clock.Now()
	w.do(a, map[string]any{"name": "Old", "same": 1, "version": 1},
		map[string]any{"name": "New", "same": 1, "version": 2})
	got := w.list(person(9, 7), audit.ListInput{})
	if len(got) != 1 {
		t.Fatalf("%d entries", len(got))
	}
	e := got[0]
	if e.ActorKind != audit.Person || *e.PersonID != 3 || e.ActorName != "Sam" || e.Role != authz.RoleSystemAdmin ||
		e.Domain != "system" ||
		e.Permission != authz.MerchantUpdate || e.SubjectKind != "merchant" || e.SubjectID != "7" ||
		*e.MerchantID != 7 || e.ApplicationID != 7 ||
		e.Outcome != audit.Done || string(e.Before) != `{"name":"Old"}` || string(e.After) != `{"name":"New"}` ||
		*e.RequestID != a.RequestID ||
		e.Address.String() != "192.0.2.7" || !e.CreatedAt.Equal(at) || e.KeyID != nil || e.OrganizationID != nil {
		t.Errorf("%+v: before %s, after %s", e, e.Before, e.After)
	}
}

// Entries of commands name their operator, to the deployment's people only: neither reading nor searching reveals them
// to tenants.
func TestCommandsNameTheirOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "jane as root on pay-1 (pts/3)"
	w.do(authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: 7, Operator: who}, nil, map[string]any{"name": "New"})
	tenant := authz.Actor{Role: authz.RoleApplicationAdmin, PersonID: 9, ApplicationID: 7,
		Granted: authz.Domain{Scope: authz.ScopeApplication, ID: 7}}
	part := "PAY-1"
	for _, one := range []struct {
		actor authz.Actor
		name  string
		found int
	}{{person(9, 7), who, 1}, {tenant, "", 0}} {
		got := w.list(one.actor, audit.ListInput{})
		if len(got) != 1 || got[0].ActorKind != audit.Command || got[0].ActorName != one.name {
			t.Fatalf("%s: %+v", one.actor.Role, got)
		}
		e, err := w.Get(t.Context(), one.actor, got[0].ID.String())
		if err != nil || e.ActorName != one.name {
			t.Errorf("%s: %+v, %v", one.actor.Role, e, err)
		}
		if got := w.list(one.actor, audit.ListInput{Who: &part, Chains: []int64{7}}); len(got) != one.found {
			t.Errorf("%s finds %d", one.actor.Role, len(got))
		}
	}
	if c, err := w.Inspect(t.Context(), 7); err != nil || c.Flaw != "" || c.Entries != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRefusalsAreKeptThoughNothingElseIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	staff := authz.Actor{Role: authz.RoleOrganizationStaff, PersonID: 4, PersonName: "Remy", ApplicationID: 7,
		OrganizationID: 2,
		Granted:        authz.Domain{Scope: authz.ScopeOrganization, ID: 2}}
	for _, id := range []string{"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "<b>\x00", strings.Repeat("x", 200)} {
		if err := w.Allow(t.Context(), staff, authz.ChargeVoid, audit.Of("charge", id, 0)); !fault.HasCode(err,
			"permission_denied") {
			t.Fatal(err)
		}
		w.clock.Advance(time.Millisecond)
	}
	if err := w.Allow(t.Context(), staff, authz.RefundCreate, audit.Of("charge", "", 0)); err != nil {
		t.Error(err)
	}
	key := authz.Actor{Role: authz.RoleRestrictedKey, ApplicationID: 7, Restriction: &authz.Restriction{}}
	if err := w.Allow(t.Context(), key, authz.WebhookManage, audit.Of("webhook_endpoint", "", 0)); !fault.HasCode(err,
		"permission_denied") {
		t.Error(err)
	}
	got := w.list(person(9, 0), audit.ListInput{})
	if len(got) != 3 {
		t.Fatalf("%d entries: %+v", len(got), got)
	}
	for i, want := range []string{"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "", ""} {
		e := got[i]
		if e.Outcome != audit.Denied || e.SubjectID != want || e.Permission != authz.ChargeVoid ||
			*e.OrganizationID != 2 || e.Domain != "org:2" ||
			string(e.Before) != "{}" || string(e.After) != "{}" {
			t.Errorf("%+v", e)
		}
	}
}

// A refusal is written whatever becomes of its caller, and one that cannot be written is an error.
func TestRefusalsOutliveTheirCallers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	staff := authz.Actor{Role: authz.RoleSupportStaff, PersonID: 4, ApplicationID: 7, Granted: authz.System()}
	gone, cancel := newCanceled(t)
	defer cancel()
	if err := w.Allow(gone, staff, authz.KeyManage, audit.Of("api_key", "", 0)); !fault.HasCode(err,
		"permission_denied") {
		t.Error(err)
	}
	if got := w.list(person(9, 7), audit.ListInput{}); len(got) != 1 {
		t.Errorf("%d entries", len(got))
	}
	w.pool.Close()
	if err := w.Allow(t.Context(), staff, authz.KeyManage, audit.Of("api_key", "", 0)); err == nil ||
		fault.HasCode(err, "permission_denied") {
		t.Errorf("nobody hears of it: %v", err)
	}
}

func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := person(1, 7)
	type object struct {
		Object    string            `json:"object"`
		Secret    string            `json:"secret,omitempty"`
		Billing   map[string]string `json:"billing"`
		Note      *string           `json:"note"`
		Text      string            `json:"text"`
		UpdatedAt time.Time         `json:"updated_at"`
	}
	// nothing changed
	w.do(a, object{Text: "same"}, object{Text: "same", UpdatedAt: w.clock.Now()})
	// something new
	w.do(a, nil, object{Secret: "whsec_abc", Billing: map[string]string{"name": "Dana"}, Text: "4242 4242 4242 4242"})
	w.do(a, object{Text: "gone"}, nil)
	w.do(a, nil, nil)
	var none *object
	w.do(a, none, object{Text: "first"})
	want := []string{
		`{} {"billing":"[redacted]","note":null,"secret":"[redacted]","text":"[redacted]"}`,
		`{"billing":null,"note":null,"text":"gone"} {}`, `{} {}`, `{} {"billing":null,"note":null,"text":"first"}`,
	}
	var got []string
	for _, e := range w.list(a, audit.ListInput{}) {
		got = append(got, string(e.Before)+" "+string(e.After))
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What reports payers is left out wherever it stands: nothing is ever taken out of the log again. Who of us did
// something is told.
func TestWhatTellsOfPayersIsKeptNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := person(1, 7)
	change := map[string]any{"status": "canceled", "user": "Sam", "note": "Dana asked"}
	w.do(a, map[string]any{"status_history": []any{}, "amount": 9007199254740993},
		map[string]any{"status_history": []any{change},
			"amount": 9007199254740995, "void_reason": "Dana asked",
			"user": map[string]any{"email": "dana@example.org"},
			"by":   map[string]any{"note": nil}})
	e := w.list(a, audit.ListInput{})[0]
	want := `{"amount":9007199254740995,"by":{"note":null},"status_history":[{"note":"[redacted]","status":"canceled","user":"Sam"}],` +
		`"user":"[redacted]","void_reason":"[redacted]"}`
	if string(e.Before) != `{"amount":9007199254740993,"status_history":[]}` || string(e.After) != want {
		t.Errorf("kept %s, %s\nwant %s", e.Before, e.After, want)
	}
}

// Programs are written down when they administer, as nothing else would tell; their money moves have events.
func TestWhoIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: 7, KeyID: ids.NewKey(w.clock.Now()), KeyName: "Server"}
	for a, kind := range map[*authz.Actor]audit.ActorKind{
		&key: audit.Key, {Role: authz.RoleSystemAdmin, ApplicationID: 7}: audit.Command} {
		before := len(w.list(person(9, 7), audit.ListInput{}))
		w.do(*a, nil, thing{})
		got := w.list(person(9, 7), audit.ListInput{})
		if len(got) != before+1 || got[before].ActorKind != kind || (got[before].KeyID != nil) != (kind == audit.Key) {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	err := inTx(t, w, func(d doneTx) error { return d(key, authz.RefundCreate) })
	if err != nil || len(w.list(person(9, 7), audit.ListInput{Permissions: []string{"refund:create"}})) != 0 {
		t.Errorf("a program's refund is kept: %v", err)
	}
}

func TestEverybodySeesTheirPartOfTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := func(id int64) authz.Actor {
		return authz.Actor{Role: authz.RoleApplicationAdmin, PersonID: 20 + id, ApplicationID: id,
			Granted: authz.Domain{Scope: authz.ScopeApplication, ID: id}}
	}
	org := func(id int64, merchants ...int64) authz.Actor {
		return authz.Actor{Role: authz.RoleOrganizationAdmin, PersonID: 30 + id, ApplicationID: 7, OrganizationID: id,
			Granted: authz.Domain{Scope: authz.ScopeOrganization, ID: id}, Merchants: merchants}
	}
	done := func(a authz.Actor, subject string, merchant int64) {
		t.Helper()
		if err := inTx(t, w,
			func(d doneTx) error {
				return d(a, authz.MerchantUpdate, audit.Of("merchant", subject, merchant))
			}); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Millisecond)
	}
	done(person(1, 0), "system", 0)
	done(app(7), "app7", 0)
	done(app(8), "app8", 0)
	done(app(7), "m1", 1)
	done(org(2, 1), "by2", 0)
	done(org(3, 5), "by3", 0)
	for _, a := range []authz.Actor{
		org(2, 1), {Role: authz.RoleSupportStaff, PersonID: 50, ApplicationID: 7, Granted: authz.System()}} {
		if err := w.Allow(t.Context(), a, authz.KeyManage, audit.Of("merchant", "refused", 1)); err == nil {
			t.Fatal("allowed")
		}
		w.clock.Advance(time.Millisecond)
	}
	all := "system app7 app8 m1 by2 by3 refused refused"
	for name, c := range map[string]struct {
		actor authz.Actor
		in    audit.ListInput
		want  string
	}{
		"the deployment":               {person(1, 0), audit.ListInput{}, all},
		"the deployment, in one":       {person(1, 8), audit.ListInput{}, all},
		"the deployment, of one":       {person(1, 8), audit.ListInput{Chains: []int64{0, 8}}, "system app8"},
		"an application":               {app(7), audit.ListInput{}, "app7 m1 by2 by3 refused refused"},
		"an application, of another":   {app(7), audit.ListInput{Chains: []int64{8}}, "app7 m1 by2 by3 refused refused"},
		"another application":          {app(8), audit.ListInput{}, "app8"},
		"an organization":              {org(2, 1), audit.ListInput{}, "m1 by2 refused"},
		"another organization":         {org(3, 5), audit.ListInput{}, "by3"},
		"one without merchants":        {org(4), audit.ListInput{}, ""},
		"of a person":                  {person(1, 0), audit.ListInput{People: []int64{32, 50}}, "by2 refused refused"},
		"refused":                      {person(1, 0), audit.ListInput{Outcomes: []string{"denied"}}, "refused refused"},
		"of a permission":              {person(1, 0), audit.ListInput{Permissions: []string{"key:manage"}}, "refused refused"},
		"of a subject":                 {app(7), audit.ListInput{SubjectID: new("m1")}, "m1"},
		"by part of a name":            {person(1, 0), audit.ListInput{Who: new("SAM")}, "system"},
		"of a request that is unheard": {app(7), audit.ListInput{RequestID: new(ids.NewRequest(w.clock.Now()))}, ""},
	} {
		var got []string
		for _, e := range w.list(c.actor, c.in) {
			got = append(got, e.SubjectID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s sees %v, want %s", name, got, c.want)
		}
	}
	staff := org(2, 1)
	staff.Role = authz.RoleOrganizationStaff
	for _, e := range w.list(person(1, 0), audit.ListInput{}) {
		for name, a := range map[string]authz.Actor{"app7": app(7), "org2": org(2, 1)} {
			_, err := w.Get(t.Context(), a, e.ID.String())
			listed := slices.ContainsFunc(w.list(a, audit.ListInput{}),
				func(l audit.Entry) bool { return l.ID == e.ID })
			if (err == nil) != listed || err != nil && !fault.HasCode(err, "resource_missing") {
				t.Errorf("%s reads %s: %v", name, e.SubjectID, err)
			}
		}
	}
	if _, err := w.Get(t.Context(), person(1, 0), "aud_x"); !fault.HasCode(err, "resource_missing") {
		t.Error(err)
	}
	if _, err := w.List(t.Context(), staff, audit.ListInput{}); !fault.HasCode(err, "permission_denied") {
		t.Errorf("staff reads the log: %v", err)
	}
	if _, err := w.ChainOf(t.Context(), staff); !fault.HasCode(err, "permission_denied") {
		t.Errorf("staff inspects the log: %v", err)
	}
	if c, err := w.ChainOf(t.Context(), app(7)); err != nil || c.ApplicationID != 7 || c.Entries != 6 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestEntriesAreObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(person(1, 7), nil, thing{Name: "x"})
	text, err := json.Marshal(w.list(person(1, 7), audit.ListInput{})[0])
	if err != nil || strings.Contains(string(text), "hash") ||
		!strings.Contains(string(text), `"after":{"count":0,"name":"x"}`) {
		t.Errorf("%s, %v", text, err)
	}
}
