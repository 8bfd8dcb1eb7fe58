package api

import (
	"fmt"
	"strings"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// resource is what the tests of all operations must know of one resource.
type resource struct {
	// shapes are the structs of schemas, by name; Charge.failure is a member. An input is held to
	// what its Validate misses in an empty body.
	shapes map[string]any
	// always are members that the API always gives although their structs may leave them out.
	always map[string][]string
	// either are members of inputs that are not required as another may stand for them, by schema; one within a member
	// by its path, such as user.email.
	either map[string][]string
	// expands are members next to those of the structs, given for expand[] alone.
	expands map[string][]string
	// enums are the words of schemas, by name.
	enums map[string][]string
	// theirs makes an object of the other application and tells its id, by the path that leads to it.
	theirs map[string]func(*testing.T, *site) string
}

// resources has a line for each; theirs stand in files of their own.
var resources = []resource{
	{
		shapes: map[string]any{"FieldError": fault.Field{}},
		enums:  map[string][]string{"Currency": money.CurrencyNames()},
	},
	chargeResource,
	refundResource,
	tokenResource,
	balanceResource,
	disputeResource,
	fileResource,
	payoutResource,
	sandboxResource,
	feeResource,
	cardRuleResource,
	merchantResource,
	searchResource,
	exportResource,
	meResource,
	requestLogResource,
	eventResource,
	webhookResource,
	donationResource,
	dafQuoteResource,
}

// theirObjects makes what the resources make, and tells each id by its path.
func (s *site) theirObjects(t *testing.T) map[string]string {
	t.Helper()
	made := make(map[string]string)
	for _, r := range resources {
		for path, make := range r.theirs {
			if made[path] == "" { // one object does where several resources name a path
				made[path] = make(t, s)
			}
		}
	}
	m, err := s.Merchants.Get(t.Context(), s.ActorOf(s.Other), s.Other.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	made["/api/organizations/:id"] = fmt.Sprint(m.Organization.ID) // which have no path of their own
	return made
}

// own is the site seen by its second application: what resources make for the other one is the
// first's.
func (s *site) own() *site {
	w := *s.World
	w.Other = s.App
	return &site{World: &w, url: s.url}
}

// about is the call with the id of an object that was made, if its path has one.
func (c call) about(t testing.TB, made map[string]string) call {
	t.Helper()
	before, after, named := aroundName(c.route.path)
	if !named {
		return c
	}
	id := made[strings.TrimSuffix(c.route.path, after)]
	if id == "" {
		t.Errorf("no resource makes an object for %s", c.route.path)
	}
	_, query, found := strings.Cut(c.path, "?")
	if c.path = before + id + after; found {
		c.path += "?" + query
	}
	return c
}
