package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svcpay/api/client"
)

// failure demands that an error is one of the client's.
func failure(t *testing.T, err error) *client.Error {
	t.Helper()
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	return e
}

var order = client.CreateCharge{MerchantID: 1042, Amount: 12500, Token: "tok_1"}

const made = `{"id":"ch_1","status":"captured"}`

func TestRequestsCarryWhatWasGiven(t *testing.T) {
	t.Parallel()
	c, s := talking(t, []client.Setting{client.WithUserAgent("shop/2")},
		answer{status: 201, body: made, header: map[string]string{"Idempotent-Replayed": "true"}})
	var response client.Response
	full := order
	full.Capture, full.Metadata = new(false), map[string]string{"a": "b"}
	charge, err := c.Charges.Create(t.Context(), full, client.IdempotencyKey("mine"),
		client.Header("X-Request-Id", "r"), client.ResponseTo(&response))
	if err != nil || charge.ID != "ch_1" || charge.Status != client.ChargeStatusCaptured {
		t.Errorf("%+v, %v", charge, err)
	}
	r := s.last()
	if want := `{"merchant_id":1042,"amount":12500,"token":"tok_1","capture":false,"metadata":{"a":"b"}}`; r.
		body != want {
		t.Errorf("the body is %s", r.body)
	}
	for name, want := range map[string]string{"Idempotency-Key": "mine", "X-Request-Id": "r",
		"Accept": "application/json"} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if r.URL.String() != "https://api.example/api/charges" ||
		!strings.HasPrefix(r.Header.Get("User-Agent"), "shop/2 svcpay-go/") {
		t.Errorf("sent to %s by %s", r.URL, r.Header.Get("User-Agent"))
	}
	if response.StatusCode != 201 || !response.Replayed || response.RequestID != "req_1" ||
		response.Header.Get("Content-Type") == "" {
		t.Errorf("%+v", response)
	}
	if _, err := c.Charges.Create(t.Context(), order); err != nil ||
		s.last().body != `{"merchant_id":1042,"amount":12500,"token":"tok_1"}` {
		t.Errorf("%s, %v", s.last().body, err)
	}
}

// A number or a time of zero reaches the service, which refuses it: left out, the request would be about everything.
func TestZeroIsNeverLeftOut(t *testing.T) {
	t.Parallel()
	c, s := talking(t, nil, answer{status: 200, body: `{"data":[]}`})
	ctx := t.Context()
	for want, send := range map[string]func() error{
		`{"charge_id":"ch_1","amount":0}`: func() error {
			_, err := c.Refunds.Create(ctx, client.CreateRefund{ChargeID: "ch_1", Amount: new(int64(0))})
			return err
		},
		`{"charge_id":"ch_1"}`: func() error {
			_, err := c.Refunds.Create(ctx, client.CreateRefund{ChargeID: "ch_1"})
			return err
		},
		`{"amount":0}`: func() error {
			_, err := c.Charges.Capture(ctx, "ch_1", client.CaptureCharge{Amount: new(int64(0))})
			return err
		},
		`{}`: func() error { _, err := c.Charges.Capture(ctx, "ch_1", client.CaptureCharge{}); return err },
		`{"since":"2026-12-01T00:00:00Z","until":"0001-01-01T00:00:00Z","which":""}`: func() error {
			_, err := c.WebhookEndpoints.Replay(ctx, "whe_1", client.ReplayWebhookEndpoint{
				Since: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Until: new(time.Time),
				Which: new(client.WebhookReplayWhich)})
			return err
		},
		`{"resource":"charges","format":"csv","filters":{"merchant_id":[]},"columns":[]}`: func() error {
			_, err := c.Exports.Create(ctx,
				client.CreateExport{Resource: client.ExportResourceCharges, Format: client.ExportFormatCSV,
					Filters: &client.ExportFilters{MerchantID: []int64{}}, Columns: []string{}})
			return err
		},
		`?created_at%5Bgte%5D=0001-01-01T00%3A00%3A00Z&limit=0&merchant_id=`: func() error {
			_, err := c.Charges.ListPage(ctx,
				client.ListChargesParams{CreatedAtGte: new(time.Time), Limit: new(0), MerchantID: []int64{}})
			return err
		},
	} {
		if err := send(); err != nil {
			t.Error(err)
		}
		got := s.last().body
		if query := s.last().URL.RawQuery; query != "" {
			got = "?" + query
		}
		if got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}

// No member of a request is a number or a time that could be left out when it is zero.
func TestRequestsHaveNoOptionalZeros(t *testing.T) {
	t.Parallel()
	seen := 0
	look := func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			optional := strings.Contains(f.Tag.Get("json")+f.Tag.Get("query"), ",omit")
			number := f.Type.Kind() >= reflect.Int && f.Type.Kind() <= reflect.Float64
			if optional && (number || f.Type == reflect.TypeFor[time.Time]()) {
				t.Errorf("%s.%s is left out when it is zero", of.Name(), f.Name)
			}
			if optional {
				seen++
			}
		}
	}
	for service := range reflect.ValueOf(client.Services{}).Fields() {
		for method := range service.Type.Methods() {
			for in := range method.Type.Ins() {
				if in.Kind() == reflect.Struct && in != reflect.TypeFor[client.Document]() {
					look(in)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d members can be left out", seen)
	}
}

func TestUpdatesTellNullFromNothing(t *testing.T) {
	t.Parallel()
	c, s := talking(t, nil, answer{status: 200, body: "{}"})
	proposal := client.FeeProposal{PlatformFlatFee: client.Null[int64](), CaptureFee: client.Set[int64](0)}
	if _, err := c.Fees.Preview(t.Context(), 1042, proposal, client.IfMatch(3)); err != nil {
		t.Fatal(err)
	}
	if r := s.last(); r.body != `{"capture_fee":0,"platform_flat_fee":null}` || r.Header.Get("If-Match") != `"3"` {
		t.Errorf("sent %s if %s", r.body, r.Header.Get("If-Match"))
	}
}

func TestDocumentsGoBothWays(t *testing.T) {
	t.Parallel()
	c, s := talking(t, nil, answer{status: 200, body: "{}"},
		answer{status: 200, body: "a,b\n", header: map[string]string{"Content-Type": "text/csv"}})
	if _, err := c.Files.Create(t.Context(), client.CreateFileParams{Name: "a b.pdf"},
		client.Document{ContentType: "application/pdf", Content: []byte("%PDF")}); err != nil {
		t.Fatal(err)
	}
	if r := s.last(); r.body != "%PDF" || r.Header.Get("Content-Type") != "application/pdf" ||
		r.URL.RawQuery != "name=a+b.pdf" {
		t.Errorf("sent %s as %s to %s", r.body, r.Header.Get("Content-Type"), r.URL)
	}
	d, err := c.Payouts.GetStatementFile(t.Context(), 1042, client.GetStatementParams{Month: "2026-12"}, "text/csv")
	if err != nil || d.ContentType != "text/csv" || string(d.Content) != "a,b\n" ||
		s.last().Header.Get("Accept") != "text/csv" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestRepetitions: whatever may pass is asked again, under one key, after the time that the service wants and a pause
// of its own that grows.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, s := talking(t, []client.Setting{client.WithRetries(6)}, answer{err: errors.New("connection reset")},
			refusal(409, "idempotency_key_in_use", "Retry-After", "1"), refusal(429, "rate_limited",
				"Retry-After", "3"),
			refusal(500, "internal_error"), refusal(503, "overloaded", "Retry-After", "-1"),
			answer{status: 502, body: "<html>"}, answer{status: 201, body: made})
		begun := time.Now()
		charge, err := c.Charges.Create(t.Context(), order)
		if err != nil || charge.ID != "ch_1" || len(s.requests) != 7 {
			t.Fatalf("%d requests: %v", len(s.requests), err)
		}
		for _, r := range s.requests {
			if r.body != s.requests[0].body ||
				r.Header.Get("Idempotency-Key") != s.requests[0].Header.Get("Idempotency-Key") {
				t.Errorf("a repetition is another request: %s", r.body)
			}
		}
		most := 4*time.Second + (500+1000+2000+4000+8000+8000)*time.Millisecond
		if took := time.Since(begun); took < 4*time.Second || took > most {
			t.Errorf("it took %s", took)
		}
		first := s.requests[0].Header.Get("Idempotency-Key")
		if _, err := c.Charges.Create(t.Context(), order); err != nil ||
			s.last().Header.Get("Idempotency-Key") == first {
			t.Errorf("two charges have one key: %v", err)
		}
	})
}

func TestPausesDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 20 {
			c, _ := talking(t, nil, refusal(503, "overloaded"), answer{status: 201, body: made})
			begun := time.Now()
			if _, err := c.Charges.Create(t.Context(), order); err != nil {
				t.Fatal(err)
			}
			seen[time.Since(begun)] = true
		}
		if len(seen) < 15 {
			t.Errorf("20 clients paused in %d ways", len(seen))
		}
	})
}

func TestWhatIsFinalIsNotRepeated(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{
		"parameter_invalid": 400, "api_key_invalid": 401, "card_declined": 402, "permission_denied": 403,
		"resource_missing":  404,
		"external_id_taken": 409, "operation_in_progress": 409, "token_expired": 410, "object_changed": 412,
		"token_not_found": 422, "processor_error": 502,
	} {
		c, s := talking(t, nil, refusal(status, code, "Retry-After", "1"))
		_, err := c.Charges.Create(t.Context(), order)
		e := failure(t, err)
		if e.StatusCode != status || string(e.Code) != code || e.RequestID != "req_2" || e.RetryAfter != time.Second ||
			len(s.requests) != 1 {
			t.Errorf("%s: %+v after %d requests", code, e, len(s.requests))
		}
		if want := fmt.Sprintf("svcpay: POST /api/charges: %d %s: Said so. (req_2)", status,
			code); err.Error() != want {
			t.Errorf("it says %q", err)
		}
	}
	c, s := talking(t, nil, refusal(429, "card_testing_suspected", "Retry-After", "31"))
	if _, err := c.Charges.Create(t.Context(), order); failure(t, err).RetryAfter != 31*time.Second ||
		len(s.requests) != 1 {
		t.Errorf("waits half a minute: %v, %d", err, len(s.requests))
	}
}

func TestRepetitionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, s := talking(t, nil, answer{err: errors.New("no route")})
		_, err := c.Charges.Create(t.Context(), order, client.IdempotencyKey("k"))
		if e := failure(t, err); len(s.requests) != 1+client.DefaultRetries || e.StatusCode != 0 ||
			e.IdempotencyKey != "k" || !strings.Contains(e.Error(), "no route") {
			t.Errorf("%d requests, then %v", len(s.requests), err)
		}
		c, s = talking(t, []client.Setting{client.WithRetries(0)}, refusal(503, "overloaded"))
		if _, err := c.Charges.Create(t.Context(), order); failure(t, err).StatusCode != 503 || len(s.requests) != 1 {
			t.Errorf("%d requests, then %v", len(s.requests), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		c, _ = talking(t, nil, refusal(503, "overloaded", "Retry-After", "9"))
		begun := time.Now()
		_, err = c.Charges.Create(ctx, order)
		if e := failure(t, err); e.StatusCode != 503 || e.IdempotencyKey == "" ||
			!errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 2*time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		if _, err := c.Charges.Create(ctx, order); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with an old context: %v", err)
		}
	})
}

func TestOutcomesAreWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		processing := answer{status: 202, body: `{"id":"ch_1","status":"processing"}`}
		c, s := talking(t, nil, processing, processing, refusal(402, "card_declined"))
		if charge, err := c.Charges.Create(t.Context(), order); err != nil ||
			charge.Status != client.ChargeStatusProcessing {
			t.Errorf("without waiting: %+v, %v", charge, err)
		}
		_, err := c.Charges.Create(t.Context(), order, client.UntilKnown())
		if e := failure(t, err); e.Code != client.ErrorCodeCardDeclined || len(s.requests) != 3 ||
			s.requests[1].Header.Get("Idempotency-Key") != s.requests[2].Header.Get("Idempotency-Key") {
			t.Errorf("%v after %d requests", err, len(s.requests))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c, s = talking(t, nil, processing)
		_, err = c.Charges.Create(ctx, order, client.UntilKnown())
		if e := failure(t, err); e.StatusCode != http.StatusAccepted || e.IdempotencyKey == "" ||
			!errors.Is(err, context.DeadlineExceeded) || len(s.requests) < 8 {
			t.Errorf("%v after %d requests", err, len(s.requests))
		}
	})
}

func TestUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pending, done := answer{status: 200, body: `{"status":"pending"}`}, answer{
			status: 200, body: `{"status":"succeeded"}`}
		settled := func(r *client.Refund) bool { return r.Status != client.RefundStatusPending }
		c, s := talking(t, nil, pending, pending, done)
		read := func(ctx context.Context) (*client.Refund, error) {
			return c.Refunds.Get(ctx, "re_1", client.GetRefundParams{})
		}
		if r, err := client.Until(t.Context(), read, settled); err != nil || r.Status != client.RefundStatusSucceeded ||
			len(s.requests) != 3 {
			t.Errorf("%+v, %v", r, err)
		}
		c, _ = talking(t, nil, pending)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if r, err := client.Until(ctx, read, settled); !errors.Is(err, context.DeadlineExceeded) ||
			r.Status != client.RefundStatusPending {
			t.Errorf("%+v, %v", r, err)
		}
		c, _ = talking(t, nil, refusal(404, "resource_missing"))
		if _, err := client.Until(t.Context(), read, settled); failure(t, err).StatusCode != 404 {
			t.Error(err)
		}
	})
}

// TestAnswersOfOthers: what comes from something between us, or only by half.
func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	c, _ := talking(t, nil, answer{status: 404, body: "<html>no</html>"})
	_, err := c.Charges.Get(t.Context(), "ch_1", client.GetChargeParams{})
	if e := failure(t, err); e.StatusCode != 404 || e.Code != "" || e.Message != "Not Found" || e.RequestID != "req_1" {
		t.Errorf("%+v", e)
	}
	c, _ = talking(t, nil, answer{status: 200, body: "<html>yes</html>"})
	if _, err := c.Charges.Get(t.Context(), "ch_1",
		client.GetChargeParams{}); !strings.Contains(failure(t, err).Error(), "cannot be read") {
		t.Error(err)
	}
	c, s := talking(t, nil, answer{status: 307, header: map[string]string{"Location": "https://elsewhere.example/"}})
	if _, err := c.Charges.Get(t.Context(), "ch_1", client.GetChargeParams{}); failure(t, err).StatusCode != 307 ||
		len(s.requests) != 1 {
		t.Errorf("a redirect: %v, %d requests", err, len(s.requests))
	}
	s = &service{answers: []answer{{status: 201, body: made}}}
	c, err = client.New("http://localhost:8080", 1, "k",
		client.WithHTTPClient(&http.Client{Transport: &cutting{next: s}}))
	if err != nil {
		t.Fatal(err)
	}
	if charge, err := c.Charges.Create(t.Context(), order); err != nil || charge.ID != "ch_1" {
		t.Errorf("after half an answer: %+v, %v", charge, err)
	}
}

func TestNothingIsToldOfSecrets(t *testing.T) {
	t.Parallel()
	c, _ := talking(t, []client.Setting{client.WithRetries(0)}, answer{err: errors.New("refused")})
	if text := fmt.Sprintf("%v %+v %#v %v", c, c, *c, c.Charges); strings.Contains(text, "topsecret") {
		t.Errorf("a client prints as %s", text)
	}
	_, err := c.Refunds.ListPage(t.Context(), client.ListRefundsParams{ExternalID: "someone"})
	if err == nil || strings.Contains(err.Error(), "someone") {
		t.Errorf("the error says %v", err)
	}
}
