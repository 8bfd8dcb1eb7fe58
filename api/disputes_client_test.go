package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/dispute"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

var disputeResource = resource{
	expands: map[string][]string{"Dispute": {"merchant", "charge"}},
	shapes: map[string]any{
		"Dispute": dispute.Dispute{}, "DisputeList": list{}, "Dispute.processor": dispute.ProcessorRef{},
		"SubmitEvidence": dispute.EvidenceInput{},
	},
	enums: map[string][]string{"DisputeStatus": dispute.Statuses(), "DisputeKind": dispute.Kinds()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/disputes/:id": func(t *testing.T, s *site) string { return s.disputed(t, s.Other, false).ID.String() },
	},
}

// desk is the sandbox processor whose answers to disputes may be lost on the way.
type desk struct {
	*sandbox.Processor
	mu      sync.Mutex
	lost    bool // what is submitted
	reply   bool // its reply
	refuses bool
}

func (d *desk) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	d.mu.Lock()
	lost, reply, refuses := d.lost, d.reply, d.refuses
	d.mu.Unlock()
	if lost {
		return processor.Answer{}, errors.New("the line is dead")
	}
	if refuses {
		return processor.Answer{DeclineCode: "dispute_not_answerable"}, nil
	}
	a, err := d.Processor.Respond(ctx, r)
	if reply {
		return processor.Answer{}, errors.New("the line is dead")
	}
	return a, err
}

// openDesk serves a world whose disputes are answered at a desk.
func openDesk(t *testing.T) (*site, *desk) {
	t.Helper()
	d := &desk{}
	w := fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor {
		d.Processor = p
		return d
	})
	return serve(t, w, configOf(w), time.Minute), d
}

// disputed has a charge disputed at the sandbox's processor, and hears of it.
func (s *site) disputed(t testing.TB, app demo.Application, retrieval bool) dispute.Dispute {
	t.Helper()
	body := s.body(s.TokenIn(s.SessionOf(app, app.Merchants.US), good), "merchant_id", fmt.Sprint(app.Merchants.US))
	charged := s.send(t, call{method: http.MethodPost, path: "/api/charges", as: &app, body: body}).charge(t)
	p, ok := s.Processor.(*sandbox.Processor)
	if d, is := s.Processor.(*desk); is {
		p, ok = d.Processor, true
	}
	if !ok {
		t.Fatalf("%T cannot simulate", s.Processor)
	}
	err := p.Simulate(t.Context(), sandbox.Simulation{Kind: processor.DisputeOpened,
		Account: processor.Account{Adapter: charged.Processor.Name,
			External: processor.MerchantAccount(app.AppID, app.Merchants.US)},
		Reference: charged.Processor.Reference, Retrieval: retrieval})
	if err != nil {
		t.Fatal(err)
	}
	events, err := conformance.Events(t.Context(), p, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(events, func(e processor.Event) bool {
		return e.Kind == processor.DisputeOpened && e.Reference == charged.Processor.Reference
	})
	if i < 0 {
		t.Fatal("the processor tells of no dispute")
	}
	events[i].Adapter = p.Name() // as the reader of its feed does
	if err := s.Disputes.Open(t.Context(), events[i]); err != nil {
		t.Fatal(err)
	}
	id, err := pg.Value[string](t.Context(), s.Pool, `SELECT evt.object->>'id' FROM events evt
		WHERE type = 'dispute.created' AND object->>'charge_id' = @charge`,
		pg.Args{"charge": charged.ID.String()})
	if err != nil {
		t.Fatal(err)
	}
	return s.send(t, call{method: http.MethodGet, path: "/api/disputes/" + id, as: &app}).dispute(t)
}

func (a answer) dispute(t testing.TB) dispute.Dispute {
	t.Helper()
	var d dispute.Dispute
	if err := json.Unmarshal(a.body, &d); err != nil || a.status >= 300 {
		t.Fatalf("no dispute but %d %s", a.status, a.body)
	}
	return d
}

// answerTo posts an answer to a dispute; key is the Idempotency-Key, "" for none.
func (s *site) answerTo(t testing.TB, d dispute.Dispute, how, body, key string) answer {
	t.Helper()
	c := call{method: http.MethodPost, path: "/api/disputes/" + d.ID.String() + "/" + how, body: body}
	if key != "" {
		c = c.header1("Idempotency-Key", key)
	}
	return s.send(t, c)
}
