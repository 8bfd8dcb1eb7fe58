package patch_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"svcpay/internal/check/patch"
)

func TestAbsentNullAndValueAreThreeThings(t *testing.T) {
	t.Parallel()
	was := "was"
	for body, want := range map[string]string{`{}`: "was", `{"m":null}`: "", `{"m":"now"}`: "now"} {
		var in struct {
			M patch.Member[string] `json:"m"`
		}
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		got := in.M.On(&was)
		if (got == nil) != (want == "") || got != nil && *got != want {
			t.Errorf("%s makes %v", body, got)
		}
	}
	if got := patch.Set("x").On(nil); *got != "x" || patch.Clear[string]().On(&was) != nil {
		t.Errorf("set %v", got)
	}
}

func TestWrongTypeIsAnError(t *testing.T) {
	t.Parallel()
	var m patch.Member[int]
	if err := json.Unmarshal([]byte(`"x"`), &m); err == nil {
		t.Errorf("%+v", m)
	}
	if m.Holds() != reflect.TypeFor[int]() {
		t.Errorf("holds %v", m.Holds())
	}
}
