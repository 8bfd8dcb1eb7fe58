package web

import (
	"net/http"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Sections are all pages that the navigation knows, in order; they show once they are in the table of routes.
func Sections(t text.Nav) []ui.NavSection {
	at := func(path, label string, icon ui.IconName, key string) ui.NavEntry {
		return ui.NavEntry{Href: path, Label: label, Icon: icon, Key: key}
	}
	return []ui.NavSection{
		{Label: "", Entries: []ui.NavEntry{at(Home, t.Home, ui.IconHome, "g h")}},
		{Label: t.Payments, Entries: []ui.NavEntry{
			at(ChargesPath, t.Charges, ui.IconCharge, "g c"), at(RefundsPath, t.Refunds, ui.IconRefund, "g r"),
			at(DisputesPath, t.Disputes, ui.IconDispute, "g d"), at(PayoutsPath, t.Payouts, ui.IconPayout, "g p"),
			at(DonationsPath, t.Donations, ui.IconDonation, "g o"),
		}},
		{Label: t.Receiving, Entries: []ui.NavEntry{
			at(MerchantsPath, t.Merchants, ui.IconMerchant, "g m"), at(FeesPath, t.Fees, ui.IconFee, "g f"),
			at(ProcessingPath, t.Processing, ui.IconSwap, "g n"),
		}},
		{Label: t.Building, Entries: []ui.NavEntry{at(DevelopersPath, t.Developers, ui.IconDeveloper, "g v")}},
		{Label: t.Control, Entries: []ui.NavEntry{
			at(TeamPath, t.Team, ui.IconTeam, "g t"), at(RolesPath, t.Roles, ui.IconRole, "g l"),
			at(AuditPath, t.Audit, ui.IconAudit, "g a"), at(SettingsPath, t.Settings, ui.IconSettings, "g s"),
			at(SystemPath, t.System, ui.IconServer, "g y"),
		}},
	}
}

// reachableKey is where a request keeps what its visitor may open.
const reachableKey = "reachable"

// opening are the addresses that need the same permission.
type opening struct {
	needed authz.Permission
	paths  []string
}

// openings are the addresses in a table of routes that can be opened.
func openings(table []Route) (out []opening) {
	for _, r := range table {
		if r.Method != http.MethodGet {
			continue
		}
		at := slices.IndexFunc(out, func(o opening) bool { return o.needed == r.Needs })
		if at < 0 {
			at, out = len(out), append(out, opening{needed: r.Needs})
		}
		out[at].paths = append(out[at].paths, r.Path)
	}
	return out
}

// reachable are the addresses in the table of routes that the visitor may open. They are found once a request.
func (d *Desk) reachable(c *Request) map[string]bool {
	if out, ok := c.Get(reachableKey).(map[string]bool); ok {
		return out
	}
	out := map[string]bool{}
	a, err := d.Acting(c)
	for _, o := range d.pages {
		if !d.lets(a, err, o.needed) {
			continue
		}
		for _, path := range o.paths {
			out[path] = true
		}
	}
	// its people read where their merchants' payments go, not what is the application's own
	if a.Actor.OrganizationID != 0 {
		delete(out, ProcessingPath)
	}
	c.Set(reachableKey, out)
	return out
}

// navigation leads to those of the pages that can be reached.
func navigation(c *Request, reachable map[string]bool) (out []ui.NavSection) {
	for _, s := range Sections(c.Text().Nav) {
		shown := ui.NavSection{Label: s.Label}
		for _, e := range s.Entries {
			if reachable[e.Href] {
				e.Here = Within(c.Request().URL.Path, e.Href)
				shown.Entries = append(shown.Entries, e)
			}
		}
		if len(shown.Entries) > 0 {
			out = append(out, shown)
		}
	}
	return out
}

// Within reports whether a page is the entry's, or below it. Everything is below the home page.
func Within(page, entry string) bool {
	return page == entry || entry != Home && strings.HasPrefix(page, entry+"/")
}
