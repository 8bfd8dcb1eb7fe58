package apikey_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func pageOf(limit int) apikey.ListInput {
	return apikey.ListInput{Page: page.Input[ids.Key]{Limit: limit}}
}

// find reads one of the first application's keys.
func find(t *testing.T, w *fixture.World, id ids.Key) apikey.Key {
	t.Helper()
	p, err := w.APIKeys.List(t.Context(), w.Admin(), pageOf(100))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Items, func(k apikey.Key) bool { return k.ID == id })
	if i < 0 {
		t.Fatalf("%s is not listed", id)
	}
	return p.Items[i]
}

func TestKeyIsShownWithoutItsText(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	end := w.Clock.Now().Add(time.Hour)
	all := apikey.CreateInput{
		Kind: apikey.Restricted, Name: "Reports", Rights: []authz.Right{"refund:write", "charge:read", "charge:read"},
		Merchants: []int64{w.App.Merchants.CA, w.App.Merchants.US, w.App.Merchants.US}, AllowedIPs: []string{
			"2001:db8::7", "192.0.2.0/24", "192.0.2.0/24"}, ExpiresAt: end,
	}
	for _, in := range []apikey.CreateInput{
		all, {Kind: apikey.Secret, Name: "Server"},
		{Kind: apikey.Public, Name: "Pages", AllowedOrigins: []string{"https://b.example", "https://a.example", "https://b.example"}, MerchantDomains: true, AnyAncestor: true},
	} {
		made := w.Issue(in)
		want := apikey.Key{
			ID: made.ID, Object: "api_key", ApplicationID: w.App.AppID, Name: in.Name, Kind: in.Kind,
			Prefix: map[apikey.Kind]string{"secret": "sk_sandbox_", "restricted": "rk_sandbox_",
				"public": "pk_sandbox_"}[in.Kind],
			Last4: made.Text[len(made.Text)-4:], Rights: []authz.Right{}, Merchants: []int64{},
			AllowedIPs: []netip.Prefix{}, AllowedOrigins: []string{},
			CreatedAt: instant.Of(w.Clock.Now()), Version: 1,
		}
		switch in.Kind {
		case apikey.Restricted:
			want.Rights, want.ExpiresAt = []authz.Right{"charge:read", "refund:write"}, instant.Ptr(end)
			want.Merchants = []int64{w.App.Merchants.US, w.App.Merchants.CA}
			want.AllowedIPs = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"),
				netip.MustParsePrefix("2001:db8::7/128")}
		case apikey.Secret:
			want.Rights = authz.Rights()
		default:
			want.AllowedOrigins, want.PublicValue = []string{"https://a.example", "https://b.example"}, &made.Text
			want.MerchantDomains, want.AnyAncestor = true, true
		}
		if listed := find(t, w, made.ID); !reflect.DeepEqual(made.Key, want) || !reflect.DeepEqual(listed, want) {
			t.Errorf("made\n%+v, listed\n%+v, want\n%+v", made.Key, listed, want)
		}
		if !strings.HasPrefix(made.Text, want.Prefix) {
			t.Errorf("%s begins otherwise than %s", in.Kind, want.Prefix)
		}
		text, err := json.Marshal(find(t, w, made.ID))
		if err != nil || strings.Contains(string(text), `"rights":null`) ||
			strings.Contains(string(text), made.Text[12:]) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestNewKeyTellsEveryMistake(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	many := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("10.0.%d.1", i))
		}
		return out
	}
	good := apikey.CreateInput{Kind: apikey.Restricted, Name: "x", Rights: []authz.Right{"charge:read"}}
	restricted := func(change func(*apikey.CreateInput)) apikey.CreateInput {
		in := good
		change(&in)
		return in
	}
	for name, c := range map[string]struct {
		in     apikey.CreateInput
		params string
	}{
		"nothing": {apikey.CreateInput{}, "kind name"},
		"everything": {apikey.CreateInput{
			Kind: apikey.Public, Name: strings.Repeat("x", 101), Rights: []authz.Right{
				"charge:read"}, Merchants: []int64{w.App.Merchants.US},
			AllowedIPs: []string{"x"}, AllowedOrigins: []string{"x"}, ExpiresAt: w.Clock.Now(),
		}, "name rights merchants allowed_ips allowed_ips allowed_origins expires_at"},
		"no rights":              {restricted(func(in *apikey.CreateInput) { in.Rights = nil }), "rights"},
		"unheard of":             {restricted(func(in *apikey.CreateInput) { in.Rights = append(in.Rights, "charge:delete") }), "rights"},
		"not for programs":       {restricted(func(in *apikey.CreateInput) { in.Rights = []authz.Right{"key:write"} }), "rights"},
		"rights of a secret key": {apikey.CreateInput{Kind: apikey.Secret, Name: "x", Rights: []authz.Right{"charge:read"}}, "rights"},
		"limited secret key":     {apikey.CreateInput{Kind: apikey.Secret, Name: "x", Merchants: []int64{w.App.Merchants.US}}, "merchants"},
		"secret key on pages":    {apikey.CreateInput{Kind: apikey.Secret, Name: "x", AllowedOrigins: []string{"https://a.example"}}, "allowed_origins"},
		"secret key on domains":  {apikey.CreateInput{Kind: apikey.Secret, Name: "x", MerchantDomains: true}, "merchant_domains"},
		"secret key embedded":    {apikey.CreateInput{Kind: apikey.Secret, Name: "x", AnyAncestor: true}, "any_ancestor"},
		"another application's":  {restricted(func(in *apikey.CreateInput) { in.Merchants = []int64{w.App.Merchants.US, w.Other.Merchants.US} }), "merchants"},
		"no merchant":            {restricted(func(in *apikey.CreateInput) { in.Merchants = []int64{0} }), "merchants"},
		"too many merchants":     {restricted(func(in *apikey.CreateInput) { in.Merchants = make([]int64, 101) }), "merchants merchants"},
		"too many addresses":     {restricted(func(in *apikey.CreateInput) { in.AllowedIPs = many(101) }), "allowed_ips"},
		"control character":      {restricted(func(in *apikey.CreateInput) { in.Name = "a\nb" }), "name"},
		"card number":            {restricted(func(in *apikey.CreateInput) { in.Name = "4242424242424242" }), "name"},
		"ended":                  {restricted(func(in *apikey.CreateInput) { in.ExpiresAt = w.Clock.Now().Add(-time.Hour) }), "expires_at"},
	} {
		_, err := w.APIKeys.Create(t.Context(), w.Admin(), c.in)
		f, ok := fault.As(err)
		if !ok || f.Kind != fault.KindInvalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var params []string
		for _, field := range f.Fields {
			params = append(params, field.Param)
		}
		if strings.Join(params, " ") != c.params {
			t.Errorf("%s: %v are wrong, want %s", name, params, c.params)
		}
	}
	for _, text := range []string{"", "x", "192.0.2.7/33", "192.0.2.7/24", "192.0.2.7/", "192.0.2", "192.0.2.07",
		"::ffff:192.0.2.7", "::ffff:192.0.2.0/120", "fe80::1%eth0",
		"2001:db8::1/32", "2001:db8::/129", "192.0.2.7-192.0.2.9", " 192.0.2.7", "*"} {
		_, err := w.APIKeys.Create(t.Context(), w.Admin(),
			restricted(func(in *apikey.CreateInput) { in.AllowedIPs = []string{"192.0.2.7", text} }))
		if f, ok := fault.As(err); !ok || f.Code != "parameter_invalid" || f.Param != "allowed_ips" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := count(t, w); n != 8 { // four of each application's demo
		t.Errorf("there are %d keys", n)
	}
	if _, err := w.APIKeys.Create(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: 999},
		apikey.CreateInput{Kind: apikey.Secret, Name: "x"}); code(err) != "resource_missing" {
		t.Errorf("a key of an application that does not exist: %v", err)
	}
}

func count(t *testing.T, w *fixture.World) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM api_keys`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What the code checks, the database checks again.
func TestKeysThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	of := map[string]ids.Key{
		"secret":     w.Issue(apikey.CreateInput{Kind: apikey.Secret}).ID,
		"public":     w.Issue(apikey.CreateInput{Kind: apikey.Public}).ID,
		"restricted": w.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"charge:read"}}).ID,
	}
	theirs, err := w.APIKeys.Create(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: w.Other.AppID},
		apikey.CreateInput{Kind: apikey.Secret, Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for set, kinds := range map[string]string{
		`kind = 'other'`: "secret", `kind = 'secret', rights = '{}'`: "public", `name = ''`: "secret",
		`last4 = 'abc'`:      "secret",
		`secret_hash = NULL`: "secret restricted", `secret_hash = 'x'`: "secret",
		`public_value = 'pk'`: "secret restricted", `public_value = NULL`: "public",
		`rights = '{}'`: "restricted", `rights = '{charge:read}'`: "secret public", `rights = '{charge}'`: "restricted",
		`rights = '{NULL}'`: "restricted",
		`merchants = '{1}'`: "secret public", `merchants = '{NULL}'`: "restricted",
		`allowed_ips = '{10.0.0.1}'`: "public", `allowed_ips = '{10.0.0.1/8}'`: "secret",
		`allowed_origins = '{https://a.example}'`: "secret restricted", `last_used_ip = '10.0.0.1'`: "secret",
		`last_used_at = now(), last_used_ip = '10.0.0.1'`: "public",
		`expires_at = now(), replaced_by = id`:            "secret", `replaced_by = '` + uuidOf(of["public"]) +
			`'`: "secret",
		`expires_at = now(), replaced_by = '` + uuidOf(theirs.ID) + `'`: "secret",
	} {
		for kind := range strings.FieldsSeq(kinds) {
			if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE api_keys SET `+set+` WHERE id =
				@id`, pg.Args{"id": of[kind]}); err == nil {
				t.Errorf("%s: SET %s is taken", kind, set)
			}
		}
	}
}

func uuidOf(id ids.Key) string { return fmt.Sprintf("%x", id.Bytes()) }

func TestKeysAreListedPageByPage(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var want []ids.Key
	for range 3 {
		w.Clock.Advance(time.Millisecond)
		want = append([]ids.Key{w.Issue(apikey.CreateInput{Kind: apikey.Public}).ID}, want...)
	}
	var got []ids.Key
	for in := pageOf(2); ; {
		p, err := w.APIKeys.List(t.Context(), w.Admin(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Items {
			if k.ApplicationID != w.App.AppID {
				t.Errorf("%s is another application's", k.ID)
			}
			got = append(got, k.ID)
		}
		if !p.HasMore {
			break
		}
		in.Page.After = got[len(got)-1]
	}
	if len(got) != 7 || !slices.Equal(got[:3], want) {
		t.Errorf("listed %v, want first %v", got, want)
	}
}

func TestUpdateKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	server := w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server", AllowedIPs: []string{"192.0.2.7"}})
	pages := w.Issue(apikey.CreateInput{Kind: apikey.Public, Name: "Pages"})
	name, ips, origins, none := "Back office", []string{"198.51.100.0/24"}, []string{"https://a.example"}, []string{}
	out, err := w.APIKeys.Update(t.Context(), w.Admin(), apikey.UpdateInput{ID: server.ID, Name: &name})
	want := server.Key
	want.Name, want.Version = name, 2
	if err != nil || !reflect.DeepEqual(out, want) || !reflect.DeepEqual(find(t, w, server.ID), want) {
		t.Errorf("%+v, %v", out, err)
	}
	if a, err := enter(t, w, w.APIKeys, server.Text, "192.0.2.7"); err != nil || a.KeyName != name {
		t.Errorf("%+v, %v", a, err)
	}
	if out, err = w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: server.ID, AllowedIPs: &ips}); err != nil || out.Name != name {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := enter(t, w, w.APIKeys, server.Text, "192.0.2.7"); code(err) != "ip_not_allowed" {
		t.Errorf("from where it was allowed before: %v", err)
	}
	if _, err := w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: server.ID, AllowedIPs: &none}); err != nil {
		t.Error(err)
	}
	if _, err := enter(t, w, w.APIKeys, server.Text, ""); err != nil {
		t.Errorf("allowed everywhere: %v", err)
	}
	if out, err = w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: pages.ID, AllowedOrigins: &origins}); err != nil ||
		!slices.Equal(out.AllowedOrigins, origins) {
		t.Errorf("%+v, %v", out, err)
	}
	seen := 1
	if _, err := w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: pages.ID, AllowedOrigins: &none, IfVersion: &seen}); !fault.HasCode(err,
		"object_changed") {
		t.Errorf("who saw an older version changes it: %v", err)
	}
	if seen = out.Version; seen != 2 {
		t.Errorf("version %d", seen)
	}
	if out, err = w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: pages.ID, AllowedOrigins: &origins, IfVersion: &seen}); err != nil || out.Version != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	long := strings.Repeat("x", 101)
	_, err = w.APIKeys.Update(t.Context(), w.Admin(),
		apikey.UpdateInput{ID: pages.ID, Name: &long, AllowedIPs: &ips, AllowedOrigins: &ips})
	if f, ok := fault.As(err); !ok || f.Code != "validation_failed" || len(f.Fields) != 3 ||
		find(t, w, pages.ID).Name != "Pages" {
		t.Errorf("%v", err)
	}
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key, at := w.Issue(apikey.CreateInput{Kind: apikey.Secret}), w.Clock.Now()
	for range 2 {
		k, err := w.APIKeys.Revoke(t.Context(), w.Admin(), key.ID)
		if err != nil || !k.RevokedAt.Equal(at) || k.Status(at) != apikey.Revoked {
			t.Fatalf("%+v, %v", k, err)
		}
		w.Clock.Advance(time.Hour)
	}
}

func TestKeysAreManagedByThoseWhoMay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key, name := w.Issue(apikey.CreateInput{Kind: apikey.Secret}), "Mine"
	calls := func(a authz.Actor, id ids.Key) map[string]error {
		ctx, s := t.Context(), w.APIKeys
		out := make(map[string]error)
		_, out["list"] = s.List(ctx, a, pageOf(1))
		_, out["create"] = s.Create(ctx, a, apikey.CreateInput{Kind: apikey.Secret, Name: "x"})
		_, out["update"] = s.Update(ctx, a, apikey.UpdateInput{ID: id, Name: &name})
		_, out["roll"] = s.Roll(ctx, a, apikey.RollInput{ID: id, Overlap: apikey.OverlapDay})
		_, out["revoke"] = s.Revoke(ctx, a, id)
		return out
	}
	every := &authz.Restriction{Rights: authz.Rights()}
	for _, a := range []authz.Actor{
		w.Actor(), {}, {Role: authz.RoleRestrictedKey, ApplicationID: w.App.AppID, Restriction: every},
		{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}} {
		for what, err := range calls(a, key.ID) {
			want := "key:manage"
			if what == "list" {
				want = "key:read"
			}
			if f, ok := fault.As(err); !ok || f.Code != "permission_denied" || f.Detail["required_permission"] != want {
				t.Errorf("%q: %s: %v", a.Role, what, err)
			}
		}
	}
	for name, id := range map[string]ids.Key{"another application's": key.ID, "unheard": ids.NewKey(w.Clock.Now()),
		"none": {}} {
		for what, err := range calls(authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: w.Other.AppID}, id) {
			if missing := what != "list" && what != "create"; missing != (code(err) == "resource_missing") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	if k := find(t, w, key.ID); !reflect.DeepEqual(k, key.Key) {
		t.Errorf("it became %+v", k)
	}
}

func TestKeyIsForOriginsOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, s := range []string{"", "*", "null", "https://shop.example/", "https://*.example", "https://*.co.uk",
		"https://shop.example:443", "javascript:alert(1)"} {
		_, err := w.APIKeys.Create(t.Context(), w.Admin(), apikey.CreateInput{Kind: apikey.Public, Name: "x",
			AllowedOrigins: []string{"https://shop.example", s}})
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindInvalid || f.Code != "parameter_invalid" ||
			f.Param != "allowed_origins" {
			t.Errorf("%q: %v", s, err)
		}
	}
}
