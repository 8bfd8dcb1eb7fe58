package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/fee"
	"svcpay/internal/merchant"
)

// TestEveryRouteThatWritesAFeeEmitsTheSameEvents: each operation of the contract whose body has daf_percentage changes
// the fees with fees.updated and the merchant with merchant.updated, once each, unless it makes the merchant or asks
// only; the same again has no event.
func TestEveryRouteThatWritesAFeeEmitsTheSameEvents(t *testing.T) {
	t.Parallel()
	routes := 0
	for _, path := range read(t).Paths.InMatchingOrder() {
		for method, op := range read(t).Paths.Value(path).Operations() {
			if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil ||
				op.RequestBody.Value.Content["application/json"].Schema.Value.Properties["daf_percentage"] == nil {
				continue
			}
			routes++
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				s := &listener{site: open(t)}
				s.catchUp(t)
				at := strings.Replace(path, "{id}", fmt.Sprint(s.App.Merchants.US), 1)
				switch {
				case method == http.MethodPut:
					s.changesFees(t, at)
				case op.OperationID == "createMerchant":
					s.on(t, method, at,
						`{"name":"New","country":"US","organization":{"name":"New"},"daf_percentage":3}`, "").want(t,
						http.StatusCreated, "")
					s.emitted(t, "merchant.created")
				case op.OperationID == "previewFees":
					s.on(t, method, at, `{"daf_percentage":3}`, "").want(t, http.StatusOK, "")
					s.emitted(t, "")
				default:
					t.Errorf("it is not known what %s does", op.OperationID)
				}
			})
		}
	}
	if routes != 4 {
		t.Errorf("%d routes", routes)
	}
}

// listener reads a site's events, each once.
type listener struct {
	*site
	looked int64
}

// catchUp reads what has happened.
func (s *listener) catchUp(t *testing.T) {
	t.Helper()
	s.number(t)
	if p := s.events(t, "limit=1"); len(p.Data) > 0 {
		s.looked = p.Data[0].Number()
	}
}

// emitted fails unless events of these types happened since the last look, in this order, and returns their objects.
func (s *listener) emitted(t *testing.T, types string) (out []json.RawMessage) {
	t.Helper()
	s.number(t)
	p := s.events(t, fmt.Sprintf("limit=100&after_sequence=%d", s.looked))
	for _, e := range p.Data {
		s.looked = e.Number()
		out = append(out, e.Data.Object)
	}
	if got := p.types(); got != types {
		t.Fatalf("%q happened, want %q", got, types)
	}
	return out
}

func (s *listener) changesFees(t *testing.T, at string) {
	t.Helper()
	before := readAs[merchant.Merchant](t, s.get(t, ofUS(s.site, "")))
	s.on(t, http.MethodPut, at, `{"daf_percentage":3.125}`, "").want(t, http.StatusOK, "")
	objects := s.emitted(t, "fees.updated merchant.updated")
	n, m := readObject[fee.Notice](t, objects[0]), readObject[merchant.Merchant](t, objects[1])
	in := readAs[fee.Fees](t, s.get(t, ofUS(s.site, "/fees")))
	if len(n.Changes) != 1 || fmt.Sprint(n.Changes[0].Old) != "map[daf_percentage:2]" ||
		fmt.Sprint(n.Changes[0].New) != "map[daf_percentage:3.125]" ||
		n.Changes[0].ScheduleID != in.ID || !n.EffectiveAt.Equal(in.EffectiveAt.Time) || n.ChangedBy.Kind != "api" ||
		n.ChangedBy.KeyName != in.CreatedBy.KeyName {
		t.Errorf("%s, the fees are %+v", objects[0], in)
	}
	if now := readAs[merchant.Merchant](t, s.get(t, ofUS(s.site, ""))); m.Version != before.Version+1 ||
		m.DAFPercentage != 3125 || now.Version != m.Version || now.DAFPercentage != 3125 {
		t.Errorf("%s, the merchant is %+v", objects[1], now)
	}
	s.on(t, http.MethodPut, at, `{"daf_percentage":3.125}`, "").want(t, http.StatusOK, "")
	s.on(t, http.MethodPut, at, `{"daf_percentage":101}`, "").want(t, http.StatusBadRequest, "parameter_invalid")
	s.emitted(t, "")
}

func readObject[T any](t *testing.T, object json.RawMessage) (out T) {
	t.Helper()
	if err := json.Unmarshal(object, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
