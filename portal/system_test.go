package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/idempotency"
	"svcpay/internal/pg"
)

func TestTheSystemPageTellsWhatIsBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	a := w.send(systemPath, nil, "Cookie", admin)
	a.wants(t, http.StatusOK, "")
	a.says(t, "Riverside Giving", "Harbor Donations", "You work here", "Work here", "Webhooks that are due", "No file yet", "No job has run")
	w.paid("order-1") // its event has no number, as no server numbers it here
	w.send(systemPath, nil, "Cookie", admin).lacks(t, "Something is behind")
	w.pass(3 * time.Minute)
	late := w.send(systemPath, nil, "Cookie", admin)
	late.says(t, "Something is behind", "Behind")
	late.lacks(t, "Everything is on time")
	for n := 1; n > 0; {
		var err error
		if n, err = w.Events.Number(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.send(systemPath, nil, "Cookie", admin).says(t, "Everything is on time")
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO river.river_job (args, kind, max_attempts, state, finalized_at, queue, priority)
		VALUES ('{"name":"send_mails"}', 'sweep', 1, 'completed', now(), 'default', 1), ('{"name":"fold_ledger"}', 'sweep', 1, 'discarded', now(), 'default', 1)`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.send(systemPath, nil, "Cookie", admin).says(t, "send_mails", "fold_ledger", "Not yet", "Something is behind")
}

// The service's own rates are one step away, of every application.
func TestTheSystemPageLeadsToTheServiceRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	w.send(systemPath, nil, "Cookie", admin).says(t, "See rates", `name="return" value="`+servicePay+`"`)
	other := fmt.Sprint("system/", w.Other.AppID)
	there := w.send(switchPath, url.Values{"place": {other}, "return": {servicePay}}, "Cookie", admin)
	there.wants(t, http.StatusSeeOther, servicePay)
	admin = there.session(t)
	w.send(servicePay, nil, "Cookie", admin).wants(t, http.StatusOK, "")
	w.send(systemPath, nil, "Cookie", admin).says(t, `<a class="link" href="`+servicePay+`">See rates`)
}

func TestAnApplicationIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	for _, name := range []string{"", "  ", strings.Repeat("n", 101)} {
		a := w.send(newApplicationPath, url.Values{"name": {name}, onceField: {newOnce()}}, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "There is something to correct", `aria-invalid="true"`)
	}
	once := w.send(newApplicationPath, nil, "Cookie", admin).input(t, onceField)
	for range 2 { // sent twice it makes one
		w.send(newApplicationPath, url.Values{"name": {" Parish Pay "}, onceField: {once}}, "Cookie", admin).wants(t, http.StatusSeeOther, systemPath)
	}
	w.send(systemPath, nil, "Cookie", admin).says(t, "Parish Pay")
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM applications WHERE name = 'Parish Pay'`, pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d applications, %v", n, err)
	}
	made := w.entries(authz.ApplicationManage)
	if len(made) != 1 || !strings.Contains(string(made[0].After), "Parish Pay") || made[0].ApplicationID != 0 {
		t.Errorf("%+v", made)
	}
}

// Where there is no application yet, nobody's key can be kept: the first is added all the same.
func TestTheFirstApplicationIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	system := w.Person(authz.RoleSystemAdmin)
	system.ApplicationID = 0
	claim := &idempotency.Claim{Key: "portal-first", Method: http.MethodPost, Path: newApplicationPath, Params: map[string]string{}, RequestID: system.RequestID}
	made, err := settled(w.World.Identity.AddApplication(t.Context(), system, "Parish Pay", claim))
	if err != nil || made.ID == 0 || made.Name != "Parish Pay" {
		t.Errorf("%+v, %v", made, err)
	}
}

func TestTheAssociationFileIsInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	for _, content := range []string{"", strings.Repeat("7", 17<<10), "a\x00b"} {
		a := w.send(associationPath, url.Values{"content": {content}}, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "The association file is a text of 1 to 16384 bytes.")
	}
	w.send(associationPath, url.Values{"content": {"7B2270"}}, "Cookie", admin).wants(t, http.StatusSeeOther, systemPath)
	w.send(systemPath, nil, "Cookie", admin).says(t, "7B2270")
	if n := w.done(authz.AssociationWrite); n != 1 {
		t.Errorf("%d entries", n)
	}
	support := w.as(authz.RoleSupportStaff)
	w.send(associationPath, url.Values{"content": {"x"}}, "Cookie", support).wants(t, http.StatusForbidden, "")
}
