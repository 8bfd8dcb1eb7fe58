package fake

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// linkLife is how long the link to an onboarding page works.
const linkLife = 5 * time.Minute

// onboardingPath begins the paths of the onboarding pages.
const onboardingPath = "/setup/"

// onboarding is a link to the onboarding of an account, and the page that it leads to.
type onboarding struct {
	of                    *Account
	returnURL, refreshURL string
	until                 time.Time // when the link expires
	opened                bool      // the link works once
	linkToken, formToken  string
}

// details are what Stripe needs of an account that was just created.
var details = []string{"business_profile.url", "company.tax_id", "external_account", "tos_acceptance.date"}

// createAccount creates an account that is connected to a platform.
func (f *Fake) createAccount(a *Account, c call) (object, *failure) {
	switch {
	case a.NoPlatform, a.platform != nil:
		return nil, invalid("")
	case c.Form.Get("type") != "express", c.Form.Get("country") == "":
		return nil, invalid("parameter_missing")
	case !strings.Contains(c.Form.Get("email"), "@"):
		return nil, invalid("email_invalid")
	}
	created := &Account{ID: f.id("acct"), methods: map[string]card{}, banking: newBanking(), kept: map[string]kept{},
		connect: connect{platform: a, Schedule: c.Form.Get("settings[payouts][schedule][interval]"),
			Transfers:    "inactive",
			CurrentlyDue: details, PastDue: details, DisabledReason: "requirements.past_due", created: f.now,
			metadata: metadata(object{}, c.Form)}}
	if c.Form.Get("capabilities[card_payments][requested]") == "true" {
		created.CardPayments = "inactive"
	}
	f.accounts = append(f.accounts, created)
	return f.connectedAccount(created, c)
}

// listAccounts lists the accounts that are connected to a platform.
func (f *Fake) listAccounts(a *Account, c call) (object, *failure) {
	var all list
	for _, one := range f.accounts {
		if one.platform == a {
			shown, _ := f.connectedAccount(one, c)
			all = append(all, shown)
		}
	}
	return page(all, c.Form)
}

// ConnectedTo are the accounts that are connected to a platform, the oldest first.
func (f *Fake) ConnectedTo(platform *Account) (all []*Account) {
	defer f.locked()()
	for _, one := range f.accounts {
		if one.platform == platform {
			all = append(all, one)
		}
	}
	return all
}

// accountLink makes a link to the onboarding of a connected account.
func (f *Fake) accountLink(a *Account, c call) (object, *failure) {
	of := f.scoped(a, c.Form.Get("account"))
	o := &onboarding{of: of, returnURL: c.Form.Get("return_url"), refreshURL: c.Form.Get("refresh_url"),
		until: f.now.Add(linkLife), linkToken: random(), formToken: random()}
	if of == nil || of == a {
		return nil, missing()
	}
	for _, text := range []string{o.returnURL, o.refreshURL} {
		to, err := url.Parse(text)
		if err != nil || to.Host == "" || f.live && to.Scheme != "https" {
			return nil, invalid("url_invalid")
		}
	}
	f.onboardings = append(f.onboardings, o)
	return object{"object": "account_link", "created": f.now.Unix(), "expires_at": o.until.Unix(),
		"url": "http://" + c.Host + onboardingPath + "c/" + of.ID + "/" + o.linkToken}, nil
}

// onboardingPage is what the visitor of a link sees.
var onboardingPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fake of Stripe: onboarding</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem">
<h1>Onboarding of {{.ID}}</h1>
<p>This page is a local fake of Stripe's onboarding. Stripe asks for these details here:</p>
<ul>{{range .CurrentlyDue}}<li>{{.}}</li>{{end}}</ul>
<form method="post"><button name="do" value="complete">Complete onboarding</button>
<button name="do" value="leave">Leave</button></form></body></html>`))

// serveOnboarding serves the links and the pages behind them. A link that was opened before or is too old leads to the
// address for such links.
func (f *Fake) serveOnboarding(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	for _, o := range f.onboardings {
		switch {
		case r.Method == http.MethodGet && token == o.linkToken:
			if o.opened || f.now.After(o.until) {
				http.Redirect(w, r, o.refreshURL, http.StatusSeeOther)
				return
			}
			o.opened = true
			http.Redirect(w, r, onboardingPath+"s/"+o.of.ID+"/"+o.formToken, http.StatusSeeOther)
			return
		case token != o.formToken || !o.opened:
		case r.Method == http.MethodPost:
			if r.FormValue("do") == "complete" {
				f.complete(o.of)
			}
			http.Redirect(w, r, o.returnURL, http.StatusSeeOther)
			return
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_ = onboardingPage.Execute(w, o.of) // the visitor may be gone
			return
		}
	}
	http.NotFound(w, r)
}

// complete enables an account, as Stripe does once it has all details, and reports it.
func (f *Fake) complete(a *Account) {
	a.ChargesEnabled, a.PayoutsEnabled, a.DetailsSubmitted, a.Transfers = true, true, true, ""
	if a.CardPayments != "" {
		a.CardPayments = "active"
	}
	a.CurrentlyDue, a.PastDue, a.DisabledReason = nil, nil, ""
	shown, _ := f.connectedAccount(a, call{})
	f.event(a, "account.updated", shown, "")
}

// Complete completes the onboarding of an account.
func (f *Fake) Complete(a *Account) {
	defer f.locked()()
	f.complete(a)
}
