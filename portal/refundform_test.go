package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

var drawnInputs = regexp.MustCompile(`<input type="hidden" name="(once|left|version|failover)" value="([^"]*)"`)

// drawnForm opens a form and returns what it would send.
func (w *world) drawnForm(path, cookie string) url.Values {
	w.t.Helper()
	a := w.send(path, nil, "Cookie", cookie)
	if a.StatusCode == http.StatusSeeOther { // the address of a form that acts once
		path = a.Header.Get("Location")
		a = w.send(path, nil, "Cookie", cookie)
	}
	a.wants(w.t, http.StatusOK, "")
	out := url.Values{}
	for _, input := range drawnInputs.FindAllStringSubmatch(a.body, -1) {
		out.Set(input[1], input[2])
	}
	return out
}

// withAmount is a form with an amount.
func withAmount(form url.Values, amount string) url.Values {
	out := url.Values{}
	for name, values := range form {
		out[name] = values
	}
	out.Set("amount", amount)
	return out
}

// refundsOf are the refunds of a charge.
func (w *world) refundsOf(c charge.Charge) []refund.Refund {
	w.t.Helper()
	all, err := w.World.Refunds.List(w.t.Context(), w.Actor(),
		refund.ListInput{Page: page.Input[ids.Refund]{Limit: 50}, ChargeID: &c.ID})
	if err != nil {
		w.t.Fatal(err)
	}
	return all.Items
}

func TestARefundSaysWhatItComesTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	at, cookie := web.ChargesPath+"/"+one.ID.String()+"/refund", w.as(authz.RoleOrganizationStaff)
	whole := w.send(at+"?once="+web.NewOnce(), nil, "Cookie", cookie)
	whole.says(t, "<!doctype html>", "Up to $100.00 USD of the $100.00 charge from Dana Reed can be refunded.", `value="100.00"`,
		"The payer gets $100.00 back on Visa ···· 4242.",
		"Fees of $1.35 aren’t returned.", "Riverside Food Bank’s balance will be −$1.35 USD.", "Refund $100.00")
	half := w.send(at+"?amount=50", nil, append([]string{"Cookie", cookie}, part(views.RefundSaysID)...)...)
	half.says(t, "The payer gets $50.00 back", "balance will be $48.65 USD.", "Refund $50.00")
	if !strings.HasPrefix(half.body, `<div id="refund-says"`) || strings.Count(half.body, "banner-words") != 1 {
		t.Errorf("the part is\n%s", half.body)
	}
	form := w.drawnForm(at, cookie)
	form.Set("note", "for later")
	form.Set("fill", "half")
	chip := w.send(at, form, "Cookie", cookie)
	chip.wants(t, http.StatusOK, "")
	chip.says(t, `value="50.00"`, "for later", `value="`+form.Get("once")+`"`)
	if n := len(w.refundsOf(one)); n != 0 {
		t.Errorf("looking made %d refunds", n)
	}
}

func TestARefundHappensOncePerForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	page := web.ChargesPath + "/" + one.ID.String()
	cookie := w.as(authz.RoleOrganizationAdmin)
	form := withAmount(w.drawnForm(page+"/refund", cookie), "40.00")
	form.Set("reason", "requested_by_payer")
	form.Set("note", "called us")
	var all sync.WaitGroup
	for range 3 { // a double click, and one more
		all.Go(func() {
			a := w.send(page+"/refund", form, "Cookie", cookie)
			a.wants(t, http.StatusSeeOther, page)
			// whichever is shown
			w.send(page, nil, "Cookie", cookie+"; "+web.FlashCookie+"="+a.cookie(t, web.FlashCookie).Value).says(t,
				"$40.00 USD refunded")
		})
	}
	all.Wait()
	w.send(page+"/refund", form, "Cookie", cookie).wants(t, http.StatusSeeOther, page) // and loading its answer again
	made := w.refundsOf(one)
	if len(made) != 1 || made[0].Amount != 4_000 || made[0].InitiatedBy.User != "Kim Vale" ||
		*made[0].Reason != "requested_by_payer" || *made[0].Note != "called us" {
		t.Fatalf("the refunds are %+v", made)
	}
	back := w.drawnForm(page+"/refund?once="+form.Get("once"), cookie) // and going back to the form
	if back.Get("once") != form.Get("once") || back.Get("left") != "6000" {
		t.Errorf("the form is another one: %v", back)
	}
	w.send(page+"/refund", withAmount(back, "40.00"), "Cookie", cookie).says(t, "You’ve already submitted this refund")
	again := w.send(page+"/refund", withAmount(form, "50.00"), "Cookie", cookie)
	again.wants(t, http.StatusUnprocessableEntity, "")
	again.says(t, "You’ve already submitted this refund", "Up to $60.00 USD of the $100.00")
	if n := len(w.refundsOf(one)); n != 1 {
		t.Errorf("there are %d refunds", n)
	}
	w.send(page, nil, "Cookie", cookie).says(t, "Refund succeeded", "Kim Vale", "−$40.00", "Refund of $40.00",
		made[0].ID.String())
}

// Two tabs, or two people: the second learns what the first did, and sends nothing unless they look again.
func TestWhoIsSlowerSeesWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	page := web.ChargesPath + "/" + one.ID.String()
	mine, theirs := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleApplicationAdmin)
	first, second := w.drawnForm(page+"/refund", mine), w.drawnForm(page+"/refund", theirs)
	w.send(page+"/refund", withAmount(first, "30"), "Cookie", mine).wants(t, http.StatusSeeOther, page)
	second.Set("note", "keep me")
	late := w.send(page+"/refund", withAmount(second, "30"),
		append([]string{"Cookie", theirs}, part(ui.DialogID)...)...)
	late.wants(t, http.StatusUnprocessableEntity, "")
	late.says(t, "This charge just changed", "$70.00 USD can still be refunded.", `value="30"`, "keep me",
		`name="left" value="7000"`)
	if n := len(w.refundsOf(one)); n != 1 {
		t.Fatalf("there are %d refunds", n)
	}
	form := url.Values{}
	for _, input := range drawnInputs.FindAllStringSubmatch(late.body, -1) {
		form.Set(input[1], input[2])
	}
	w.send(page+"/refund", withAmount(form, "70"), "Cookie", theirs).wants(t, http.StatusSeeOther, page)
	w.send(page, nil, "Cookie", theirs).says(t, "Fully refunded")
	w.send(page+"/refund?once="+web.NewOnce(), nil, "Cookie", theirs).says(t, "Refund not sent", "Fully refunded")
}

func TestARefundThatCannotBeIsShownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	at, cookie := web.ChargesPath+"/"+one.ID.String()+"/refund", w.as(authz.RoleApplicationAdmin)
	for amount, words := range map[string]string{"100.01": "You can refund up to $100.00 USD.",
		"": "Enter an amount, such as 25.00.", "ten": "Enter an amount", "0": "Enter an amount"} {
		a := w.send(at, withAmount(w.drawnForm(at, cookie), amount), "Cookie", cookie)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Refund not sent", words, `href="#amount"`, `value="`+amount+`"`)
	}
	form := withAmount(w.drawnForm(at, cookie), "10")
	form.Del("once")
	if a := w.send(at, form, "Cookie", cookie); a.StatusCode < 400 {
		t.Errorf("a form without its token is answered %d", a.StatusCode)
	}
	if n := len(w.refundsOf(one)); n != 0 {
		t.Errorf("there are %d refunds", n)
	}
	w.send(at, withAmount(url.Values{}, "10"), "Cookie", w.working(authz.RoleSupportStaff)).wants(t,
		http.StatusForbidden, "")
	w.send(at, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	foreign := w.send(at, withAmount(w.drawnForm(at, cookie), "10"), "Cookie",
		w.in(authz.RoleOrganizationStaff, w.Other))
	foreign.wants(t, http.StatusNotFound, "")
}
