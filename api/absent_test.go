package api

import (
	"slices"
	"testing"

	"svcpay/internal/fault"
)

// noneByDefault are the optional members of which a request without them has none.
var noneByDefault = []string{"createMerchant domains", "submitEvidence files", "verifyToken amounts",
	"previewCardRules allowed_countries", "previewCardRules blocked_countries", "previewCardRules minimum_amount"}

// selects reports whether leaving a place out could mean everything, by its kind: an amount, a time or a list.
func (p bodyPlace) selects() bool {
	amount := p.schema.Max != nil && *p.schema.Max == 99_999_999 && *p.schema.Min > 0
	return amount || p.schema.Format == "date-time" || p.schema.Type.Is("array")
}

// Where a request without a member is about everything there is, a member without a value is a mistake: null, an empty
// list, 0.
func TestNothingNeverMeansAll(t *testing.T) {
	t.Parallel()
	s := open(t)
	mine := s.own().theirObjects(t)
	var found int
	for _, c := range withJSON(t) {
		c = c.about(t, mine)
		for _, p := range placesOf(t, c) {
			name := c.op.OperationID + " " + p.name
			updates := c.method != "POST" // which leave alone what is not sent
			if !updates && !p.required && p.selects() && !p.absentIsAll() && p.schema.Extensions["x-default"] == nil &&
				!slices.Contains(noneByDefault, name) {
				t.Errorf("%s: the contract does not say what leaving it out means", name)
			}
			if !p.absentIsAll() {
				continue
			}
			if found++; p.schema.Nullable || p.required {
				t.Errorf("%s may be null, or must be sent", name)
			}
			values := []string{"null"}
			switch {
			case p.schema.Type.Is("array"):
				values = append(values, "[]", "[null]")
			case p.schema.Type.Is("integer"):
				values = append(values, "0", "-0", `""`)
			case p.schema.Format == "date-time", p.schema.Enum != nil:
				values = append(values, `""`, "0")
			}
			for _, value := range values {
				t.Run(name+" "+value, func(t *testing.T) {
					e := s.send(t, bodyWith(t, c, p, value)).error()
					names := e.Param == p.name ||
						slices.ContainsFunc(e.Errors, func(f fault.Field) bool { return f.Param == p.name })
					if e.Type != "invalid_request_error" || e.Code == "resource_missing" || !names {
						t.Errorf("answered %+v", e)
					}
				})
			}
		}
	}
	if found < 17 {
		t.Errorf("the contract has %d such members", found)
	}
}

// bodyWith is the call with a value in a place, on the body that the place makes sense in.
func bodyWith(t testing.TB, c call, p bodyPlace, value string) call {
	if base := bases[c.op.OperationID+" "+p.name]; base != "" {
		c.body = base
		for _, other := range placesOf(t, c) {
			if other.name == p.name {
				return other.put(value)
			}
		}
	}
	return p.put(value)
}
