package chariot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/pg"
)

// pageSize is the most that Chariot's lists return at once.
const pageSize = 100

// maxFundPages is how many pages of funds a search reads.
const maxFundPages = 5

// einForm is how we write an EIN. Chariot leaves out the dash.
var einForm = regexp.MustCompile(`^[0-9]{2}-[0-9]{7}$`)

// organizationBy finds an organization by our EIN, or returns [provider.ErrNotFound].
func (p *Provider) organizationBy(ctx context.Context, ein string) (organization, error) {
	if !einForm.MatchString(ein) {
		return organization{}, provider.ErrNotFound
	}
	digits := strings.ReplaceAll(ein, "-", "")
	var found list[summary]
	if err := p.get(ctx, "/v1/organizations/search", "/v1/organizations/search", url.Values{"q": {digits}},
		&found); err != nil {
		return organization{}, err
	}
	i := slices.IndexFunc(found.Results, func(s summary) bool { return strings.ReplaceAll(s.EIN, "-", "") == digits })
	if i < 0 {
		return organization{}, provider.ErrNotFound
	}
	var o organization
	err := p.get(ctx, "/v1/organizations/:id", "/v1/organizations/"+url.PathEscape(found.Results[i].ID), nil, &o)
	switch {
	case isMissing(err):
		return o, provider.ErrNotFound
	case err == nil && (o.ID == "" || strings.ReplaceAll(o.EIN, "-", "") != digits):
		err = errors.New("chariot: the directory returned another organization")
	}
	return o, err
}

// Organization implements [provider.Provider]. Chariot knows only organizations in the US.
func (p *Provider) Organization(ctx context.Context, ein string) (provider.Organization, error) {
	o, err := p.organizationBy(ctx, ein)
	if err != nil {
		return provider.Organization{}, err
	}
	return provider.Organization{EIN: ein, Name: o.Name, City: o.Address.City, State: o.Address.State, Country: "US",
		Subsection:   string(o.Classification.Subsection),
		GoodStanding: o.Compliance.Eligible && o.Compliance.Pub78.Compliant, Account: accountOf(o.Claimed)}, nil
}

func accountOf(claimed *bool) provider.Account {
	switch {
	case claimed == nil:
		return provider.AccountUnknown
	case *claimed:
		return provider.AccountClaimed
	}
	return provider.AccountUnclaimed
}

// contact is the contact of a connect.
type contact struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
}

// newConnect asks for an organization's connect.
type newConnect struct {
	Organization string            `json:"organization_id"`
	Contact      contact           `json:"contact"`
	Name         string            `json:"name,omitempty"`
	Metadata     map[string]string `json:"metadata"`
}

// mode begins the ids of connects.
func (p *Provider) mode() string {
	if p.config.Livemode {
		return "live_"
	}
	return "test_"
}

// Enroll implements [provider.Provider]. Chariot has one connect for an organization, which it returns again. The
// contact must have an email address: Chariot asks for one of the organization's own domain.
func (p *Provider) Enroll(ctx context.Context, e provider.Enrollment) (string, error) {
	if e.Contact.Email == "" {
		return "", provider.ErrContact
	}
	o, err := p.organizationBy(ctx, e.EIN)
	if err != nil {
		return "", err
	}
	var c connect
	_, err = p.post(ctx, "/v1/connects",
		newConnect{Organization: o.ID, Name: e.Name, Metadata: map[string]string{"reference": e.Reference},
			Contact: contact{e.Contact.Email, e.Contact.FirstName, e.Contact.LastName}}, &c)
	switch {
	case isMissing(err):
		return "", provider.ErrNotFound
	case hasStatus(err, http.StatusBadRequest):
		return "", fmt.Errorf("%w: %w", provider.ErrContact, err)
	case err != nil:
		return "", err
	case c.Archived, !strings.HasPrefix(c.ID, p.mode()):
		return "", errors.New("chariot: the connect is archived or of another mode")
	}
	_, err = pg.Exec(ctx, p.config.Pool, `
		INSERT INTO chariot_connects (connect_id, ein, created_at) VALUES (@id, @ein, @now) ON CONFLICT DO NOTHING`,
		pg.Args{"id": c.ID, "ein": e.EIN, "now": p.config.Now()})
	return c.ID, wrapped(err)
}

// Fund implements [provider.Provider].
func (p *Provider) Fund(ctx context.Context, id string) (provider.Fund, error) {
	if id == "" {
		return provider.Fund{}, provider.ErrNotFound
	}
	var f fund
	err := p.get(ctx, "/v1/dafs/:id", "/v1/dafs/"+url.PathEscape(id), nil, &f)
	if isMissing(err) || hasStatus(err, http.StatusBadRequest) || // an id of another form
		errors.Is(err, errNotConnected) {
		err = provider.ErrNotFound
	}
	return f.fund(), err
}

// fund is a fund as the port has it. Chariot knows neither website nor instructions of one that it does not support.
func (f fund) fund() provider.Fund {
	out := provider.Fund{ID: f.ID, Name: f.Name, Integrated: f.Supported, Minimum: max(f.Minimum, 0), Down: f.Down}
	if !f.Supported {
		out.Instructions = fmt.Sprintf(
			"Sign in to your account with %s and recommend a grant to the organization by its EIN. "+
				"Enter the amount and your note.",
			f.Name,
		)
	}
	return out
}

// Funds implements [provider.Provider]. Those whose name begins with the query come first.
func (p *Provider) Funds(ctx context.Context, query string, limit int) ([]provider.Fund, error) {
	if query = strings.TrimSpace(query); strings.ContainsFunc(query, unicode.IsControl) || limit < 1 {
		return nil, nil
	}
	asked := url.Values{"pageLimit": {strconv.Itoa(pageSize)}}
	if query != "" {
		asked.Set("query", query)
	}
	var funds []provider.Fund
	for range maxFundPages {
		var page list[fund]
		switch err := p.get(ctx, "/v1/dafs", "/v1/dafs", asked, &page); {
		case errors.Is(err, errNotConnected):
			return nil, nil
		case err != nil:
			return nil, err
		}
		for _, f := range page.Results {
			funds = append(funds, f.fund())
		}
		if page.Next == "" || page.Next == asked.Get("pageToken") || query == "" && len(funds) >= limit {
			break
		}
		asked.Set("pageToken", page.Next)
	}
	rank := func(f provider.Fund) int {
		if strings.HasPrefix(strings.ToLower(f.Name), strings.ToLower(query)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(funds, func(a, b provider.Fund) int { return cmp.Compare(rank(a), rank(b)) })
	return funds[:min(len(funds), limit)], nil
}
