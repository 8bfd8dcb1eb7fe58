package pg_test

import (
	"testing"

	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Two questions take one journey once their statements are known, and have the answers that each has by itself.
func TestTwoQuestionsTakeOneJourney(t *testing.T) {
	t.Parallel()
	pool, n := counted(t)
	if _, err := pg.Exec(t.Context(), pool, `
		INSERT INTO notes (id, text) SELECT i, 'note' FROM generate_series(1, 9) i`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	type note struct{ ID int }
	ask := func(limit int, text *string) pg.Question[page.Of[int]] {
		return pg.PageOf(pool, page.Input[int]{Limit: limit}, `SELECT id FROM notes WHERE id > 0
			AND (@text::text IS NULL OR text = @text)`, pg.Args{"text": text}, func(n note) int { return n.ID })
	}
	some := "note"
	for _, c := range []struct {
		text     *string
		journeys int64
	}{{nil, 0}, {nil, 1}, {nil, 1}, {&some, 2}} {
		before := n.Load()
		first, second, err := pg.Both(t.Context(), ask(2, nil), ask(3, c.text))
		if err != nil || len(first.Items) != 2 || len(second.Items) != 3 || first.Items[0] != 9 || second.Items[2] != 7 {
			t.Fatalf("%v and %v, %v", first, second, err)
		}
		if took := n.Load() - before; c.journeys > 0 && took < c.journeys || c.journeys == 1 && took != 1 {
			t.Errorf("with %v they take %d journeys, not %d", c.text, took, c.journeys)
		}
	}
	alone, err := ask(2, &some).Answer(t.Context())
	if err != nil || len(alone.Items) != 2 || !alone.HasMore {
		t.Errorf("alone it has %v, %v", alone, err)
	}
	broken := pg.PageOf(pool, page.Input[int]{Limit: 1}, `SELECT id FROM nothing WHERE true`, pg.Args{}, func(n note) int { return n.ID })
	if _, _, err := pg.Both(t.Context(), ask(2, nil), broken); err == nil {
		t.Error("the error of one of them is lost")
	}
}
