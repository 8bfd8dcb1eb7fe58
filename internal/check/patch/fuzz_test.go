package patch_test

import (
	"encoding/json"
	"testing"

	"svcpay/internal/check/patch"
)

func FuzzMember(f *testing.F) {
	for _, text := range []string{"null", `""`, `"a"`, "1", "{}", "", " null", "nul", `"\ud800"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got patch.Member[string]
		if got.UnmarshalJSON(text) != nil {
			return
		}
		var want *string
		if err := json.Unmarshal(text, &want); err != nil || !got.Given || (want == nil) != (got.Value == nil) ||
			(want != nil && *want != *got.Value) {
			t.Errorf("%q is read as %+v, %v", text, got, err)
		}
	})
}
