package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svcpay/internal/daf"
	"svcpay/internal/testing/fixture"
)

// The forms of one address: as it is kept, and as people and programs write it.
const addressKept = "Dana@xn--bcher-kva.example"

var addressForms = []string{addressKept, "Dana@bücher.example", "Dana@BÜCHER.Example", "Dana@bu\u0308cher.example",
	"Dana@XN--BCHER-KVA.example"}

// emailsOf lists the members of a request's schema that are called email, with the path of each.
func emailsOf(schema *openapi3.SchemaRef, path string) (out []string) {
	if schema == nil {
		return nil
	}
	for _, part := range slices.Concat(schema.Value.AllOf, schema.Value.OneOf, schema.Value.AnyOf) {
		out = append(out, emailsOf(part, path)...)
	}
	for name, member := range schema.Value.Properties {
		if name == "email" {
			out = append(out, path+name)
		}
		out = append(out, emailsOf(member, path+name+".")...)
	}
	return out
}

// Every member and every filter of the contract that is an email address takes it in each form, and means the same.
func TestEveryFormOfAnAddressMeansTheSame(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	saved := s.Token(good)
	members := map[string]func(form string) answer{
		"PUT /api/tokens/{id} billing.email": func(form string) answer {
			return s.on(t, http.MethodPut, "/api/tokens/"+saved, `{"billing":{"email":`+jsonOf(t, form)+`}}`,
				"").want(t, 200, "")
		},
		"POST /api/sandbox/tokens billing.email": func(form string) answer {
			return s.on(t, http.MethodPost, "/api/sandbox/tokens",
				fmt.Sprintf(`{"merchant_id":%d,"test_case":"approved","billing":{"email":%s}}`,
					s.App.Merchants.US, jsonOf(t, form)), "").want(t, 201, "")
		},
		"POST /api/dafDonations user.email": func(form string) answer {
			return s.give(t,
				s.gift(t, fixture.Giver, daf.Nonintegrated, 12_500,
					`,"user":{"firstName":"Dana","lastName":"Reed","email":`+jsonOf(t, form)+`}`)).want(t, 201, "")
		},
	}
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	filters := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody != nil {
				for _, media := range op.RequestBody.Value.Content {
					for _, member := range emailsOf(media.Schema, "") {
						if name := method + " " + path + " " + member; members[name] == nil &&
							!strings.Contains(name, "/api/v1/") {
							t.Errorf("no request tries %s", name)
						}
					}
				}
			}
		}
	}
	for name, send := range members {
		for _, form := range addressForms {
			if a := send(form); !strings.Contains(string(a.body), `"`+addressKept+`"`) {
				t.Errorf("%s with %q: %s", name, form, a.body)
			}
		}
	}
	charged := s.post(t, s.body(saved)).charge(t)
	for path, item := range doc.Paths.Map() {
		if item.Get == nil ||
			!slices.ContainsFunc(item.Get.Parameters,
				func(p *openapi3.ParameterRef) bool { return p.Value.Name == "email" }) {
			continue
		}
		filters++
		all := string(s.get(t, path+"?email="+url.QueryEscape(addressKept)).want(t, 200, "").body)
		if !strings.Contains(all, addressKept) {
			t.Errorf("%s finds nothing: %s", path, all)
		}
		_, found, _ := strings.Cut(all, `"data":`)
		found, _, _ = strings.Cut(found, `"url":`)
		for _, form := range append(slices.Clone(addressForms), strings.ToUpper(addressKept)) {
			if got := string(s.get(t, path+"?email="+url.QueryEscape(form)).want(t, 200, "").body); !strings.Contains(
				got, found) {
				t.Errorf("%s?email=%s: %s, want %s", path, form, got, found)
			}
		}
	}
	if filters < 3 {
		t.Errorf("%d filters by address", filters)
	}
	for _, form := range addressForms {
		if got := s.find(t, "object:charge email:"+form); !slices.Equal(got, []string{charged.ID.String()}) {
			t.Errorf("email:%s finds %v", form, got)
		}
	}
}
