package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

var searchResource = resource{}

// find searches and gives the ids of what was found.
func (s *site) find(t *testing.T, q string) (found []string) {
	t.Helper()
	var l struct {
		Data []struct{ ID json.RawMessage }
	}
	a := s.get(t, "/api/search?limit=100&q="+url.QueryEscape(q)).want(t, 200, "")
	if err := json.Unmarshal(a.body, &l); err != nil {
		t.Fatal(err)
	}
	for _, d := range l.Data {
		found = append(found, strings.Trim(string(d.ID), `"`))
	}
	return found
}

func TestSearchFinds(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := map[string]string{}
	charge := func(name, number string, pairs ...string) {
		token := s.Token(number)
		made[name+" token"] = token
		a := s.post(t, s.body(token, pairs...))
		if id := a.error().ChargeID; id != "" {
			made[name] = id
			return
		}
		made[name] = a.charge(t).ID.String()
	}
	charge("gala", good, "amount", "5000", "description", `"Spring Gala, Élan"`, "external_id", `"gift-88213"`,
		"metadata", `{"order":"77","campaign":"gala"}`)
	charge("amex", "378282246310005", "amount", "12000", "metadata", `{"order":"78"}`, "recurring", "true")
	charge("plain", good, "amount", "700", "external_id", `"a, b"`)
	charge("failed", "4000000000000002", "amount", "900")
	a := s.get(t, "/api/charges/"+made["gala"]).charge(t)
	made["refund"] = s.refund(t, a,
		`,"amount":1000,"note":"Smith asked","external_id":"back-1","metadata":{"order":"77"}`).refund(t).ID.String()
	names := map[string]string{}
	for name, id := range made {
		names[id] = name
	}
	for q, want := range map[string]string{
		`smith`: "refund", `SMITH asked`: "refund", `"asked smith"`: "", `"smith asked"`: "refund", `smi*`: "refund",
		`gala`: "gala", `elan`: "gala", `"spring gala"`: "gala", `gala -spring`: "", `spring "gala"`: "gala",
		`gift-88213`: "gala", `external_id:gift-88213`: "gala", `external_id:"a, b",back-1`: "plain refund",
		`88213`:         "gala",
		`status:failed`: "failed", `status:failed,succeeded`: "failed refund",
		`object:charge -status:captured`: "failed",
		`amount>5000`:                    "amex", `amount>=5000`: "amex gala", `amount<900`: "plain",
		`amount<=900`:                "failed plain",
		`amount:700,1000`:            "plain refund",
		`object:charge -amount>=900`: "plain", `object:charge -amount:700,900`: "amex gala",
		`amount>700 amount<5000`: "failed refund",
		`metadata.order:77`:      "gala refund", `metadata.order:77,78 object:charge`: "amex gala",
		`metadata.order:77 metadata.campaign:gala`: "gala",
		`metadata.order:77 metadata.order:78`:      "", `object:charge -metadata.order:77`: "amex failed plain",
		`metadata."order":78`: "amex",
		`brand:amex`:          "amex amex token", `brand:amex object:charge`: "amex",
		`object:charge -brand:amex recurring:false`: "failed gala plain",
		`last4:0005`: "amex amex token", `object:charge last4:4242,0005`: "amex gala plain",
		`object:charge -last4:4242`: "amex failed",
		`recurring:true`:            "amex", `type:cc recurring:true`: "amex", `type:ach`: "",
		`currency:usd object:refund`: "refund", `currency:cad -object:merchant`: "",
		`kind:card object:charge amount:700`: "plain", `kind:chargeback`: "",
		`email:DANA@example.org amount:700`: "plain", `email:dana@example`: "",
		`dana object:charge amount:700`: "plain", `object:charge -dana`: "",
		`charge_id:` + made["gala"]: "refund", `token:` + made["plain token"]: "plain", made["gala"]: "gala",
		made["refund"]:      "refund",
		made["plain token"]: "plain token", made["gala"] + " status:failed": "", `object:refund,dispute`: "refund",
		`object:payout`:                        "",
		`object:charge created_at>=2020-01-01`: "amex failed gala plain", `created_at<2020-01-01`: "",
		`object:charge created_at:2020-01-01`:                            "",
		`object:charge -created_at<2020-01-01T00:00:00Z`:                 "amex failed gala plain",
		fmt.Sprintf("object:refund merchant_id:%d", s.App.Merchants.US):  "refund",
		fmt.Sprintf("object:refund -merchant_id:%d", s.App.Merchants.US): "",
	} {
		var got []string
		for _, id := range s.find(t, q) {
			got = append(got, names[id])
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	us := fmt.Sprint(s.App.Merchants.US)
	if got := s.find(t, us); !slices.Equal(got, []string{us}) {
		t.Errorf("a merchant's id finds %v", got)
	}
	if got := s.find(t, "object:merchant"); len(got) != 3 || got[0] <= got[1] {
		t.Errorf("merchants: %v", got)
	}
	if got := s.find(t, "riverside"); len(got) == 0 {
		t.Error("a merchant's name finds nothing")
	}
	theirs := call{method: "GET", path: "/api/search?q=gala+" + made["gala"], as: &s.Other}
	if a := s.send(t, theirs).want(t, 200, ""); !strings.Contains(string(a.body), `"data":[]`) {
		t.Errorf("another application finds %s", a.body)
	}
	s.execute(t, `UPDATE charges SET description = 'Bazaar' WHERE id = (SELECT max(id::text)::uuid
		FROM charges)`, pg.Args{})
	if got := s.find(t, "bazaar"); len(got) != 1 {
		t.Errorf("what has just been written: %v", got)
	}
}

func TestSearchTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	for q, want := range map[string]string{
		marker + ":1":                         "At character 1: there is no such field. Fields: object, status",
		"x -" + marker + ":1":                 "At character 4: there is no such field",
		"status:" + marker:                    "At character 8: allowed here: processing, authorized",
		"object:charge status:failed,paid,x":  "At character 34: allowed here: processing",
		"object:refund status:captured":       "At character 15: nothing that the terms before this one allow",
		"object:payout smith":                 "At character 15: nothing that the terms",
		"amount:1.5":                          "At character 8: allowed here: an integer of minor units",
		"amount>" + marker:                    "At character 8: allowed here: an integer",
		"amount:-1":                           "At character 8: allowed here: an integer",
		"status>failed":                       "At character 1: this field takes : only.",
		"metadata:1":                          "At character 1: a key stands after metadata",
		"status.x:failed":                     "At character 1: a key stands after metadata",
		"last4:42x2":                          "At character 7: allowed here: one to four digits",
		"merchant_id:0":                       "At character 13: allowed here: a merchant's id",
		"charge_id:" + marker:                 "At character 11: allowed here: a charge's id",
		"token:ch_01jq8z6k4t8m2x9v5c7b1n3d0f": "At character 7: allowed here: a token's id",
		"created_at:2026-12-01T09:30:00Z":     "At character 12: allowed here: a day",
		"created_at>" + marker:                "At character 12: allowed here: a day",
		"-created_at:2026-12-01":              "At character 13: allowed here: a day",
		"email:@@":                            "At character 7: allowed here: an address",
		`external_id:""`:                      "At character 13: allowed here: a text of 1 to 64",
		"***":                                 "At character 1: ",
		"--" + marker:                         "At character 2: a term is missing",
		"!?":                                  "At character 1: text needs a letter or a digit.",
		"-ch_01jq8z6k4t8m2x9v5c7b1n3d0f":      "At character 1: one id may be named",
	} {
		e := s.get(t, "/api/search?q="+url.QueryEscape(q)).want(t, 400, "parameter_invalid").error()
		if e.Param != "q" || !strings.HasPrefix(e.Message, want) {
			t.Errorf("%s is told as %q of %s, want %q", q, e.Message, e.Param, want)
		}
	}
	s.get(t, "/api/search").want(t, 400, "parameter_missing")
	s.get(t, "/api/search?q=").want(t, 400, "parameter_missing")
	s.get(t, "/api/search?q=a&limit=0&starting_after=x").want(t, 400, "validation_failed")
	s.get(t, "/api/search?q=a&q=b").want(t, 400, "parameter_invalid")
}

// turn reads pages of a search one after the other from one on: forward, or backward where the ids before one are read.
func (s *site) turn(t *testing.T, path, from string) (found []string) {
	t.Helper()
	back := strings.HasPrefix(from, "&ending_before=")
	for more := true; more; {
		var l struct {
			Data           []struct{ ID json.RawMessage }
			Next, Previous *string
		}
		if err := json.Unmarshal(s.get(t, path+from).want(t, 200, "").body, &l); err != nil {
			t.Fatal(err)
		}
		var page []string
		for _, d := range l.Data {
			page = append(page, strings.Trim(string(d.ID), `"`))
		}
		if back {
			if found, more = append(page, found...), l.Previous != nil; more {
				from = "&ending_before=" + *l.Previous
			}
		} else if found, more = append(found, page...), l.Next != nil; more {
			from = "&starting_after=" + *l.Next
		}
	}
	return found
}

func TestSearchPagesOverKinds(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 4 {
		s.Merchant(merchant.CreateInput{})
	}
	for range 3 {
		s.Clock.Advance(1000000)
		c := s.post(t, s.body(s.Token(good))).charge(t)
		s.refund(t, c, "").refund(t)
	}
	for q, n := range map[string]int{"-object:merchant": 9, "created_at>=2020-01-01": 9 + 3 + 4} {
		all := s.find(t, q)
		if len(all) != n {
			t.Fatalf("%s finds %d: %v", q, len(all), all)
		}
		for _, order := range []string{"desc", "asc"} {
			want := slices.Clone(all)
			if order == "asc" {
				slices.Reverse(want)
			}
			path := "/api/search?limit=2&order=" + order + "&q=" + url.QueryEscape(q)
			if got := s.turn(t, path, ""); !slices.Equal(got, want) {
				t.Errorf("%s, %s: walked %v, want %v", q, order, got, want)
			}
			for i, id := range want {
				if got := s.turn(t, path, "&ending_before="+id); !slices.Equal(got, want[:i]) {
					t.Errorf("%s, %s: before %s walked %v, want %v", q, order, id, got, want[:i])
				}
			}
		}
	}
}

// A statement that the database stops is reported as a search that was too broad.
func TestSearchThatTakesTooLong(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.post(t, s.body(s.Token(good))).charge(t)
	s.execute(t, `ALTER TABLE charges RENAME TO kept`, pg.Args{})
	s.execute(t, `CREATE FUNCTION stopped() RETURNS boolean LANGUAGE plpgsql AS
		'BEGIN RAISE EXCEPTION ''this takes too long'' USING ERRCODE = ''57014''; END'`, pg.Args{})
	s.execute(t, `CREATE VIEW charges AS SELECT * FROM kept WHERE stopped()`, pg.Args{})
	s.get(t, "/api/search?q=dana").want(t, 422, "search_too_broad")
}

func TestSearchOfRestrictedKeys(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good), "merchant_id",
		fmt.Sprint(s.Other.Merchants.US), "description", `"Gala"`)
	s.send(t, call{method: "POST", path: "/api/charges", as: &s.Other, body: body}).charge(t)
	limited := s.limited(t, s.Other.Merchants.CA)
	if a := s.send(t, call{method: "GET", path: "/api/search?q=gala", as: limited}).want(t, 200,
		""); !strings.Contains(string(a.body), `"data":[]`) {
		t.Errorf("of another merchant: %s", a.body)
	}
	limited = s.limited(t, s.Other.Merchants.US)
	if a := s.send(t, call{method: "GET", path: "/api/search?q=gala", as: limited}).want(t, 200,
		""); strings.Contains(string(a.body), `"data":[]`) {
		t.Error("of its own merchant nothing is found")
	}
}
