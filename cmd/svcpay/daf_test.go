package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func TestEnrollEligibleCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	charity, ein := true, "13-1313130"
	lapsed := w.Merchant(merchant.CreateInput{Nonprofit: &charity, EIN: &ein})
	status, out, told := command(w, "daf", "enroll-eligible")
	for _, want := range []string{
		`(?m)^MERCHANT +APPLICATION +EIN +FOUND +NAME → ORGANIZATION$`,
		fmt.Sprintf(`(?m)^%d +%d +04-3567500 +eligible +Riverside Food Bank → Riverside Food Bank Inc$`,
			w.App.Merchants.US, w.App.AppID),
		`(?m)^4 +eligible +The organization can be enrolled\.$`, `(?m)^2 +merchant_not_us `,
		`(?m)^1 +not_in_good_standing `, `Nothing was changed\.`,
	} {
		if status != 0 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%d: %q is not in\n%s", status, want, out)
		}
	}
	if strings.Contains(out, ein) || told != "7 of 7 merchants\n" {
		t.Errorf("%s%s", told, out)
	}
	if n := enrolled(t, w); n != 0 {
		t.Errorf("a dry run enrolls %d merchants", n)
	}
	status, out, _ = command(w, "daf", "enroll-eligible", "--apply", "--application", fmt.Sprint(w.App.AppID), "--all")
	if status != 0 || enrolled(t, w) != 2 || !regexp.MustCompile(`(?m)^2 +enrolled `).MatchString(out) ||
		strings.Contains(out, "Nothing was changed") ||
		!regexp.MustCompile(fmt.Sprintf(`(?m)^%d .* not_in_good_standing +One more → Lapsed Lantern Society$`,
			lapsed.ID)).MatchString(out) {
		t.Errorf("%d, %d are enrolled:\n%s", status, enrolled(t, w), out)
	}
	const enrollments = `SELECT count(*)::int FROM audit_entries WHERE actor_kind = 'command' AND actor_name <> ''
		AND permission = 'daf_enrollment:manage' AND application_id = @id`
	if n, err := pg.Value[int](t.Context(), w.Pool, enrollments, pg.Args{"id": w.App.AppID}); err != nil || n != 2 {
		t.Errorf("%d enrollments are in the audit log: %v", n, err)
	}
	status, out, _ = command(w, "daf", "enroll-eligible", "--apply")
	if status != 0 || enrolled(t, w) != 4 || !regexp.MustCompile(`(?m)^2 +already_enrolled `).MatchString(out) ||
		!regexp.MustCompile(`(?m)^2 +enrolled `).MatchString(out) {
		t.Errorf("%d, %d are enrolled:\n%s", status, enrolled(t, w), out)
	}
	if status, _, told := command(w, "daf", "enroll-eligible", "--application", "999"); status != exitFailed ||
		told != "svcpay: there is no application 999\n" {
		t.Errorf("%d: %s", status, told)
	}
}

// An error of the database is reported as one, and not as the silence of the provider.
func TestEnrollEligibleReportsErrorsOfItsOwn(t *testing.T) { // the command sets the program's log
	w := fixture.New(t)
	if _, err := pg.Exec(t.Context(), w.Pool, `ALTER TABLE daf_enrollments ADD CONSTRAINT broken CHECK
		(false) NOT VALID`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	status, out, told := command(w, "daf", "enroll-eligible", "--apply")
	if status != exitFailed || !regexp.MustCompile(`(?m)^4 +failed `).MatchString(out) ||
		strings.Contains(out, "unanswered") {
		t.Errorf("%d\n%s", status, out)
	}
	if !strings.Contains(told, "4 merchants could not be enrolled because of an error; the first: ") ||
		!strings.Contains(told, `"broken"`) {
		t.Error(told)
	}
}

func enrolled(t *testing.T, w *fixture.World) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM merchants
		WHERE daf_provider_connect_id IS NOT NULL AND version = 2`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
