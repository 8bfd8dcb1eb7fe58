package merchants

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	dafEnd = "/daf"
	dafAt  = web.MerchantPath + dafEnd
)

func (p *Pages) enrollmentRoutes() []web.Route {
	return []web.Route{
		web.Get(dafAt, authz.MerchantRead, web.Show(p.Merchant, p.showEnrollment)),
		web.Post(dafAt+"/switch", authz.MerchantFeatures, p.switchFeature(dafEnd,
			func(on bool) merchant.UpdateInput { return merchant.UpdateInput{HasDAFProvider: patch.Set(on)} },
			func(t *text.Catalogue) (string, string) { return t.Enrollment.TurnedOn, t.Enrollment.TurnedOff })),
		web.Post(dafAt+"/look-up", authz.DAFEnrollmentManage, web.ActOn(p.Merchant, p.lookUpEIN)),
		web.Post(dafAt+"/enroll", authz.DAFEnrollmentManage, web.ActOn(p.Merchant, p.enrollMerchant)),
		web.Get(dafAt+"/leave", authz.DAFEnrollmentManage, web.Show(p.Merchant, showLeaveDAF)),
		web.Post(dafAt+"/leave", authz.DAFEnrollmentManage, web.ActOn(p.Merchant, p.leaveDAF)),
	}
}

func (p *Pages) showEnrollment(c *web.Request, m merchant.Merchant) error {
	return p.enrollmentTab(c, http.StatusOK, m, nil, views.EnrollForm{})
}

// enrollmentTab shows how the enrollment stands; found is the organization that was looked up, if one was.
func (p *Pages) enrollmentTab(c *web.Request, status int, m merchant.Merchant, found *views.FoundOrganization,
	f views.EnrollForm) error {
	t := c.Text()
	view := views.Enrollment{On: m.HasDAFProvider, Found: found, Sandbox: p.Sandbox,
		Steps: enrollSteps(adviceFor(c), m)}
	last, err := p.DAF.EnrollmentOf(c.Ctx(), c.Actor(), m.ID)
	if err != nil && !fault.HasCode(err, "resource_missing") {
		return err
	}
	lastEnrollment(&view, m, last)
	if c.May(authz.MerchantFeatures) {
		view.Toggle = web.MerchantAt(m.ID, dafEnd+"/switch?to="+onOff(!m.HasDAFProvider))
	} else {
		view.Who = t.Wallets.NotYours(p.HolderNames(t, authz.MerchantFeatures))
	}
	idle := view.State != string(daf.Enrolled) && view.State != string(daf.Processing)
	switch {
	case !c.May(authz.DAFEnrollmentManage):
		view.By = t.Enrollment.ByOrganization(p.HolderNames(t, authz.DAFEnrollmentManage))
	case !idle:
		view.Leave = web.MerchantAt(m.ID, dafEnd+"/leave")
	case m.Eligible() && merchant.Allows(m.Status, merchant.TakeDonation):
		f.Action = web.MerchantAt(m.ID, dafEnd+"/look-up")
		if f.EIN == "" && m.EIN != nil {
			f.EIN = *m.EIN
		}
		view.Form = f
	}
	return showTab(c, status, m, dafEnd, views.EnrollmentTab(view))
}

// lastEnrollment is what is known of the last attempt. A merchant may have been enrolled by none.
func lastEnrollment(view *views.Enrollment, m merchant.Merchant, last daf.Enrollment) {
	view.State, view.Name, view.EIN, view.Provider = string(last.State), last.Name, last.EIN, last.Provider
	if last.Refusal != nil {
		view.Why = last.Refusal.Text()
	}
	if m.DAFProviderConnectID == nil {
		return
	}
	view.State, view.Connect = string(daf.Enrolled), *m.DAFProviderConnectID
	if view.Name == "" {
		view.Name = m.Name
	}
	if m.EIN != nil {
		view.EIN = *m.EIN
	}
	if last.FinishedAt != nil {
		view.Since = last.FinishedAt.Time
	}
}

// adviceFor are the texts for a person, who is not sent to others for what they may do themselves.
func adviceFor(c *web.Request) text.Enrollment {
	t := c.Text().Enrollment
	if c.May(authz.MerchantFeatures) {
		t.NotOn = t.TurnOnHere
	}
	if c.May(authz.DAFEnrollmentManage) {
		t.NotEnrolled = t.EnrollHere
	}
	return t
}

// enrollSteps are what it takes to accept donations, in the order in which it is done. For a merchant outside the US
// there is no advice but that.
func enrollSteps(t text.Enrollment, m merchant.Merchant) (out []ui.Task) {
	us := m.Country == merchant.Countries()[0]
	for _, s := range []struct {
		done       bool
		words, not string
	}{
		{us, t.InUS, t.NotUS}, {m.Nonprofit, t.IsNonprofit, t.NotNonprofit},
		{merchant.Allows(m.Status, merchant.TakeDonation), t.IsActive, t.NotActive},
		{m.HasDAFProvider, t.IsOn, t.NotOn}, {m.DAFProviderConnectID != nil, t.IsEnrolled, t.NotEnrolled},
	} {
		step := ui.Task{Done: s.done, Text: s.words, Due: t.Done}
		if !s.done {
			step.Note, step.Due, step.Tone = s.not, t.NotDone, ui.Warning
			if !us {
				step.Due, step.Tone = t.Never, ui.Neutral
			}
			if !us && s.not != t.NotUS {
				step.Note = ""
			}
		}
		out = append(out, step)
	}
	return out
}

// einOf is the number that was typed, as it is printed: nine digits are enough.
func einOf(form url.Values) string {
	typed := strings.TrimSpace(form.Get("ein"))
	if len(typed) == 9 && strings.Trim(typed, "0123456789") == "" {
		return typed[:2] + "-" + typed[2:]
	}
	return typed
}

func (p *Pages) lookUpEIN(c *web.Request, m merchant.Merchant, form url.Values) (web.Done, error) {
	ein := einOf(form)
	found, err := p.DAF.LookUp(c.Ctx(), c.Actor(), daf.LookUpInput{MerchantID: m.ID, EIN: ein})
	if err != nil {
		return p.enrollRefused(c, m, ein, err)
	}
	view, status := foundOrganization(c.Text().Enrollment, m, ein, found), http.StatusOK
	if view.Confirm == "" {
		status = http.StatusUnprocessableEntity
	}
	return web.Done{
		Page: func(*web.Request) error { return p.enrollmentTab(c, status, m, &view, views.EnrollForm{EIN: ein}) }}, nil
}

// foundOrganization is what a look-up has found, to be confirmed if it can be enrolled.
func foundOrganization(t text.Enrollment, m merchant.Merchant, ein string,
	found daf.Candidate) views.FoundOrganization {
	out := views.FoundOrganization{EIN: ein, Back: web.MerchantAt(m.ID, dafEnd)}
	if o := found.Organization; o != nil {
		out.Name, out.Place, out.Registered, out.Good = o.Name, o.City+", "+o.State+", "+
			o.Country, t.Charity(o.Subsection), o.GoodStanding
		out.Account = string(o.Account)
	}
	if found.Outcome == daf.Eligible {
		out.Confirm = web.MerchantAt(m.ID, dafEnd+"/enroll")
	} else {
		out.Refusal, out.Advice = found.Outcome.Text(), t.Advice[string(found.Outcome)]
	}
	return out
}

// enrollRefused shows the form again with what is in the way, in plain words; other errors it returns.
func (p *Pages) enrollRefused(c *web.Request, m merchant.Merchant, ein string, err error) (web.Done, error) {
	t := c.Text().Enrollment
	f, ok := fault.As(err)
	if !ok || f.Kind == fault.KindNotFound || f.Kind == fault.KindForbidden {
		return web.Done{}, err
	}
	form, status := views.EnrollForm{EIN: ein}, web.StatusOf(f.Kind)
	refused := &views.FoundOrganization{EIN: ein, Back: web.MerchantAt(m.ID, dafEnd), Refusal: f.Message,
		Advice: t.Advice[strings.TrimPrefix(f.Code, "daf_")]}
	if above, beside, ok := web.Problems(c.Text(), err, t.Problems, nil); ok && f.Kind == fault.KindInvalid {
		form.Problems, form.Error, refused = above, beside["ein"], nil
	}
	return web.Done{Page: func(*web.Request) error { return p.enrollmentTab(c, status, m, refused, form) }}, nil
}

func (p *Pages) enrollMerchant(c *web.Request, m merchant.Merchant, form url.Values) (web.Done, error) {
	ein, done := einOf(form), web.Done{To: web.MerchantAt(m.ID, dafEnd)}
	e, err := p.DAF.Enroll(c.Ctx(), c.Actor(), daf.EnrollInput{MerchantID: m.ID, EIN: ein, Name: form.Get("name")})
	switch {
	// pressed twice: the tab says how far it is
	case fault.HasCode(err, "daf_already_enrolled"), fault.HasCode(err, "daf_in_progress"):
	case err != nil:
		return p.enrollRefused(c, m, ein, err)
	case e.State == daf.Enrolled:
		done.Toast = ui.Toast{Tone: ui.Success, Text: c.Text().Enrollment.Enrolled(e.Name)}
	}
	return done, nil
}

func showLeaveDAF(c *web.Request, m merchant.Merchant) error {
	t := c.Text().Enrollment
	return web.Confirm(c, views.ActForm{Title: t.LeaveTitle, Text: t.LeaveText, Back: web.MerchantAt(m.ID, dafEnd),
		Press: t.LeaveSure, Destructive: true})
}

func (p *Pages) leaveDAF(c *web.Request, m merchant.Merchant, _ url.Values) (web.Done, error) {
	_, err := p.DAF.OptOut(c.Ctx(), c.Actor(), m.ID)
	return web.Saved(web.MerchantAt(m.ID, dafEnd), c.Text().Enrollment.LeftNow, err)
}
