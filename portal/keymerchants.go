package portal

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// mostOffered is how many merchants a form offers by name; the ids of further ones are typed.
const mostOffered = 200

// merchantChoice offers the merchants that a restricted key may be held to, by name.
func (p *Portal) merchantChoice(c *web.Request, typed url.Values, mistake string) (templ.Component, error) {
	all, err := p.Merchants.List(c.Ctx(), c.Actor(), merchant.ListInput{Page: page.Input[int64]{Limit: mostOffered, Ascending: true}})
	if err != nil {
		return nil, err
	}
	v := views.KeyMerchants{Chosen: typed["merchant"], Error: mistake, Others: typed.Get("merchants"), More: all.HasMore || typed.Get("merchants") != ""}
	for _, m := range all.Items {
		v.Options = append(v.Options, ui.Option{Value: whole(m.ID), Label: m.Name, Detail: whole(m.ID)})
	}
	return v.View(), nil
}

// merchantsOf names the merchants that a key is held to; one that is not to be seen goes by its id.
func (p *Portal) merchantsOf(c *web.Request, held []int64) (string, error) {
	known, err := p.Merchants.SummariesOf(c.Ctx(), c.Actor(), held)
	if err != nil {
		return "", err
	}
	names := make([]string, len(held))
	for i, id := range held {
		names[i] = strconv.FormatInt(id, 10)
		if m, ok := known[id]; ok {
			names[i] = m.Name + " (" + names[i] + ")"
		}
	}
	return strings.Join(names, ", "), nil
}
