package overview

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/audit"
	"svcpay/views/text"
)

// used are the permissions that entries of people have, with what each can be about.
func used() map[authz.Permission][]string {
	out := map[authz.Permission][]string{"account:change": {"person"}, "invitation:accept": {"grant"}}
	for _, p := range permissions(text.English) {
		if rank(p) == 0 && p != authz.ContentRead && p != authz.SearchRead {
			out[p] = slices.Collect(maps.Keys(text.English.Audit.Things))
		}
	}
	return out
}

// The log says what was done, not which permission it took: of each permission, about each kind of thing, also in rows
// that keep nothing of the change; and a sign-in is no change of how someone signs in.
func TestTheAuditLogSaysActs(t *testing.T) {
	t.Parallel()
	for permission, kinds := range used() {
		for _, kind := range kinds {
			for _, change := range [][2]string{{"{}", "{}"}, {"{}", `{"name":"x","amount":1}`}, {`{"name":"x"}`, "{}"},
				{`{"status":"a"}`, `{"status":"b"}`}, {"", ""}} {
				e := audit.Entry{Permission: permission, SubjectKind: kind, Outcome: audit.Done,
					Before: []byte(change[0]), After: []byte(change[1])}
				words := actWords(text.English, e)
				if words == "" || strings.HasPrefix(words, "used the permission") ||
					words == text.English.Permissions[string(permission)] {
					t.Errorf("%s of %s, %s: %q", permission, kind, change, words)
				}
			}
		}
	}
	removed := audit.Entry{Permission: authz.ProcessingManage, SubjectKind: "processor_account", Outcome: audit.Done,
		Before: []byte(`{"id":"pa_1","external_account":"acct_1"}`), After: []byte("{}")}
	if words := actWords(text.English, removed) + " " +
		thing(text.English, removed, audit.SubjectName{}); words != "removed {} the processor account acct_1" {
		t.Errorf("a removed account: %q", words)
	}
	for after, want := range map[string]string{
		`{"id":"pa_1","status":"active","tested_at":"2026-03-02"}`: "connected {}", `{"status":"active"}`: "enabled {}",
		`{"status":"disabled"}`:      "disabled {}",
		`{"tested_at":"2026-03-03"}`: "tested {}", `{"tested_at":"2026-03-03","onboarding":"complete"}`: "tested {}",
		`{"tested_at":"2026-03-03","credentials_last4":null}`:          "replaced the credentials of {}",
		`{"tested_at":"2026-03-03","credentials_set_at":"2026-03-03"}`: "replaced the credentials of {}",
		`{"tested_at":"2026-03-03","priority":2}`:                      "edited {}", `{"methods":["cc"]}`: "edited {}",
	} {
		before := `{"status":"x"}`
		if strings.Contains(after, "pa_1") {
			before = "{}"
		}
		e := audit.Entry{Permission: authz.ProcessingManage, SubjectKind: "processor_account", Outcome: audit.Done,
			Before: []byte(before), After: []byte(after)}
		if words := actWords(text.English, e); words != want {
			t.Errorf("%s is %q, want %q", after, words, want)
		}
	}
	for on, want := range map[string]string{"true": "turned failover on for {}",
		"false": "turned failover off for {}"} {
		e := audit.Entry{Permission: authz.ProcessingManage, SubjectKind: "application", Outcome: audit.Done,
			Before: []byte("{}"),
			After:  []byte(`{"processor_failover":` + on + `}`)}
		if words := actWords(text.English, e); words != want {
			t.Errorf("failover %s is %q, want %q", on, words, want)
		}
	}
	for _, what := range []identity.Change{identity.PasswordChanged, identity.AuthenticatorAdded,
		identity.AuthenticatorRemoved, identity.PasskeyAdded, identity.PasskeyRemoved,
		identity.RecoveryCodesMade, identity.RecoveryCodeUsed, identity.SignedIn, identity.Locked, identity.ResetMade,
		identity.WrongCodes} {
		e := audit.Entry{Permission: "account:change", SubjectKind: "person", Outcome: audit.Done,
			After: []byte(`{"change":"` + string(what) + `"}`)}
		if words := actWords(text.English, e); words == text.English.Audit.Acts["account:change"] {
			t.Errorf("%s is %q", what, words)
		}
	}
}
