package page_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/platform/page"
)

// read does what a use-case's two statements do with the ids 1 to n.
func read(in page.Input[int], n int) []int {
	var rows []int
	cursor := in.Cursor()
	for id := 1; id <= n; id++ {
		if cursor == nil || (in.Up() && id > *cursor) || (!in.Up() && id < *cursor) {
			rows = append(rows, id)
		}
	}
	if !in.Up() {
		slices.Reverse(rows)
	}
	return rows[:min(len(rows), in.Rows())]
}

func TestPagesPutTogetherAreTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "objects")
		in := page.Input[int]{Limit: rapid.IntRange(1, 20).Draw(t, "limit"),
			Ascending: rapid.Bool().Draw(t, "ascending")}
		backwards := rapid.Bool().Draw(t, "backwards")
		want := make([]int, 0, n)
		for id := 1; id <= n; id++ {
			want = append(want, id)
		}
		if !in.Ascending {
			slices.Reverse(want)
		}
		if backwards && n > 0 { // all that lies before the last object
			in.Before, want = want[n-1], want[:n-1]
		}
		got := []int{}
		for {
			p := page.Cut(in, read(in, n))
			if p.Items == nil || len(p.Items) > in.Limit {
				t.Fatalf("a page is %v", p.Items)
			}
			if in.Backwards() {
				got = append(slices.Clone(p.Items), got...)
			} else {
				got = append(got, p.Items...)
			}
			if !p.HasMore {
				break
			}
			if in.Backwards() {
				in.Before = p.Items[0]
			} else {
				in.After = p.Items[len(p.Items)-1]
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pages of %+v: %v, want %v", in, got, want)
		}
	})
}

func TestOnlyACursorMovesThePage(t *testing.T) {
	t.Parallel()
	if in := (page.Input[int]{Limit: 3}); in.Cursor() != nil || in.Up() || in.Backwards() || in.Rows() != 4 {
		t.Errorf("the newest page is read from %v, up %v", in.Cursor(), in.Up())
	}
	if in := (page.Input[int]{After: 7, Ascending: true}); *in.Cursor() != 7 || !in.Up() || in.Backwards() {
		t.Errorf("the page after 7 is read from %v, up %v", *in.Cursor(), in.Up())
	}
	if in := (page.Input[int]{Before: 7, Ascending: true}); *in.Cursor() != 7 || in.Up() || !in.Backwards() {
		t.Errorf("the page before 7 is read from %v, up %v", *in.Cursor(), in.Up())
	}
}
