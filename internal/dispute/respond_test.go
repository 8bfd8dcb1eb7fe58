package dispute_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/upload"
)

func (w *world) file(name string) ids.File {
	w.t.Helper()
	out, err := w.Uploads.Create(context.Background(), w.Actor(),
		upload.CreateInput{Name: name, Content: []byte("%PDF-1.4\n" + name + "\n%%EOF")}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object.ID
}

func (w *world) submit(d dispute.Dispute, in dispute.EvidenceInput, key string) (dispute.Result, error) {
	if key == "" {
		return w.Disputes.SubmitEvidence(context.Background(), w.Actor(), d.ID.String(), in, nil)
	}
	return w.Disputes.SubmitEvidence(context.Background(), w.Actor(), d.ID.String(), in, w.claim(key))
}

func (w *world) accept(d dispute.Dispute, key string) (dispute.Result, error) {
	if key == "" {
		return w.Disputes.Accept(context.Background(), w.Actor(), d.ID.String(), nil)
	}
	return w.Disputes.Accept(context.Background(), w.Actor(), d.ID.String(), w.claim(key))
}

func (w *world) resolve(want int) {
	w.t.Helper()
	if n, err := w.Operations.Resolve(context.Background()); err != nil || n != want {
		w.t.Errorf("asked about %d, %v; want %d", n, err, want)
	}
}

func TestEvidenceIsHandedInOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, asks := range []bool{false, true} {
		d, ev := w.opened(1000)
		if asks {
			d, ev = w.asked(1000)
		}
		files := []ids.File{w.file("b.pdf"), w.file("a.pdf")}
		slices.Reverse(files) // in the order of the request, not of their making
		in := dispute.EvidenceInput{
			Evidence: map[string]string{"access_log": "line 1\r\n\tline 2", "payer_name": "Dana"},
			Files:    []string{files[0].String(), files[1].String()}}
		before := w.balances()
		out, err := w.submit(d, in, "")
		if err != nil || out.Unknown || out.Object.Status != dispute.UnderReview || out.Object.Kind != d.Kind ||
			out.Object.EvidenceSubmittedAt == nil ||
			!maps.Equal(out.Object.Evidence, in.Evidence) || !slices.Equal(out.Object.EvidenceFiles, files) {
			t.Fatalf("%+v, %v", out, err)
		}
		if jsonOf(t, w.of(ev)) != jsonOf(t, out.Object) || len(moved(before, w.balances())) != 0 {
			t.Errorf("answered %s\nrecorded %s", jsonOf(t, out.Object), jsonOf(t, w.of(ev)))
		}
		got := w.bank.got[len(w.bank.got)-1]
		if got.Dispute != ev.Dispute.ID || got.Accept || got.Retrieval != (d.Kind == dispute.Retrieval) ||
			got.Amount != 1000 || got.Account.External != processor.MerchantAccount(d.ApplicationID, d.MerchantID) ||
			!maps.Equal(got.Evidence, in.Evidence) || len(got.Files) != 2 || got.Files[0].Name != "a.pdf" ||
			got.Files[1].Name != "b.pdf" ||
			got.Files[0].ContentType != upload.PDF || string(got.Files[0].Content) != "%PDF-1.4\na.pdf\n%%EOF" ||
			!strings.HasPrefix(got.Reference, "op_") {
			t.Errorf("the processor got %+v", got)
		}
		for name, again := range map[string]func() (dispute.Result, error){
			"evidence": func() (dispute.Result, error) { return w.submit(d, words("more"), "") },
			"accept":   func() (dispute.Result, error) { return w.accept(d, "") },
			"draft": func() (dispute.Result, error) {
				_, err := w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), words("more"))
				return dispute.Result{}, err
			},
		} {
			_, err := again()
			if f, ok := fault.As(err); !ok || f.Code != "dispute_not_answerable" || f.Kind != fault.KindConflict ||
				f.Detail["status"] != "under_review" {
				t.Errorf("%s again: %v", name, err)
			}
		}
	}
	if len(w.bank.got) != 2 {
		t.Errorf("the processor got %d answers", len(w.bank.got))
	}
	w.audit(t)
}

func TestAcceptedIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, ev := w.opened(1000)
	before := w.balances()
	out, err := w.accept(d, "")
	if err != nil || out.Object.Status != dispute.Accepted || out.Object.ClosedAt == nil ||
		out.Object.FeeTotal != 1500 || out.Object.EvidenceSubmittedAt != nil {
		t.Fatalf("%+v, %v", out, err)
	}
	want := map[ledger.Account]money.Amount{ledger.MerchantReserved: -1000, ledger.ProcessorReceivable: 1000}
	if got := moved(before, w.balances()); !maps.Equal(got, want) {
		t.Errorf("moved %v", got)
	}
	if got := w.bank.got[0]; !got.Accept || got.Evidence != nil || got.Files != nil || got.Dispute != ev.Dispute.ID {
		t.Errorf("the processor got %+v", got)
	}
	// the processor reports it
	if after := w.heard(lost, ev); after.Status != dispute.Accepted || after.Version != out.Object.Version {
		t.Errorf("%s", jsonOf(t, after))
	}
	if c := w.chargeNow(d.ChargeID); c.AmountDisputed != 1000 {
		t.Errorf("%d disputed", c.AmountDisputed)
	}
	r, _ := w.asked(1000)
	if _, err := w.accept(r, ""); code(err) != "dispute_not_answerable" {
		t.Errorf("a retrieval: %v", err)
	}
	w.audit(t)
}

func TestMistakesOfEvidenceAreToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, _ := w.opened(1000)
	theirs, err := w.Uploads.Create(t.Context(), w.ActorOf(w.Other),
		upload.CreateInput{Name: "a.pdf", Content: []byte("%PDF-1.4\n%%EOF")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mine, foreign, absent := w.file("a.pdf").String(), theirs.Object.ID.String(), ids.NewFile(w.Clock.Now()).String()
	var many []string
	for range dispute.MaxFiles + 1 {
		many = append(many, ids.NewFile(w.Clock.Now()).String())
	}
	type texts = map[string]string
	long := strings.Repeat("é", dispute.MaxText)
	for name, tt := range map[string]struct {
		in   dispute.EvidenceInput
		want []string
	}{
		"nothing":          {dispute.EvidenceInput{}, []string{"evidence:parameter_missing"}},
		"empty":            {dispute.EvidenceInput{Evidence: texts{}, Files: []string{}}, []string{"evidence:parameter_invalid"}},
		"empty text":       {dispute.EvidenceInput{Evidence: texts{"access_log": ""}}, []string{"evidence.access_log:parameter_invalid"}},
		"too long":         {dispute.EvidenceInput{Evidence: texts{"access_log": long + "x"}}, []string{"evidence.access_log:parameter_invalid"}},
		"control":          {dispute.EvidenceInput{Evidence: texts{"access_log": "a\x00b"}}, []string{"evidence.access_log:parameter_invalid"}},
		"not UTF-8":        {dispute.EvidenceInput{Evidence: texts{"access_log": "\xff"}}, []string{"evidence.access_log:parameter_invalid"}},
		"unknown":          {dispute.EvidenceInput{Evidence: texts{"acces_log": "x", "b": "y"}}, []string{"evidence:parameter_unknown"}},
		"foreign file":     {dispute.EvidenceInput{Evidence: texts{}, Files: []string{mine, foreign}}, []string{"files:parameter_invalid"}},
		"absent file":      {dispute.EvidenceInput{Evidence: texts{}, Files: []string{absent}}, []string{"files:parameter_invalid"}},
		"no file":          {dispute.EvidenceInput{Evidence: texts{}, Files: []string{"../../etc/passwd"}}, []string{"files:parameter_invalid"}},
		"file twice":       {dispute.EvidenceInput{Evidence: texts{}, Files: []string{mine, mine}}, []string{"files:parameter_invalid"}},
		"too many files":   {dispute.EvidenceInput{Evidence: texts{}, Files: many}, []string{"files:parameter_invalid"}},
		"everything":       {dispute.EvidenceInput{Evidence: texts{"access_log": "", "payer_name": "\x01", "what": "x"}, Files: []string{absent}}, []string{"evidence.access_log:parameter_invalid", "evidence.payer_name:parameter_invalid", "evidence:parameter_unknown", "files:parameter_invalid"}},
		"no texts":         {dispute.EvidenceInput{Files: []string{mine}}, []string{"evidence:parameter_missing"}},
		"files alone":      {dispute.EvidenceInput{Evidence: texts{}, Files: []string{mine}}, nil},
		"as long as it is": {dispute.EvidenceInput{Evidence: texts{"access_log": long}, Files: []string{mine}}, nil},
	} {
		_, err := w.submit(d, tt.in, "")
		var got []string
		if f, ok := fault.As(err); ok {
			for _, field := range f.Fields {
				got = append(got, field.Param+":"+field.Code)
			}
			if strings.Contains(jsonOf(t, f), "acces_log") || strings.Contains(jsonOf(t, f), absent) {
				t.Errorf("%s: told with what was submitted: %s", name, jsonOf(t, f))
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if tt.want != nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		if tt.want == nil {
			d, _ = w.opened(1000)
			if _, err := w.submit(d, tt.in, ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	w.audit(t)
}

func TestDraftsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, ev := w.opened(1000)
	save := func(in dispute.EvidenceInput) (dispute.Dispute, error) {
		return w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), in)
	}
	file := w.file("a.pdf")
	in := dispute.EvidenceInput{Evidence: map[string]string{"payer_name": "Dana"}, Files: []string{file.String()}}
	first, err := save(in)
	if err != nil || first.Version != 2 || first.Status != dispute.NeedsResponse ||
		first.Evidence["payer_name"] != "Dana" || !slices.Equal(first.EvidenceFiles, []ids.File{file}) ||
		first.EvidenceSubmittedAt != nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := save(in); err != nil || jsonOf(t, again) != jsonOf(t, first) {
		t.Errorf("the same again: %s, %v", jsonOf(t, again), err)
	}
	if empty, err := save(dispute.EvidenceInput{}); err != nil || empty.Version != 3 || len(empty.Evidence) != 0 ||
		len(empty.EvidenceFiles) != 0 || jsonOf(t, empty) != jsonOf(t, w.of(ev)) {
		t.Errorf("emptied: %s, %v", jsonOf(t, empty), err)
	}
	if _, err := save(dispute.EvidenceInput{Evidence: map[string]string{"what": ""}, Files: []string{"x"}}); code(
		err) != "validation_failed" {
		t.Errorf("a bad draft: %v", err)
	}
	if out, err := w.submit(d, in, ""); err != nil || out.Object.Version != 5 {
		t.Errorf("%+v, %v", out, err)
	}
	if len(w.bank.got) != 1 {
		t.Errorf("the processor got %d answers", len(w.bank.got))
	}
	w.audit(t)
}

func TestAnswersHaveATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, ev := w.opened(1000)
	left := ev.Dispute.RespondBy.Sub(w.Clock.Now())
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, left-time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), words("just in time")); err != nil {
		t.Errorf("just in time: %v", err)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	_, evidence := w.submit(d, words("late"), "")
	_, accepted := w.accept(d, "")
	_, drafted := w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), words("late"))
	for what, err := range map[string]error{"evidence": evidence, "acceptance": accepted, "draft": drafted} {
		if code(err) != "dispute_not_answerable" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(w.bank.got) != 0 {
		t.Error("the processor got something")
	}
}

func TestOnlyItsOwnServerAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, _ := w.opened(1000)
	id := d.ID.String()
	calls := func(a authz.Actor, id string) map[string]error {
		_, submit := w.Disputes.SubmitEvidence(t.Context(), a, id, words("x"), nil)
		_, accept := w.Disputes.Accept(t.Context(), a, id, nil)
		_, draft := w.Disputes.SaveDraft(t.Context(), a, id, words("x"))
		_, get := w.Disputes.Get(t.Context(), a, id)
		return map[string]error{"submit": submit, "accept": accept, "draft": draft, "get": get}
	}
	for what, err := range calls(authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, id) {
		want := map[bool]authz.Permission{true: authz.DisputeRead, false: authz.DisputeAnswer}[what == "get"]
		if f, ok := fault.As(err); !ok || f.Code != "permission_denied" ||
			f.Detail["required_permission"] != string(want) {
			t.Errorf("a browser, %s: %v", what, err)
		}
	}
	for _, id := range []string{id, ids.NewDispute(w.Clock.Now()).String(), "dp_", ""} {
		for what, err := range calls(w.ActorOf(w.Other), id) {
			if code(err) != "resource_missing" {
				t.Errorf("another application, %s %q: %v", what, id, err)
			}
		}
	}
	if len(w.bank.got) != 0 {
		t.Error("the processor got something")
	}
	w.audit(t)
}

func TestRefusedAnswersChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bank.behave(refuses)
	d, ev := w.opened(1000)
	if _, err := w.accept(d, "a"); code(err) != "dispute_not_answerable" {
		t.Errorf("%v", err)
	}
	if out, err := w.accept(d, "a"); err != nil || out.Prior == nil ||
		out.Prior.Outcome.Refusal.Code != "dispute_not_answerable" {
		t.Errorf("replayed: %+v, %v", out, err)
	}
	if after := w.of(ev); jsonOf(t, after) != jsonOf(t, d) {
		t.Errorf("%s\nwas %s", jsonOf(t, after), jsonOf(t, d))
	}
	if _, err := w.submit(d, words("kept"), ""); code(err) != "dispute_not_answerable" {
		t.Errorf("%v", err)
	}
	if after := w.of(ev); after.Status != dispute.NeedsResponse || after.Evidence["uncategorized_text"] != "kept" ||
		after.EvidenceSubmittedAt != nil {
		t.Errorf("what could not be handed in is no draft: %s", jsonOf(t, after))
	}
	w.bank.behave(objects)
	_, err := w.submit(d, words("kept"), "")
	if code(err) != "dispute_not_answerable" || !strings.Contains(err.Error(), "does not accept this evidence") {
		t.Errorf("%v", err)
	}
	w.bank.behave(takes)
	if out, err := w.submit(d, words("kept"), ""); err != nil || out.Object.Status != dispute.UnderReview {
		t.Errorf("another try: %+v, %v", out, err)
	}
	w.audit(t)
}

func TestKeyAnswersOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, _ := w.opened(1000)
	var wait sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[string]int{}
	for range 6 {
		wait.Go(func() {
			out, err := w.submit(d, words("once"), "k")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				outcomes[code(err)]++
			case out.Prior != nil:
				outcomes["replayed"]++
			default:
				outcomes[string(out.Object.Status)]++
			}
		})
	}
	wait.Wait()
	if outcomes["under_review"] != 1 || outcomes["replayed"]+outcomes["idempotency_key_in_use"] != 5 ||
		len(w.bank.got) != 1 {
		t.Errorf("%v, %d answers", outcomes, len(w.bank.got))
	}
	out, err := w.submit(d, words("once"), "k")
	if err != nil || out.Prior == nil ||
		!strings.Contains(string(out.Prior.Outcome.Result), `"status":"under_review"`) {
		t.Errorf("%+v, %v", out, err)
	}
	w.audit(t)
}
