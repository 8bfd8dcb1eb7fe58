package pg

import (
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"
)

// However often a statement is asked for, and with whichever arguments: what is sent is what pgx makes of it.
func TestArgumentsAreNumberedAsPgxDoes(t *testing.T) {
	t.Parallel()
	texts := []string{
		"SELECT @a", "SELECT @a, @b, @a", "SELECT @b - @a", "SELECT '@a', @b -- @c", "SELECT 1",
		`SELECT "@a", $$@b$$, @c::int`, "SELECT x @> @a AND y = ANY(@b::text[])",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		args := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.Int()).Draw(t, "args")
		ours, theirs := Args{}, pgx.StrictNamedArgs{}
		for name, v := range args {
			ours[name], theirs[name] = v, v
		}
		for range 2 {
			sql, values, err := ours.RewriteQuery(t.Context(), nil, text, nil)
			wantSQL, want, wantErr := theirs.RewriteQuery(t.Context(), nil, text, nil)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v, want %v", text, err, wantErr)
			}
			if sql != wantSQL || !reflect.DeepEqual(values, want) && len(want) > 0 {
				t.Fatalf("%s: %s %v, want %s %v", text, sql, values, wantSQL, want)
			}
		}
	})
}
