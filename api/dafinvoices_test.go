package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/money"
	"svcpay/internal/report/statement"
)

func TestDAFInvoiceInEveryForm(t *testing.T) {
	t.Parallel()
	s := open(t)
	us, amount, note := s.App.Merchants.US, money.Amount(12_500), "=gift"
	s.TakesDAF(us)
	session := s.Authorized(s.App, us, daf.Integrated, amount)
	made, err := s.DAF.Create(t.Context(), s.Actor(),
		daf.CreateInput{MerchantID: &us, WorkflowSessionID: &session, Amount: &amount, Anonymous: new(true),
			ExternalID: &note}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var in daf.UpdateInput
	completed := string(daf.Completed)
	in.Status.Given, in.Status.Value = true, &completed
	if _, err := s.DAF.Update(t.Context(), s.Actor(), made.Object.ID.String(), in, nil); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/api/merchants/%d/daf_invoice?month=%s", us, month(t, s.Clock.Now()))
	var got statement.DAFInvoice
	a := s.get(t, path).want(t, 200, "")
	if err := json.Unmarshal(a.body, &got); err != nil || got.Total != 250 || got.Donations != 1 ||
		got.Lines[0].DonationID != made.Object.ID || a.header.Get("Content-Disposition") != "" {
		t.Errorf("%s, %v", a.body, err)
	}
	for query, want := range map[string]struct{ media, file, holds string }{
		"&format=csv":          {"text/csv; charset=utf-8", fmt.Sprintf("daf-invoice-%d-%s.csv", us, got.Month), ",'=gift,12500,2,250,usd"},
		"&format=pdf":          {"application/pdf", ".pdf", "/MediaBox [0 0 612.00 792.00]"},
		"&format=pdf&paper=a4": {"application/pdf", ".pdf", "/MediaBox [0 0 595.28 841.89]"},
	} {
		a := s.get(t, path+query).want(t, 200, "")
		if a.header.Get("Content-Type") != want.media ||
			!strings.Contains(a.header.Get("Content-Disposition"), want.file) ||
			!strings.Contains(string(a.body), want.holds) {
			t.Errorf("%s: %v\n%.300s", query, a.header, a.body)
		}
	}
	if e := s.get(t, fmt.Sprintf("/api/merchants/%d/daf_invoice", us)).want(t, 400,
		"parameter_missing").error(); e.Param != "month" {
		t.Errorf("names %q", e.Param)
	}
	s.get(t, fmt.Sprintf("/api/merchants/%d/daf_invoice?month=2025-03", s.Other.Merchants.US)).want(t, 404,
		"resource_missing")
	s.send(t, call{method: http.MethodGet, path: path}.header1("Accept", "image/png")).want(t, 406, "not_acceptable")
}
