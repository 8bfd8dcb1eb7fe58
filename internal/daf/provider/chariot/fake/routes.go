package fake

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is a request to an endpoint. id is the one in its path, "" if it has none.
type call struct {
	query url.Values
	body  []byte
	id    string
}

// endpoint is the query's parameters that a request may have, and its handler.
type endpoint struct {
	parameters string
	serve      func(*Fake, call) (int, any)
}

// endpoints are the endpoints that the adapter uses, by method and path.
var endpoints = map[string]endpoint{
	"GET /v1/organizations/search":     {"q limit", (*Fake).search},
	"GET /v1/organizations/:id":        {"", (*Fake).organization},
	"POST /v1/connects":                {"", (*Fake).connect},
	"GET /v1/connects/:id":             {"", (*Fake).readConnect},
	"GET /v1/dafs":                     {"supportedOnly query pageLimit pageToken", (*Fake).dafs},
	"GET /v1/dafs/:id":                 {"", (*Fake).daf},
	"POST /v1/grants":                  {"", (*Fake).capture},
	"GET /v1/grants":                   {"connect_id pageLimit pageToken", (*Fake).listGrants},
	"GET /v1/grants/:id":               {"", (*Fake).readGrant},
	"GET /v1/unintegrated_grants":      {"connect_id pageLimit pageToken", (*Fake).listUnintegrated},
	"GET /v1/events":                   {"limit cursor category", (*Fake).listEvents},
	"GET /v1/deposits":                 {"limit page_token settled_at.after settled_at.before", (*Fake).listDeposits},
	"GET /v1/deposits/:id":             {"", (*Fake).readDeposit},
	"GET /v1/donations":                {"limit page_token deposit_id", (*Fake).listDonations},
	"POST /v1/simulations/grants/:id/": {"", (*Fake).simulate},
}

func readAll(r *http.Request) []byte {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	return body
}

// nameOf returns the endpoint of a request and the id in its path.
func nameOf(r *http.Request) (name, id string) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case parts[0] == "simulations" && len(parts) == 4:
		return "POST /v1/simulations/" + parts[1] + "/:id/", parts[2] + "/" + parts[3]
	case len(parts) == 1, parts[1] == "search":
		return r.Method + " " + r.URL.Path, ""
	}
	return r.Method + " /v1/" + parts[0] + "/:id", parts[1]
}

func (f *Fake) search(c call) (int, any) {
	query := c.query.Get("q")
	found := []object{}
	for _, o := range f.organizations {
		if isEIN := len(query) == 9 && strings.Trim(query, "0123456789") == ""; isEIN && o.EIN == query ||
			!isEIN && strings.Contains(strings.ToLower(o.Name), strings.ToLower(query)) {
			found = append(found, object{"id": o.ID, "ein": o.EIN, "name": o.Name, "daf_eligible": o.Eligible,
				"city": o.City, "state": o.State})
		}
	}
	return http.StatusOK, object{"results": found[:min(len(found), 20)]}
}

func (f *Fake) findOrganization(id string) (Organization, bool) {
	i := slices.IndexFunc(f.organizations, func(o Organization) bool { return o.ID == id })
	if i < 0 {
		return Organization{}, false
	}
	return f.organizations[i], true
}

func (f *Fake) organization(c call) (int, any) {
	o, ok := f.findOrganization(c.id)
	if !ok {
		return problem(http.StatusNotFound)
	}
	return http.StatusOK, object{"id": o.ID, "ein": o.EIN, "name": o.Name, "claimed": o.Claimed,
		"physical_address": object{"city": o.City, "state": o.State},
		"classification":   object{"subsection_code": object{"code": o.Subsection, "name": "501(c)"}},
		"compliance":       object{"daf_eligible": o.Eligible, "irs_pub_78": object{"compliant": o.Pub78}}}
}

// connect enrolls an organization, or returns its connect.
func (f *Fake) connect(c call) (int, any) {
	var in struct {
		Organization string `json:"organization_id"`
		Contact      struct {
			Email string `json:"email"`
		} `json:"contact"`
		Name string `json:"name"`
	}
	o, known := Organization{}, false
	if err := json.Unmarshal(c.body, &in); err == nil {
		o, known = f.findOrganization(in.Organization)
	}
	if !known {
		return problem(http.StatusNotFound)
	}
	if _, domain, _ := strings.Cut(in.Contact.Email, "@"); domain != o.Domain {
		return problem(http.StatusBadRequest)
	}
	for _, one := range f.connects {
		if one.Organization == o.ID {
			return http.StatusOK, one.object()
		}
	}
	one := &connect{f.id("test_"), o.ID, in.Name}
	f.connects = append(f.connects, one)
	return http.StatusCreated, one.object()
}

func (c *connect) object() object {
	return object{"id": c.ID, "name": c.Name, "apiKey": "test_unused", "active": true, "archived": false}
}

func (f *Fake) readConnect(c call) (int, any) {
	return read(f.connects, func(one *connect) bool { return one.ID == c.id }, (*connect).object)
}

func (u Fund) object() object {
	return object{"id": u.ID, "orgName": u.Name, "address": "12 Elm Street", "address2": "", "city": "Boston",
		"state": "MA", "zip": "02108", "supported": u.Supported, "minimumGrantAmount": u.Minimum,
		"institutionDown": u.Down}
}

// fund is the fund with an id, or none.
func (f *Fake) fund(id string) (found Fund) {
	for _, u := range f.funds {
		if u.ID == id {
			found = u
		}
	}
	return found
}

func (f *Fake) dafs(c call) (int, any) {
	found := those(f.funds, func(u Fund) bool {
		return strings.Contains(strings.ToLower(u.Name), strings.ToLower(c.query.Get("query"))) &&
			(u.Supported || c.query.Get("supportedOnly") != "true")
	}, Fund.object)
	return page(found, c.query, "pageLimit", "pageToken", 10)
}

func (f *Fake) daf(c call) (int, any) {
	return read(f.funds, func(u Fund) bool { return u.ID == c.id }, Fund.object)
}

// those are the objects of a list that fit, as the API shows them.
func those[T any](all []T, fits func(T) bool, shown func(T) object) (found []object) {
	for _, one := range all {
		if fits(one) {
			found = append(found, shown(one))
		}
	}
	return found
}

// read returns the first object of a list that fits.
func read[T any](all []T, fits func(T) bool, shown func(T) object) (int, any) {
	found := those(all, fits, shown)
	if len(found) == 0 {
		return problem(http.StatusNotFound)
	}
	return http.StatusOK, found[0]
}

// page is a part of a list. Tokens are positions.
func page(all []object, query url.Values, limitName, tokenName string, limit int) (int, any) {
	if text := query.Get(limitName); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return problem(http.StatusBadRequest)
		}
		limit = n
	}
	from := 0
	if token := query.Get(tokenName); token != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(token, "page-"))
		if err != nil || n > len(all) {
			return problem(http.StatusBadRequest)
		}
		from = n
	}
	until := min(from+limit, len(all))
	out := object{"results": append([]object{}, all[from:until]...)}
	if next := map[string]string{"page_token": "next_page_token"}[tokenName]; until < len(all) {
		out[cmp.Or(next, "nextPageToken")] = "page-" + strconv.Itoa(until)
	}
	return http.StatusOK, out
}

func (f *Fake) listEvents(c call) (int, any) {
	category := c.query.Get("category")
	found := those(f.events, func(e object) bool { return category == "" || e["category"] == category },
		func(e object) object { return e })
	if f.latestFirst {
		slices.Reverse(found)
	}
	return page(found, c.query, "limit", "cursor", 100)
}

// event records that something happened to a grant.
func (f *Fake) event(category, kind, id string) {
	if f.silent {
		return
	}
	e := object{"id": f.uuid(), "category": category, "created_at": f.now.UTC().Truncate(10 * time.Millisecond),
		"associated_object_id": id, "associated_object_type": kind}
	f.events, f.reported = append(f.events, e), append(f.reported, e["id"].(string))
}
