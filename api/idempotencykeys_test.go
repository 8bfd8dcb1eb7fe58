package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

func (s *site) keyRecord(t testing.TB, key string) keyRecord {
	t.Helper()
	var out keyRecord
	a := s.get(t, "/api/idempotency_keys/"+url.PathEscape(key)).want(t, 200, "")
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatBecameOfAKey(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.postKey(t, "made", s.body(s.Token(good))).want(t, 201, "")
	declined := s.postKey(t, "declined", s.body(s.Token("4000000000000002"))).want(t, 402, "card_declined")
	id := s.authorized(t, good).ID.String()
	captured := s.on(t, http.MethodPost, "/api/charges/"+id+"/capture", "", "captured").want(t, 200, "")
	for key, tt := range map[string]struct {
		answer   answer
		path, id string
		code     string
	}{
		"made":     {made, "/api/charges", made.charge(t).ID.String(), ""},
		"declined": {declined, "/api/charges", declined.error().ChargeID, "card_declined"},
		"captured": {captured, "/api/charges/" + id + "/capture", id, ""},
	} {
		k := s.keyRecord(t, key)
		if k.Key != key || k.State != "done" || value(k.Status) != tt.answer.status || k.Method != "POST" ||
			k.Path != tt.path || value(k.ObjectID) != tt.id ||
			k.RequestID.String() != tt.answer.header.Get("Request-Id") || !k.CreatedAt.Equal(s.Clock.Now()) ||
			!k.ExpiresAt.Equal(s.Clock.Now().Add(idempotency.Life)) {
			t.Errorf("%s: %+v", key, k)
		}
		if e := value(k.Refusal); e.Code != tt.code ||
			(tt.code != "" && (e.Type != "card_error" || value(e.Param) != tt.answer.error().Param ||
				e.Message != tt.answer.error().Message)) {
			t.Errorf("%s: refused with %+v", key, e)
		}
	}
	s.postKey(t, "released", s.body(marker)).want(t, 422, "token_not_found")
	for _, key := range []string{"released", "never", "mad", "made ", "MADE", "%"} {
		s.get(t, "/api/idempotency_keys/"+url.PathEscape(key)).want(t, 404, "resource_missing")
	}
	s.Clock.Advance(idempotency.Life)
	s.get(t, "/api/idempotency_keys/made").want(t, 404, "resource_missing")
}

func TestKeysOfAnyCharacters(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i, key := range []string{
		"a/b", "/", "//x/", "100%", "%2F", "a%20b", "?x=1&y", "#f", ";,=", `"\'`, "..", "~!@$^&*()[]{}|<>`", "a+b",
		":key", strings.Repeat("k/", 127),
	} {
		s.postKey(t, key, s.body(s.Token(good), "amount", fmt.Sprint(100+i))).want(t, 201, "")
		if k := s.keyRecord(t, key); k.Key != key || k.State != "done" {
			t.Errorf("%q is read as %+v", key, k)
		}
	}
	s.get(t, "/api/idempotency_keys/a/b").want(t, 404, "route_missing")
	s.get(t, "/api/idempotency_keys/").want(t, 404, "route_missing")
}

func TestKeysWhoseOutcomeIsNotKnown(t *testing.T) {
	t.Parallel()
	h := held{arrived: make(chan struct{}), release: make(chan struct{})}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		h.Processor = inner
		return h
	})
	s := serve(t, w, configOf(w), time.Minute)
	body := s.body(s.Token(good))
	first := make(chan answer)
	go func() { first <- s.postKey(t, "k", body) }()
	<-h.arrived
	waiting := s.keyRecord(t, "k")
	if waiting.State != "in_progress" || waiting.Status != nil || waiting.Refusal != nil || waiting.ObjectID == nil {
		t.Errorf("while it hangs: %+v", waiting)
	}
	s.Clock.Advance(3 * time.Second)
	s.postKey(t, "k", body).want(t, 202, "")
	if k := s.keyRecord(t, "k"); k.State != "accepted" || k.Status != nil ||
		value(k.ObjectID) != value(waiting.ObjectID) {
		t.Errorf("once the caller was told to wait: %+v", k)
	}
	close(h.release)
	if a := (<-first).want(t, 201, ""); a.charge(t).ID.String() != value(waiting.ObjectID) {
		t.Errorf("the key named %s", value(waiting.ObjectID))
	}
	if k := s.keyRecord(t, "k"); k.State != "done" || value(k.Status) != 201 {
		t.Errorf("in the end: %+v", k)
	}
}

// A key and the log of its requests name the donation that it is about while no one knows how that ends, and when it
// was refused.
func TestKeysOfDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	waits := s.give(t, s.gift(t, "timeout@fund.example", daf.Integrated, 12_500, ""), "Idempotency-Key",
		"waits").want(t, 202, "")
	refused := s.give(t, s.gift(t, "declined@fund.example", daf.Integrated, 12_500, ""), "Idempotency-Key",
		"refused").want(t, 402, "daf_session_declined")
	id := map[string]string{"waits": waits.donation(t).ID.String()}
	for _, one := range s.listed(t, "/api/dafDonations") {
		if one != id["waits"] {
			id["refused"] = one
		}
	}
	s.flush(t)
	for key, a := range map[string]answer{"waits": waits, "refused": refused} {
		if k := s.keyRecord(t, key); id[key] == "" || value(k.ObjectID) != id[key] || value(k.Status) == 0 &&
			key == "refused" {
			t.Errorf("%s: %+v, want %s", key, k, id[key])
		}
		found := s.listed(t, "/api/request_logs?method=POST&object_id="+id[key])
		if want := a.header.Get("Request-Id"); len(found) != 1 || found[0] != want {
			t.Errorf("%s: the log finds %v, want %s", key, found, want)
		}
	}
}

// What a key says that a repetition is answered is what the contract says of the operation.
func TestMadeStatusIsTheContracts(t *testing.T) {
	t.Parallel()
	for _, c := range everyRoute(t) {
		key := c.op.Parameters.GetByInAndName("header", "Idempotency-Key")
		if key == nil {
			continue
		}
		path, _, _ := strings.Cut(c.path, "?")
		if status := madeStatus(c.method, path); c.op.Responses.Status(status) == nil {
			t.Errorf("%s is not answered %d", c.name(), status)
		}
	}
}
