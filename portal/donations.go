package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	donationsPath  = "/portal/donations"
	statusesPath   = donationsPath + "/statuses"
	undoStatusPath = donationsPath + "/undo"
)

// Pairs of a donation's metadata that the portal writes; the application reads them like its own.
const (
	checkNumber = "check_number"
	receivedOn  = "received_on" // as 2026-03-02
)

func (p *Portal) donationRoutes() []route {
	return []route{
		{http.MethodGet, donationsPath, access(authz.DonationRead), p.showDonations},
		{http.MethodGet, donationsPath + ".csv", access(authz.ExportCreate), p.sendDonations},
		{http.MethodPost, statusesPath, access(authz.DonationUpdate), p.showStatuses},
		{http.MethodPost, statusesPath + "/set", access(authz.DonationUpdate), p.setStatuses},
		{http.MethodPost, undoStatusPath + "/:id", access(authz.DonationUpdate), p.undoStatuses},
		{http.MethodGet, donationsPath + "/:id", access(authz.DonationRead), p.showDonation},
		{http.MethodGet, donationsPath + "/:id/status", access(authz.DonationUpdate), p.showStatus},
		{http.MethodPost, donationsPath + "/:id/status", access(authz.DonationUpdate), p.setStatus},
	}
}

// trackingForm is what providers call grants by. An application may call its own so, too.
var trackingForm = regexp.MustCompile(`^[0-9A-Za-z]{10}$`)

// donationInput reads what the address selects.
func donationInput(c echo.Context, query url.Values) daf.ListInput {
	in := daf.ListInput{Page: cursors(query, ids.ParseDonation), Created: days(c, query, "created"), Amounts: amounts(query, "amount"),
		Statuses: query["status"], Merchants: chosenMerchant(query)}
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

func (p *Portal) showDonations(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(donationsPath, query); untidy {
		return seeOther(c, to)
	}
	if id, err := ids.ParseDonation(strings.TrimSpace(query.Get("q"))); err == nil {
		return seeOther(c, donationsPath+"/"+id.String())
	}
	donations, err := p.DAF.List(c.Request().Context(), actor(c), donationInput(c, query))
	if err != nil {
		return err
	}
	owners := make([]int64, 0, len(donations.Items))
	for _, d := range donations.Items {
		owners = append(owners, d.MerchantID)
	}
	merchants, err := p.payees(c, owners...)
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Donations{Bar: p.donationBar(c, query, merchants)}
	may := p.may(c, authz.DonationUpdate)
	if may {
		view.Bulk = withQuery(statusesPath, url.Values{"return": {c.Request().URL.RequestURI()}})
	}
	for _, d := range donations.Items {
		view.Lines = append(view.Lines, p.donationLine(c, d, merchants, may))
	}
	view.Pager = pagerOf(donationsPath, query, donations, func(d daf.Donation) string { return d.ID.String() }, t.Donations.Shown(len(donations.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Donations.Title), view.List(t)))
}

func (p *Portal) donationBar(c echo.Context, query url.Values, merchants payees) ui.FilterBar {
	t := say(c)
	bar := ui.FilterBar{Path: donationsPath, Query: query, Target: ui.ResultsID,
		Search: ui.Filter{Name: "q", Label: t.Donations.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "status", Label: t.Donations.Status, Kind: ui.FilterMany, Options: options(daf.Statuses(), t.Donations.Statuses)},
			{Name: "kind", Label: t.Donations.Kind, Kind: ui.FilterOne, Options: options(daf.Kinds(), t.Donations.Kinds)},
			{Name: "amount", Label: t.Donations.Amount, Kind: ui.FilterAmount},
			{Name: "created", Label: t.Donations.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
		}}
	if f, several := merchants.filter(t, t.Donations.Merchant); several {
		bar.Filters = append(bar.Filters, f)
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = donationsPath + ".csv"
	}
	return bar
}

// donationTone is the color of a status.
func donationTone(s daf.Status) ui.Tone {
	return map[daf.Status]ui.Tone{daf.Completed: ui.Success, daf.Initiated: ui.Info, daf.Unknown: ui.Warning}[s]
}

// donor names who gave.
func donor(t *text.Catalogue, d daf.Donation) string {
	return cmp.Or(strings.TrimSpace(d.User.FirstName+" "+d.User.LastName), t.Donations.Nobody)
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

func (p *Portal) donationLine(c echo.Context, d daf.Donation, merchants payees, may bool) views.DonationLine {
	t := say(c)
	at := donationsPath + "/" + d.ID.String()
	out := views.DonationLine{ID: d.ID.String(), Href: at, Donor: donor(t, d), Detail: mailbox.Shown(d.User.Email), Amount: d.Amount, Currency: d.Currency,
		Tone: donationTone(d.Status), Status: t.Donations.Statuses[string(d.Status)], Fund: d.Fund.Name,
		Tracking: cmp.Or(deref(d.TrackingID), t.Donations.NoTracking), Merchant: merchants.names[d.MerchantID], At: d.CreatedAt.Time}
	if d.Kind == daf.Nonintegrated {
		out.Tracking = t.Donations.Kinds[string(d.Kind)]
	}
	out.Off = len(byHand(d)) == 0
	if may && d.Kind == daf.Nonintegrated {
		out.Set = withQuery(at+"/status", url.Values{"return": {c.Request().URL.RequestURI()}})
	}
	return out
}

// deref is what a pointer points at, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// sendDonations is the list of this view as a file.
func (p *Portal) sendDonations(c echo.Context) error {
	in := donationInput(c, c.QueryParams())
	read := func(at page.Input[ids.Donation]) (page.Of[daf.Donation], error) {
		in.Page = at
		return p.DAF.List(c.Request().Context(), actor(c), in)
	}
	head := []string{"id", "created_at", "merchant_id", "kind", "status", "amount", "currency", "fees", "net", "tracking_id", "grant_id", "fund",
		"first_name", "last_name", "email", "anonymous", "external_id", checkNumber, receivedOn, "note"}
	return sheet(c, say(c).Donations.Sheet, head, func(write func(...string) error) error {
		return everyPage(in.Page, read, func(d daf.Donation) ids.Donation { return d.ID }, func(d daf.Donation) error {
			return write(d.ID.String(), d.CreatedAt.UTC().Format(time.RFC3339), whole(d.MerchantID), string(d.Kind), string(d.Status),
				units(d.Amount), string(d.Currency), units(d.FeeTotal), units(d.Net), deref(d.TrackingID), deref(d.GrantID), d.Fund.Name,
				d.User.FirstName, d.User.LastName, mailbox.Shown(d.User.Email), yes(d.Anonymous), deref(d.ExternalID), d.Metadata[checkNumber],
				d.Metadata[receivedOn], deref(d.Note))
		})
	})
}
