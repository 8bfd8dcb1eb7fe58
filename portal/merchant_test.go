package portal

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
)

// merchantPage is the address of a page of the first application's merchant in the US.
func (w *world) merchantPage(end string) string { return merchantAt(w.App.Merchants.US, end) }

func TestOverviewTellsWhatIsMissingAndWhoCanChangeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send(w.merchantPage(""), nil, "Cookie", w.as(authz.RoleApplicationAdmin))
	a.wants(t, http.StatusOK, "")
	a.says(t, "What it accepts", "DAF donations", "DAF Pay is off.", "This takes one of these roles: System administrator, Support staff.",
		"It is for merchants in Canada alone.", "Not available", "There is no bank account to pay out to.", `&#34;object&#34;: &#34;merchant&#34;`)
	w.send(merchantAt(w.App.Merchants.CA, ""), nil, "Cookie", w.as(authz.RoleSupportStaff)).says(t, "Canadian pre-authorized debit", "It is for merchants in the US alone.")
}

func TestMerchantsOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, role := range []authz.Role{authz.RoleApplicationAdmin, authz.RoleOrganizationAdmin, authz.RoleOrganizationStaff} {
		cookie := w.in(role, w.Other)
		for _, id := range []string{fmt.Sprint(w.App.Merchants.US), "0", "-1", "999999", "x", "1e3"} {
			for _, r := range w.merchantRoutes() {
				if r.method != http.MethodGet || !strings.HasPrefix(r.path, merchantPath) || !w.allowed(role, r) {
					continue
				}
				if a := w.send(strings.ReplaceAll(r.path, ":id", id), nil, "Cookie", cookie); a.StatusCode != http.StatusNotFound {
					t.Errorf("%s of %s sees %s: %d", role, id, r.path, a.StatusCode)
				}
			}
		}
	}
}

// allowed tells whether a role's people may open a route at all.
func (w *world) allowed(role authz.Role, r route) bool {
	return w.Audit.Check(holder(role), authz.Permission(r.access)) == nil
}

func TestClosedMerchantHasNoWayBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if _, err := w.World.Merchants.SetStatus(t.Context(), w.Admin(), merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: merchant.Closed, Reason: "They moved on"}); err != nil {
		t.Fatal(err)
	}
	a := w.send(w.merchantPage(""), nil, "Cookie", w.as(authz.RoleSystemAdmin))
	a.says(t, "They moved on", "Closed for good.", "The merchant is not active.")
	if strings.Contains(a.body, "status?to=") || strings.Contains(a.body, "This takes one of these roles") {
		t.Error("a closed merchant can be changed")
	}
}
