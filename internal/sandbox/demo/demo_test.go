package demo_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"svcpay/internal/payout"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

func TestCredentialsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "credentials.json")
	if c, err := demo.Read(path); err != nil || !reflect.DeepEqual(c, demo.Credentials{}) {
		t.Errorf("without a file: %+v, %v", c, err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil { // an open one is replaced by a closed one
		t.Fatal(err)
	}
	want := demo.Credentials{BaseURL: "http://localhost:8080", Application: demo.Application{
		AppID: 1, SecretKey: "sk_x", Merchants: demo.Merchants{US: 1001},
		Users: []demo.User{{Email: "a@b.example", Role: "system_admin"}},
	}, Other: &demo.Application{AppID: 2}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := demo.Write(path, want); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := demo.Read(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	st, err := os.Stat(path)
	if left, _ := os.ReadDir(dir); err != nil || st.Mode().Perm() != 0o600 || len(left) != 1 {
		t.Errorf("mode %v, %v; in the directory %v", st.Mode(), err, left)
	}
	text, _ := os.ReadFile(path)
	for _, name := range []string{
		"base_url", "pay_url", "portal_url", "shop_url", "app_id", "secret_key", "public_key", "merchants", "us",
		"us_q", "ca", "users", "email", "password", "role", "daf_login", "bank_login", "other",
	} {
		if !strings.Contains(string(text), `"`+name+`":`) {
			t.Errorf("%s is missing in %s", name, text)
		}
	}
	if err := os.WriteFile(path, []byte("not json sk_secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := demo.Read(path); err == nil || strings.Contains(err.Error(), "sk_secret") {
		t.Errorf("nonsense: %v", err)
	}
	if err := demo.Write(filepath.Join(dir, "none", "x"), want); err == nil {
		t.Error("written into no directory")
	}
}

func TestSecondStartKeepsTheApplications(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	before := demo.Credentials{Application: w.App, Other: &w.Other}
	maker := demo.Maker{Identity: w.Identity, APIKeys: w.APIKeys, Merchants: w.Merchants}
	again, err := maker.Applications(t.Context(), before, fixture.PageOrigin)
	if err != nil || !reflect.DeepEqual(again.Application, w.App) || !reflect.DeepEqual(*again.Other, w.Other) {
		t.Errorf("%+v, %v", again, err)
	}
	elsewhere := fixture.New(t)
	maker = demo.Maker{Identity: elsewhere.Identity, APIKeys: elsewhere.APIKeys, Merchants: elsewhere.Merchants,
		Domains: []string{"localhost"}}
	fresh, err := maker.Applications(t.Context(), before, fixture.PageOrigin)
	if err != nil || fresh.SecretKey == w.App.SecretKey || fresh.Other.SecretKey == w.Other.SecretKey ||
		fresh.SecretKey == fresh.Other.SecretKey {
		t.Errorf("another database: %+v, %v", fresh, err)
	}
	if a := fresh.Application; a.AppID == fresh.Other.AppID || a.Merchants.US == a.Merchants.USQ ||
		a.Merchants.CA == fresh.Other.Merchants.CA {
		t.Errorf("%+v and %+v", a, *fresh.Other)
	}
	for id, want := range map[int64]string{fresh.Merchants.US: "shop.example localhost",
		fresh.Merchants.USQ: "shop.example localhost", fresh.Merchants.CA: ""} {
		if m, err := elsewhere.Merchants.Find(t.Context(), fresh.AppID, id); err != nil ||
			strings.Join(m.Domains, " ") != want {
			t.Errorf("%v, %v; want %s", m.Domains, err, want)
		}
	}
}

func TestMerchantsCanBePaidOut(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	maker := demo.Maker{Identity: w.Identity, APIKeys: w.APIKeys, Merchants: w.Merchants, Payouts: w.Payouts}
	c, err := maker.Ensure(t.Context(), demo.Credentials{Application: w.App, Other: &w.Other}, fixture.PageOrigin)
	if err != nil {
		t.Fatal(err)
	}
	accounts := map[int64]payout.BankAccount{}
	for _, again := range []bool{false, true} {
		for _, id := range []int64{c.Merchants.US, c.Merchants.USQ, c.Merchants.CA} {
			b := w.BankAccount(c.Application, id)
			if b.Status != payout.Verified || b.MerchantID != id || again && b.ID != accounts[id].ID {
				t.Errorf("%+v", b)
			}
			accounts[id] = b
		}
	}
	if b := w.BankAccount(*c.Other, c.Other.Merchants.CA); b.Status != payout.Verified || b.Currency != "cad" {
		t.Errorf("%+v", b)
	}
}
