package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

// unreadable are values that no database takes, as they come in an address.
var unreadable = map[string]string{
	"NUL": "a%00b", "no UTF-8": "%ff%fe", "half a letter": "a%c3", "overlong slash": "%c0%af", "overlong NUL": "%c0%80",
	"lone surrogate": "%ed%a0%80",
	"beyond Unicode": "%f4%90%80%80", "no escape": "%zz",
}

// odd are values that can be looked for, and are not what a filter expects.
var odd = []string{
	strings.Repeat("x", 5000), strings.Repeat("é", 300), "\ufffd", "\u202eabc", "'; DROP TABLE x; --", `\`, "%", "_",
	"{}", "[]", "1e999",
	"-1", "0", "99999999999999999999", "9223372036854775807", "92233720368547758.07", "9999-12-31", "0000-01-01",
	"2026-02-30", "300000-01-01", "null", "true", "\U0001F600", "\t", "a\nb",
}

var (
	filterForm  = regexp.MustCompile(`(?s)<form\s[^>]*method="get".*?</form>`)
	filterInput = regexp.MustCompile(`\sname="([^"]+)"`)
)

// cookies are sessions of people by the role that they have, made when first asked for.
type cookies struct {
	w  *world
	of map[authz.Role]string
}

// to returns the session of someone who may call a route; "" where no one is asked.
func (k cookies) to(r web.Route) string {
	role := authz.RoleApplicationAdmin
	switch r.Needs {
	case web.Public:
		return ""
	case web.SignedIn:
	default:
		if held := k.w.desk.Holders(r.Needs); !slices.Contains(held, role) {
			role = held[0]
		}
	}
	if k.of[role] == "" {
		k.of[role] = k.w.as(role)
	}
	return k.of[role]
}

// parametersOf are the parameters that a page reads from its address: those of its forms, and of every list.
func parametersOf(body string) []string {
	out := []string{"after", "before", "return", "month"}
	for _, form := range filterForm.FindAllString(body, -1) {
		for _, name := range filterInput.FindAllStringSubmatch(form, -1) {
			out = append(out, name[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// addressOf is the address of a route, with the ids that a world has or that look like ids.
func (w *world) addressOf(r web.Route) string {
	id := map[bool]string{true: web.Whole(w.App.Merchants.US), false: "1"}[strings.HasPrefix(r.Path, web.MerchantPath)]
	return regexp.MustCompile(`:\w+`).ReplaceAllString(strings.ReplaceAll(r.Path, "*", "aa/portal.css"), id)
}

// Whatever an address says in a filter of a page or file of the portal, the answer is about the filter: one page for
// what cannot be read, on every route alike, and never an error of ours.
func TestNoFilterOfAnyPageBreaksIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	people, seen, filters := cookies{w, map[authz.Role]string{}}, map[string][]string{}, 0
	for _, r := range w.routes() {
		if r.Method != http.MethodGet {
			continue
		}
		at, cookie := w.addressOf(r), people.to(r)
		page, _ := web.Offering(at)
		names, known := seen[page]
		if !known {
			names = parametersOf(w.send(page, nil, "Cookie", cookie).body)
			seen[page] = names
		}
		filters += len(names)
		for what, bad := range unreadable {
			for _, query := range []string{names[0] + "=" + bad, "other=1&" + bad + "=x",
				names[len(names)-1] + "=a&" + names[len(names)-1] + "=" + bad} {
				a := w.send(at+"?"+query, nil, "Cookie", cookie)
				a.wants(t, http.StatusBadRequest, "")
				if !strings.Contains(a.body, "can&#39;t be searched for") ||
					strings.Contains(a.body, "<h1>Something didn’t work") {
					t.Errorf("%s with %s says %q", at, what, a.words())
				}
			}
		}
		for _, name := range names {
			w.bears(t, at+"?"+name+"="+unreadable["NUL"], cookie)
		}
		for _, value := range odd {
			all := url.Values{}
			for _, name := range names {
				all[name] = []string{value, value}
			}
			w.bears(t, at+"?"+all.Encode(), cookie)
		}
		if page == at && len(names) > 4 {
			for _, name := range names {
				for _, value := range odd {
					w.bears(t, at+"?"+url.Values{name: {value}}.Encode(), cookie)
				}
			}
		}
	}
	if filters < 200 {
		t.Errorf("only %d filters were found", filters)
	}
}

// bears demands that an address is no error of ours.
func (w *world) bears(t *testing.T, address, cookie string) {
	t.Helper()
	if a := w.send(address, nil, "Cookie", cookie); a.StatusCode >= http.StatusInternalServerError {
		t.Errorf("GET %.200s is %d", address, a.StatusCode)
	}
}

// The page about a filter that cannot be read leads to the list without it, and a part of the page is told in its
// place.
func TestAFilterThatCannotBeReadIsCleared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	for _, path := range []string{web.MerchantsPath, web.MerchantsPath + ".csv"} {
		a := w.send(path+"?q=a%00b", nil, "Cookie", admin)
		a.wants(t, http.StatusBadRequest, "")
		a.says(t, "These filters aren’t valid", `href="`+web.MerchantsPath+`"`, "Clear filters",
			a.Header.Get("Request-Id"))
	}
	part := w.send(web.MerchantsPath+"?q=%ff", nil, "Cookie", admin, "HX-Request", "true", "HX-Target", "results",
		"HX-Current-URL", "http://localhost:8080"+web.MerchantsPath)
	part.wants(t, http.StatusBadRequest, "")
	part.says(t, "Clear filters")
	if part.Header.Get("HX-Push-Url") != "false" || part.Header.Get("HX-Retarget") == "" ||
		strings.Contains(part.body, "<html") {
		t.Errorf("a part is answered with %v", part.Header)
	}
}

// What cannot be stored is no id, and no input of a form.
func TestNoPathOrFormBreaksAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	people := cookies{w, map[authz.Role]string{}}
	fields := []string{"id", "email", "name", "content", "reason", "note", "amount", "domains", "status", "merchant",
		"url", "events", "place", "password"}
	for _, r := range w.routes() {
		cookie := people.to(r)
		if strings.Contains(r.Path, ":") || strings.Contains(r.Path, "*") {
			for what, bad := range unreadable {
				if what == "no escape" {
					continue // which is no address at all
				}
				w.bearsPath(t, r, bad, cookie, true)
			}
			for _, value := range odd {
				w.bearsPath(t, r, url.PathEscape(value), cookie, false)
			}
		}
		if r.Method != http.MethodPost {
			continue
		}
		for what, bad := range unreadable {
			w.refusesForm(t, r, what, fields, bad, cookie)
			if r.Needs == web.SignedIn || r.Needs == web.Public { // such as that of signing out
				people = cookies{w, map[authz.Role]string{}}
				cookie = people.to(r)
			}
		}
	}
}

// bearsPath demands that an id is unknown, in a page and in the address of a form.
func (w *world) bearsPath(t *testing.T, r web.Route, id, cookie string, missing bool) {
	t.Helper()
	at := regexp.MustCompile(`:\w+|\*`).ReplaceAllString(r.Path, id)
	var form url.Values
	if r.Method == http.MethodPost {
		form = url.Values{web.OnceField: {web.NewOnce()}}
	}
	headers := []string{}
	if cookie != "" {
		headers = append(headers, "Cookie", cookie)
	}
	a := w.send(at, form, headers...)
	if a.StatusCode >= http.StatusInternalServerError || missing && a.StatusCode != http.StatusNotFound {
		t.Errorf("%s %.200s is %d", r.Method, at, a.StatusCode)
	}
}

// refusesForm demands that a form with a field that cannot be stored does nothing.
func (w *world) refusesForm(t *testing.T, r web.Route, what string, fields []string, bad, cookie string) {
	t.Helper()
	value, err := url.PathUnescape(bad)
	if err != nil {
		value = "\xff"
	}
	form, headers := url.Values{web.OnceField: {web.NewOnce()}}, []string{}
	for _, name := range fields {
		form.Set(name, value)
	}
	if cookie != "" {
		headers = append(headers, "Cookie", cookie)
	}
	a := w.send(w.addressOf(r), form, headers...)
	if reads := r.Needs != web.Public && r.Needs != web.SignedIn; a.StatusCode >= http.StatusInternalServerError ||
		reads && a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("POST %s with %s is %d", r.Path, what, a.StatusCode)
	}
}
