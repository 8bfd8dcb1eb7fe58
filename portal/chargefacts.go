package portal

import (
	"cmp"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// detailsPart is what else there is to know about a charge.
func detailsPart(t *text.Catalogue, of around) views.Part {
	c, d := of.charge, t.Charge
	method, detail := methodOf(t, c.Summary())
	facts := []ui.Fact{{Key: d.ID, Value: ui.Copied(d.ID, c.ID.String())}, {Key: d.Created, Value: ui.Time(c.CreatedAt.Time)},
		{Key: d.Method, Value: ui.Two(method, strings.Join(textsOf(detail, cardWords(t, c.PaymentMethod)), " · "))}}
	add := func(key string, value templ.Component) { facts = append(facts, ui.Fact{Key: key, Value: value}) }
	if checks := checkWords(t, c.PaymentMethod); checks != "" {
		add(d.Checks, ui.Plain(checks))
	}
	if c.Status == charge.Authorized {
		add(d.Capturable, ui.Time(c.AuthorizationExpiresAt.Time))
	}
	if c.AvailableOn != nil {
		add(d.Available, ui.Plain(t.Day(string(*c.AvailableOn))))
	}
	if c.Recurring {
		add(d.Recurring, ui.Plain(d.StoredCredentials[string(c.StoredCredential)]))
	}
	for _, one := range []struct {
		key   string
		value *string
	}{{d.Description, c.Description}, {d.ExternalID, c.ExternalID}, {d.Suffix, c.StatementSuffix}, {d.VoidedFor, c.VoidReason}} {
		if one.value != nil {
			add(one.key, ui.Plain(*one.value))
		}
	}
	add(d.Origin, ui.Plain(d.Origins[string(c.Origin)]))
	add(d.MadeBy, madeBy(t, of))
	add(d.Token, ui.Copied(d.Token, c.Token.String()))
	if c.Processor.Reference != c.ID.String() {
		add(d.Reference, ui.Copied(d.Reference, c.Processor.Reference))
	}
	if c.NetworkTransactionID != nil {
		add(d.Network, ui.Copied(d.Network, *c.NetworkTransactionID))
	}
	return views.Part{Card: ui.Card{Title: d.Details}, Body: ui.Facts(facts)}
}

// textsOf leaves out empty texts.
func textsOf(all ...string) (out []string) {
	for _, one := range all {
		if one != "" {
			out = append(out, one)
		}
	}
	return out
}

func cardWords(t *text.Catalogue, m charge.PaymentMethod) string {
	if m.CardMethod == nil {
		return ""
	}
	return t.Charge.CardFacts(cmp.Or(t.Charge.Fundings[m.Funding], m.Funding), m.Country) + " · " + t.Charge.ExpMonth(m.ExpMonth, m.ExpYear)
}

// checkWords is what the payer's bank said of what was typed beside the number.
func checkWords(t *text.Catalogue, m charge.PaymentMethod) string {
	if m.CardMethod == nil || m.Checks == nil {
		return ""
	}
	var out []string
	for _, one := range [][2]string{{t.Charge.Code, string(m.Checks.CVC)}, {t.Charge.Zip, string(m.Checks.AddressZip)}, {t.Charge.Address, string(m.Checks.AddressLine1)}} {
		if words := t.Charge.Results[one[1]]; words != "" {
			out = append(out, one[0]+" "+words)
		}
	}
	return strings.Join(out, ", ")
}

// madeBy is the request that made a charge: by which key, and its id.
func madeBy(t *text.Catalogue, of around) templ.Component {
	if of.asked == "" {
		return ui.Plain("–")
	}
	who := t.Charge.ByKey
	if of.request != nil {
		who = of.request.KeyName + " · " + of.request.Method + " " + of.request.Path
	}
	return views.MadeBy(who, of.asked, place(of.places, logsPath, of.asked))
}
