package portal

import (
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

func TestAReceiptIsSentOncePerFormAndAgainWhenAskedFor(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	at := web.ChargesPath + "/" + one.ID.String()
	cookie := w.as(authz.RoleOrganizationStaff)
	w.send(at, nil, "Cookie", cookie).says(t, `href="`+at+`/receipt"`)
	w.send(at+"/receipt", nil, "Cookie", cookie).says(t, "Send receipt", `value="dana@example.org"`,
		`href="`+at+`/receipt.pdf"`)
	file := w.send(at+"/receipt.pdf", nil, "Cookie", w.working(authz.RoleSupportStaff))
	if file.StatusCode != http.StatusOK || file.Header.Get("Content-Type") != "application/pdf" ||
		!strings.HasPrefix(file.body, "%PDF-") {
		t.Errorf("the file is %d, %q", file.StatusCode, file.Header.Get("Content-Type"))
	}
	bad := w.drawnForm(at+"/receipt", cookie)
	bad.Set("email", "nobody")
	refused := w.send(at+"/receipt", bad, "Cookie", cookie)
	refused.wants(t, http.StatusUnprocessableEntity, "")
	refused.says(t, "Enter a full email address.", `value="nobody"`)
	w.send(at+"/receipt", bad, "Cookie", w.working(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")
	for _, path := range []string{at + "/receipt", at + "/receipt.pdf"} {
		w.send(path, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	}
	form := w.drawnForm(at+"/receipt", cookie)
	form.Set("email", "other@example.org")
	for range 2 {
		w.send(at+"/receipt", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	n, err := pg.Value[int64](t.Context(), w.Pool, `SELECT count(*) FROM mails WHERE kind = 'receipt'`, pg.Args{})
	if err != nil || n != 1 {
		t.Errorf("%d mails went: %v", n, err)
	}
	w.send(at+"/receipt", nil, "Cookie", cookie).says(t, "To other@example.org", "Kim Vale")
	w.send(at, nil, "Cookie", cookie).says(t, "Receipt sent")
	form = w.drawnForm(at+"/receipt", cookie)
	form.Set("email", "other@example.org")
	w.send(at+"/receipt", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	letters := w.letters()
	if len(letters) != 2 || letters[0].Subject != "Your receipt from Riverside Food Bank" ||
		letters[0].To != "other@example.org" ||
		len(letters[0].Files) != 1 || !strings.Contains(strings.Join(letters[0].Lines, "\n"), "Visa ···· 4242") {
		t.Errorf("the letters are %+v", letters)
	}
}

// A payer may have given no address: the form asks for it. A receipt that is sent too often is refused in its form.
func TestAReceiptWithoutAnAddressAndOneTooMany(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE charges SET billing = billing - 'email'
		WHERE id = @id`, pg.Args{"id": one.ID}); err != nil {
		t.Fatal(err)
	}
	at, cookie := web.ChargesPath+"/"+one.ID.String()+"/receipt", w.as(authz.RoleOrganizationStaff)
	w.send(at, nil, "Cookie", cookie).says(t, "No email on file. Enter an address.", "The address the payer gave you")
	empty := w.send(at, w.drawnForm(at, cookie), "Cookie", cookie)
	empty.wants(t, http.StatusUnprocessableEntity, "")
	empty.says(t, "Enter a full email address.")
	for range 100 {
		form := w.drawnForm(at, cookie)
		form.Set("email", "dana@example.org")
		a := w.send(at, form, "Cookie", cookie)
		if a.StatusCode == http.StatusSeeOther {
			continue
		}
		a.wants(t, http.StatusTooManyRequests, "")
		a.says(t, "Receipt not sent", "This receipt was sent too many times in the last hour.", `value="dana@example.org"`,
			"<title>Error: Send receipt")
		if a.Header.Get("Retry-After") == "" {
			t.Error("nothing says when another try makes sense")
		}
		return
	}
	t.Error("receipts are sent without end")
}

func TestWhatTookNothingHasNoReceipt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	held := w.charged(visaCard, 10_000, func(in *charge.CreateInput) { in.Capture = new(false) })
	at, cookie := web.ChargesPath+"/"+held.ID.String(), w.as(authz.RoleApplicationAdmin)
	if page := w.send(at, nil, "Cookie", cookie); strings.Contains(page.body, at+"/receipt") {
		t.Error("a receipt of nothing is offered")
	}
	w.send(at+"/receipt.pdf", nil, "Cookie", cookie).says(t, "No payment was captured, so there is no receipt.")
}
