package payments

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	statusesPath   = web.DonationsPath + "/statuses"
	undoStatusPath = web.DonationsPath + "/undo"
)

// Pairs of a donation's metadata that the portal writes; the application reads them like its own.
const (
	checkNumber = "check_number"
	receivedOn  = "received_on" // as 2026-03-02
)

func (p *Pages) donationRoutes() []web.Route {
	return append([]web.Route{
		web.Get(web.DonationsPath, authz.DonationRead, p.donationList().Show).Grows(),
		web.Get(web.DonationsPath+".csv", authz.ExportCreate, p.donationList().Send).Grows(),
		web.Post(statusesPath, authz.DonationUpdate, web.Act(p.showStatuses)),
		web.Post(statusesPath+"/set", authz.DonationUpdate, p.bulkForm().Submit),
		web.Post(undoStatusPath+"/:id", authz.DonationUpdate, web.Act(p.undoStatuses)),
		web.Get(web.DonationsPath+"/:id", authz.DonationRead, web.Show(p.donation, p.showDonation)),
	}, p.statusForm().Routes(web.DonationsPath+"/:id/status", authz.DonationUpdate)...)
}

// trackingForm is what providers call grants by. An application may call its own so, too.
var trackingForm = regexp.MustCompile(`^[0-9A-Za-z]{10}$`)

// donationInput reads what the address selects.
func donationInput(c *web.Request, at page.Input[ids.Donation]) daf.ListInput {
	query := c.QueryParams()
	in := daf.ListInput{Page: at, Created: web.Days(c, query, "created"), Amounts: web.Amounts(query, "amount"),
		Statuses: query["status"], Merchants: web.ChosenMerchant(query)}
	if kind := query.Get("kind"); kind != "" {
		in.Kinds = []string{kind}
	}
	words := strings.TrimSpace(query.Get("q"))
	switch {
	case words == "":
	case strings.Contains(words, "@"):
		in.Email = &words
	case trackingForm.MatchString(words):
		in.Reference = &words
	default:
		in.ExternalID = &words
	}
	return in
}

func (p *Pages) donationList() web.List[daf.Donation, ids.Donation] {
	return web.List[daf.Donation, ids.Donation]{Path: web.DonationsPath, Read: ids.ParseDonation,
		Opens: web.ByID(ids.ParseDonation),
		Key:   func(d daf.Donation) ids.Donation { return d.ID },
		Find:  web.Find(donationInput, p.DAF.List),
		Draw:  p.drawDonations,
		Shown: func(t *text.Catalogue, n int) string { return t.Donations.Shown(n) },
		File:  "donations", Line: donationRow,
		Head: []string{"id", "created_at", "merchant_id", "kind", "status", "amount", "currency", "fees", "net",
			"tracking_id", "grant_id", "fund",
			"first_name", "last_name", "email", "anonymous", "external_id", checkNumber, receivedOn, "note"}}
}

func donationRow(_ *web.Request, d daf.Donation) []string {
	return []string{d.ID.String(), web.Stamp(d.CreatedAt.Time), web.Whole(d.MerchantID), string(d.Kind),
		string(d.Status), web.Units(d.Amount), string(d.Currency),
		web.Units(d.FeeTotal), web.Units(d.Net), web.Deref(d.TrackingID), web.Deref(d.GrantID), d.Fund.Name,
		d.User.FirstName, d.User.LastName,
		mailbox.Shown(d.User.Email), strconv.FormatBool(d.Anonymous), web.Deref(d.ExternalID), d.Metadata[checkNumber],
		d.Metadata[receivedOn],
		web.Deref(d.Note)}
}

func (p *Pages) drawDonations(c *web.Request, donations page.Of[daf.Donation]) (views.List, error) {
	merchants, err := p.Payees(c, web.OwnersOf(donations.Items, func(d daf.Donation) int64 { return d.MerchantID })...)
	if err != nil {
		return views.List{}, err
	}
	view := views.Donations{Bar: p.donationBar(c, merchants)}
	may := c.May(authz.DonationUpdate)
	if may {
		view.Bulk = web.WithQuery(statusesPath, url.Values{"return": {c.Request().URL.RequestURI()}})
	}
	for _, d := range donations.Items {
		view.Lines = append(view.Lines, donationLine(c, d, merchants, may))
	}
	return view.List(c.Text()), nil
}

func (p *Pages) donationBar(c *web.Request, merchants web.Payees) ui.FilterBar {
	t := c.Text()
	filters := []ui.Filter{
		{Name: "status", Label: t.Donations.Status, Kind: ui.FilterMany, Options: web.Options(daf.Statuses(), t.Donations.Statuses)},
		{Name: "kind", Label: t.Donations.Kind, Kind: ui.FilterOne, Options: web.Options(daf.Kinds(), t.Donations.Kinds)},
		{Name: "amount", Label: t.Donations.Amount, Kind: ui.FilterAmount},
		{Name: "created", Label: t.Donations.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
	}
	return ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Donations.Search, Kind: ui.FilterWords},
		Filters: append(filters, merchants.Filter(t, t.Donations.Merchant)...)}
}

// donationTone is the color of a status.
func donationTone(s daf.Status) ui.Tone {
	return map[daf.Status]ui.Tone{daf.Completed: ui.Success, daf.Initiated: ui.Info, daf.Unknown: ui.Warning}[s]
}

// byHand are the statuses that people can give a donation: none while its submission is not decided.
func byHand(d daf.Donation) (out []daf.Status) {
	if d.Kind == daf.Integrated && d.TrackingID == nil {
		return nil
	}
	for _, m := range daf.Moves() {
		if m.Kind == d.Kind && m.From == d.Status && m.By == daf.ByHand {
			out = append(out, m.To)
		}
	}
	return out
}

func donationLine(c *web.Request, d daf.Donation, merchants web.Payees, may bool) views.DonationLine {
	t := c.Text()
	at := web.DonationsPath + "/" + d.ID.String()
	out := views.DonationLine{ID: d.ID.String(), Href: at, Donor: web.Donor(t, d), Detail: mailbox.Shown(d.User.Email),
		Amount: d.Amount, Currency: d.Currency,
		Tone: donationTone(d.Status), Status: t.Donations.Statuses[string(d.Status)], Fund: d.Fund.Name,
		Tracking: cmp.Or(web.Deref(d.TrackingID), t.Donations.NoTracking), Merchant: merchants.Names[d.MerchantID],
		At: d.CreatedAt.Time}
	if d.Kind == daf.Nonintegrated {
		out.Tracking = t.Donations.Kinds[string(d.Kind)]
	}
	out.Off = len(byHand(d)) == 0
	if may && d.Kind == daf.Nonintegrated {
		out.Set = web.WithQuery(at+"/status", url.Values{"return": {c.Request().URL.RequestURI()}})
	}
	return out
}
