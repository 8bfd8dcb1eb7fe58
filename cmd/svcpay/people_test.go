package main

import (
	"bytes"
	"strings"
	"testing"

	"svcpay/internal/identity"
	"svcpay/internal/testing/fixture"
)

func TestTheFirstAdministratorComesByALink(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_BASE_URL=https://pay.example.org"}
	command := func(status int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(append([]string{"admin"}, args...), env, &out, &errs); got != status {
			t.Fatalf("%v: exit status %d: %s", args, got, errs.String())
		}
		return out.String() + errs.String()
	}
	link := command(0, "create", "root@example.org")
	_, rest, ok := strings.Cut(link, "https://pay.example.org/portal/invite/")
	token, _, _ := strings.Cut(rest, "\n")
	if !ok || !strings.Contains(link, "for root@example.org") {
		t.Fatalf("%q", link)
	}
	const words = "correct horse battery"
	if _, err := w.Identity.Accept(t.Context(), token,
		identity.Acceptance{Name: "Robin Root", Password: words}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Identity.Accept(t.Context(), token,
		identity.Acceptance{Name: "Robin Root", Password: words}); err == nil {
		t.Error("the link works twice")
	}
	p, err := w.Identity.SignIn(t.Context(), "root@example.org", words, identity.Visitor{})
	if err != nil || len(p.Grants) != 1 || p.Grants[0].Role != "system_admin" {
		t.Errorf("%+v, %v", p, err)
	}
	_, rest, _ = strings.Cut(command(0, "reset", "ROOT@example.org"), "https://pay.example.org/portal/reset/")
	token, _, _ = strings.Cut(rest, "\n")
	if err := w.Identity.Reset(t.Context(), token, "violet horse battery staple"); err != nil {
		t.Error(err)
	}
	for want, args := range map[string][]string{"not an email address": {"create", "nobody"},
		"no user signs in": {"reset", "nobody@example.org"},
		"--portal-url":     {"create", "x@example.org", "--portal-url", "pay.example.org"}} {
		if said := command(1, args...); !strings.Contains(said, want) {
			t.Errorf("%v: %q", args, said)
		}
	}
}
