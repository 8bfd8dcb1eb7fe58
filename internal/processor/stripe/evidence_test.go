package stripe_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/dispute"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// evidenceFields maps our texts to Stripe's fields. evidenceHeadings are the headings of texts in uncategorized_text.
var evidenceFields = map[string]string{
	"product_description": "product_description", "payer_name": "customer_name",
	"payer_email": "customer_email_address", "payer_address": "billing_address",
	"payer_ip_address": "customer_purchase_ip", "service_date": "service_date", "shipping_carrier": "shipping_carrier",
	"shipping_tracking_number": "shipping_tracking_number", "shipping_date": "shipping_date",
	"shipping_address":         "shipping_address",
	"refund_policy_disclosure": "refund_policy_disclosure", "refund_refusal_explanation": "refund_refusal_explanation",
	"cancellation_policy_disclosure": "cancellation_policy_disclosure",
	"cancellation_rebuttal":          "cancellation_rebuttal",
	"duplicate_explanation":          "duplicate_charge_explanation", "access_log": "access_activity_log",
	"uncategorized_text": "uncategorized_text",
}

var evidenceHeadings = map[string]string{
	"payer_communication": "Communication with the customer", "receipt_description": "Receipt",
	"service_documentation": "Proof of service",
	"refund_policy":         "Refund policy", "cancellation_policy": "Cancellation policy",
	"duplicate_charge_id": "Other charge",
}

// submitted responds with evidence and returns the evidence at Stripe.
func (w *world) submitted(t *testing.T, r processor.Response) map[string]any {
	t.Helper()
	answer, err := w.open().Respond(t.Context(), r)
	responds(t, "response", "", answer, err)
	return w.Dispute(w.first, r.Dispute)["evidence"].(map[string]any)
}

func TestEveryTextReachesStripe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, id := w.disputed(t, fake.Disputed)
	r := w.response(id)
	r.Evidence = map[string]string{}
	for _, name := range dispute.EvidenceNames() {
		r.Evidence[name] = "the text of " + name
	}
	r.Evidence["explanation"] = "a name that we do not know"
	got := w.submitted(t, r)
	rest := []string{"the text of uncategorized_text"}
	for _, name := range dispute.EvidenceNames() {
		text := "the text of " + name
		switch field, heading := evidenceFields[name], evidenceHeadings[name]; {
		case field == "" && heading == "":
			t.Errorf("%s is in neither table", name)
		case field == "":
			rest = append(rest, heading+":\n"+text)
		case field != "uncategorized_text" && got[field] != text:
			t.Errorf("%s is %v", field, got[field])
		}
	}
	text, _ := got["uncategorized_text"].(string)
	parts := strings.Split(text, "\n\n")
	rest = append(rest, "explanation:\na name that we do not know")
	if !slices.Equal(slices.Sorted(slices.Values(parts)), slices.Sorted(slices.Values(rest))) || parts[0] != rest[0] {
		t.Errorf("%q, want %q", parts, rest)
	}
	if len(got) != len(evidenceFields) {
		t.Errorf("%d fields: %v", len(got), got)
	}
}

// Evidence can be submitted only once, so the adapter declines evidence that does not fit before it sends anything.
func TestEvidenceThatDoesNotFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", dispute.MaxText)
	names := dispute.EvidenceNames()
	several := map[string]string{}
	for _, name := range names[:8] {
		several[name] = long[:len(long)/20*19]
	}
	files := slices.Repeat([]processor.File{
		{Name: "a.pdf", ContentType: "application/pdf", Content: []byte("%PDF-1.7")}}, dispute.MaxFiles)
	for name, c := range map[string]struct {
		texts map[string]string
		files []processor.File
		want  string
	}{
		"the longest text":         {texts: map[string]string{"uncategorized_text": long}},
		"the longest other text":   {texts: map[string]string{"access_log": long}},
		"a text too long":          {texts: map[string]string{"access_log": long + "é"}, want: "texts_too_long"},
		"texts of one field":       {texts: map[string]string{"uncategorized_text": long, "refund_policy": "None."}, want: "texts_too_long"},
		"texts too long together":  {texts: several, want: "texts_too_long"},
		"as many files as fields":  {files: files[:9]},
		"more files than fields":   {files: files, want: "too_many_files"},
		"a file's name is no room": {texts: map[string]string{"uncategorized_text": long}, files: files[:2], want: "texts_too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, id := w.disputed(t, fake.Disputed)
			r := w.response(id)
			r.Evidence, r.Files = c.texts, c.files
			w.Requests()
			answer, err := w.open().Respond(t.Context(), r)
			if c.want == "" {
				responds(t, "response", "", answer, err)
				return
			}
			responds(t, "response", "evidence_refused", answer, err)
			if answer.RawCode != c.want {
				t.Errorf("%+v", answer)
			}
			for _, sent := range w.Requests() {
				if sent.Method == http.MethodPost {
					t.Errorf("sent %s", sent.Path)
				}
			}
		})
	}
}

func TestFilesOfEvidence(t *testing.T) {
	t.Parallel()
	pdf, png := []byte("%PDF-1.7"), []byte("\x89PNG\r\n\x1a\n")
	w := newWorld(t)
	_, id := w.disputed(t, fake.Disputed)
	r := w.response(id)
	r.Files = []processor.File{
		{Name: "Photo one.png", ContentType: "image/png", Content: png},
		{Name: "Signed-contract 2027.pdf", ContentType: "application/pdf", Content: pdf},
		{Name: "RECEIPT_17.pdf", ContentType: "application/pdf", Content: pdf},
		{Name: "photo two", ContentType: "image/png", Content: png},
		{Name: "e-mail.pdf", ContentType: "application/pdf", Content: pdf},
		{Name: "receipt of before.pdf", ContentType: "application/pdf", Content: pdf},
	}
	got := w.submitted(t, r)
	for field, name := range map[string]string{"uncategorized_file": "Photo one.png",
		"service_documentation": "Signed-contract 2027.pdf", "receipt": "RECEIPT_17.pdf",
		"shipping_documentation": "photo two.png", "customer_communication": "e-mail.pdf",
		"refund_policy": "receipt of before.pdf"} {
		file := w.File(w.first, fmt.Sprint(got[field]))
		if file["filename"] != name {
			t.Errorf("%s has %v, want %s", field, file, name)
		}
	}
	if text := got["uncategorized_text"]; text != "Additional files: photo two (in shipping_documentation), receipt of before.pdf (in refund_policy)" {
		t.Errorf("%q", text)
	}
	for _, sent := range w.Requests() {
		if sent.Path == "/v1/files" && sent.Form.Get("purpose") != "dispute_evidence" {
			t.Errorf("%v", sent.Form)
		}
	}
}

// If Stripe rejects a file, the dispute does not change. If the response to an upload is lost, the outcome is unknown
// until the look-up.
func TestFilesThatAreNotUploaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, id := w.disputed(t, fake.Disputed)
	r := w.response(id)
	r.Files = []processor.File{{Name: "a.pdf", ContentType: "application/pdf", Content: []byte("no PDF at all")}}
	answer, err := w.open().Respond(t.Context(), r)
	responds(t, "response", "evidence_refused", answer, err)
	for _, fault := range []fake.Fault{fake.LoseAnswer, fake.LoseCall, fake.Broken, fake.TooMany} {
		w.Fail("POST /v1/files", fault)
		r = w.response(id)
		r.Files = []processor.File{{Name: "a.pdf", ContentType: "application/pdf", Content: []byte("%PDF-1.7")}}
		if answer, err := w.open().Respond(t.Context(), r); err == nil {
			t.Errorf("%+v", answer)
		}
		if answer, err := w.open().Lookup(t.Context(), account, r.Reference); !isUnknown(err) {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if s := w.status(id); s != "needs_response" {
		t.Error(s)
	}
	w.submitted(t, w.response(id))
}

// Stripe requires its own ID of another charge.
func TestDuplicateCharges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.authorization(fake.Approved)
	w.paid(t, a)
	charge := w.Charge(w.first, a.Reference)
	for text, found := range map[string]bool{a.Reference: true, charge: true, " " + charge + "\n": true,
		"ch_01JQ8Z6K4T8M2X9V5C7B1N3D0F": false, "ch_unheard": false,
		"order 17": false, "ch_../x": false} {
		_, id := w.disputed(t, fake.Disputed)
		r := w.response(id)
		r.Evidence["duplicate_charge_id"] = text
		got := w.submitted(t, r)
		switch other, rest := got["duplicate_charge_id"], got["uncategorized_text"]; {
		case found && (other != charge || rest != nil), !found && (other != nil || rest != "Other charge:\n"+text):
			t.Errorf("%q: %v, %q", text, other, rest)
		}
	}
	// A charge that the key may not read leaves the outcome unknown.
	_, id := w.disputed(t, fake.Disputed)
	p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/charges" {
			rw.WriteHeader(http.StatusForbidden)
			fmt.Fprint(rw, `{"error": {"type": "invalid_request_error"}}`)
			return true
		}
		return false
	})
	r := w.response(id)
	r.Evidence["duplicate_charge_id"] = a.Reference
	if answer, err := p.Respond(t.Context(), r); err == nil {
		t.Errorf("%+v", answer)
	}
}
