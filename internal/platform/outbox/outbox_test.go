package outbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

type thing struct {
	Name   string            `json:"name"`
	Count  int               `json:"count"`
	Tags   map[string]string `json:"tags"`
	Parent *int              `json:"parent"`
	hidden int
	Secret int `json:"-"`
}

func TestChangedTellsFormerValues(t *testing.T) {
	t.Parallel()
	seven := 7
	base := thing{Name: "a", Count: 1, Tags: map[string]string{"x": "1", "y": "2"}}
	cases := map[string]struct {
		after thing
		want  string
	}{
		"nothing":          {base, `{}`},
		"what is not told": {thing{"a", 1, maps.Clone(base.Tags), nil, 3, 4}, `{}`},
		"a value":          {thing{"b", 1, base.Tags, nil, 0, 0}, `{"name":"a"}`},
		"from null":        {thing{"a", 1, base.Tags, &seven, 0, 0}, `{"parent":null}`},
		"inside a member":  {thing{"a", 1, map[string]string{"y": "2", "x": "3"}, nil, 0, 0}, `{"tags":{"x":"1","y":"2"}}`},
		"several":          {thing{"", 0, nil, nil, 0, 0}, `{"count":1,"name":"a","tags":{"x":"1","y":"2"}}`},
	}
	for name, c := range cases {
		changed, err := outbox.Changed(base, c.after)
		if text, _ := json.Marshal(changed); err != nil || string(text) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, text, err, c.want)
		}
	}
	for _, none := range []any{make(chan int), "text", []int{1}, nil} {
		if changed, err := outbox.Changed(base, none); err == nil {
			t.Errorf("a thing became %v, which is no object, and changed in %v", none, changed)
		}
	}
}

func TestEventsLiveAndDieWithTheirTransaction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	object := ids.NewCharge(w.Clock.Now()).Bytes()
	emit := func(end error, positions ...int64) error {
		return pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			for _, p := range positions {
				e := outbox.Event{
					ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, Type: "charge.created",
					ObjectID: object,
					Position: p, Object: thing{Name: fmt.Sprint(p)}, RequestID: ids.NewRequest(w.Clock.Now()),
					Source: outbox.API,
				}
				if err := outbox.EmitTx(tx, instant.Both(w.Clock.Now()), e); err != nil {
					return err
				}
			}
			return end
		})
	}
	if err := errors.Join(emit(nil, 1, 2), emit(nil, 3)); err != nil {
		t.Fatal(err)
	}
	if emit(errors.New("changed my mind"), 4) == nil || emit(nil, 3) == nil || emit(nil, 4, 4) == nil {
		t.Error("a failed transaction or a taken position is no error")
	}
	type row struct {
		Position int64
		Previous string
	}
	rows, err := pg.All[row](t.Context(), w.Pool, `SELECT position, previous_attributes::text AS previous FROM events
		WHERE object_id = @id ORDER BY position`, pg.Args{"id": object})
	if err != nil || !slices.Equal(rows, []row{{1, "{}"}, {2, "{}"}, {3, "{}"}}) {
		t.Errorf("%v, %v", rows, err)
	}
	err = pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		return outbox.EmitTx(tx, instant.Both(w.Clock.Now()), outbox.Event{Type: "x", Object: make(chan int)})
	})
	if err == nil {
		t.Error("an object without JSON is emitted")
	}
}
