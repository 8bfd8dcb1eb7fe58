package internal_test

import (
	"regexp"
	"testing"
)

// ofSessions finds statements whose effect outlives their transaction.
var ofSessions = regexp.MustCompile(
	`(?i)^\s*(SET|RESET|LISTEN|UNLISTEN|PREPARE|DECLARE|DISCARD|LOAD|CREATE\s+TEMP\w*)\s|` +
		`\bpg_(try_)?advisory_(lock|unlock)\w*|\bset_config\([^()]*,\s*false\s*\)|\b(currval|lastval)\(`)

func TestStatementsOfSessionsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"\n\tSET statement_timeout = 5": true, "LISTEN events": true, "SELECT pg_advisory_lock(1)": true,
		"SELECT pg_try_advisory_lock_shared(@a)":                true,
		"SELECT set_config('synchronous_commit', 'off', false)": true, "CREATE TEMPORARY TABLE x (a int)": true,
		"SELECT lastval()": true,
		"SELECT set_config('synchronous_commit', 'off', true)": false, "SELECT pg_advisory_xact_lock(1)": false,
		"UPDATE x SET a = 1": false,
	} {
		if got := ofSessions.MatchString(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
