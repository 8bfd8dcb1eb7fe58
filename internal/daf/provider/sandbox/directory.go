package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/pg"
)

// charity is the subsection of organizations that funds grant to.
const charity = "3"

// Organizations lists those of the directory by name; [Provider.Organization] knows those of [GoodBlock], too.
func Organizations() []provider.Organization {
	of := func(ein, name, city, state, country, subsection string, good bool) provider.Organization {
		return provider.Organization{EIN: ein, Name: name, City: city, State: state, Country: country,
			Subsection: subsection, GoodStanding: good}
	}
	return []provider.Organization{
		of("04-3567500", "Riverside Food Bank Inc", "Salem", "OR", "US", charity, true),
		of("93-1234567", "Riverside Animal Shelter Inc", "Salem", "OR", "US", charity, true),
		of("59-7654321", "Harbor Food Bank Inc", "Tampa", "FL", "US", charity, true),
		of("36-2468135", "Harbor Animal Shelter Inc", "Tampa", "FL", "US", charity, true),
		of("13-1313130", "Lapsed Lantern Society", "Albany", "NY", "US", charity, false),
		of("52-6000400", "Civic League of Marlow", "Marlow", "MD", "US", "4", true),
		of("98-0123456", "Maple Relief Foundation", "Halifax", "NS", "CA", charity, true),
	}
}

// GoodBlock begins the numbers of a hundred more organizations, all of them good: 20-2000000 to 20-2000099.
const GoodBlock = "20-20000"

// Organization implements provider.Provider.
func (p *Provider) Organization(_ context.Context, ein string) (provider.Organization, error) {
	for _, o := range Organizations() {
		if o.EIN == ein {
			return o, nil
		}
	}
	if last, ok := strings.CutPrefix(ein, GoodBlock); ok && len(last) == 2 && strings.Trim(last, "0123456789") == "" {
		return provider.Organization{EIN: ein, Name: "Neighborhood Fund No. " + last, City: "Dayton", State: "OH",
			Country:    "US",
			Subsection: charity, GoodStanding: true}, nil
	}
	return provider.Organization{}, provider.ErrNotFound
}

// Enroll implements provider.Provider. It takes in any organization that it knows: whom to ask for is the
// caller's to decide.
func (p *Provider) Enroll(ctx context.Context, e provider.Enrollment) (string, error) {
	if _, err := p.Organization(ctx, e.EIN); err != nil {
		return "", err
	}
	id, err := pg.Value[string](ctx, p.pool, `
		INSERT INTO sandbox_daf_enrollments AS e (connect_id, ein, name, reference, created_at)
			VALUES (@id, @ein, @name, @reference, @now)
		ON CONFLICT (ein) DO UPDATE SET ein = e.ein RETURNING connect_id`,
		pg.Args{"id": "conn_" + strings.ToLower(derived("enrollment "+e.EIN, 16)), "ein": e.EIN, "name": e.Name,
			"reference": e.Reference, "now": p.machine()})
	return id, wrapped(err)
}

// enrolled is the name of an organization by its connection, or provider.ErrNotFound.
func (p *Provider) enrolled(ctx context.Context, connectID string) (string, error) {
	name, err := pg.Value[string](ctx, p.pool, `SELECT name FROM sandbox_daf_enrollments WHERE connect_id = @id`,
		pg.Args{"id": connectID})
	return name, pg.Or(err, provider.ErrNotFound)
}

// SlowFund is the fund whose pages take too long, anyone who signs in.
const SlowFund = "fund_tortoise"

// Funds that exist nowhere, in the order of their names.
func allFunds() []provider.Fund {
	integrated := func(id, name string) provider.Fund {
		return provider.Fund{ID: "fund_" + id, Name: name, Integrated: true}
	}
	own := func(id, name, site string) provider.Fund {
		return provider.Fund{ID: "fund_" + id, Name: name, Website: "https://" + site,
			Instructions: fmt.Sprintf(
				"Sign in to %s, recommend a grant to the organization with this EIN, and enter the amount and your note.",
				name)}
	}
	return []provider.Fund{
		integrated("aldergrove", "Aldergrove Charitable"),
		integrated("bright_harbor", "Bright Harbor Donor-Advised Fund"),
		integrated("cedar_stone", "Cedar & Stone Giving"),
		integrated("evergreen", "Evergreen Philanthropic Trust"),
		own("hillcrest", "Hillcrest Community Foundation", "donors.hillcrest.example"),
		own("juniper", "Juniper Family Foundations", "juniper.example"),
		integrated("keystone", "Keystone Community Giving Fund"),
		integrated("lakeshore", "Lakeshore Charitable Gift Fund"),
		integrated("northfield", "Northfield Giving Account"),
		own("prairie_sky", "Prairie Sky Community Foundation", "give.prairie-sky.example"),
		own("seabright", "Seabright Donor Circle", "circle.seabright.example"),
		integrated("tortoise", "Tortoise Charitable Fund"),
	}
}

// Fund implements provider.Provider.
func (p *Provider) Fund(_ context.Context, id string) (provider.Fund, error) {
	for _, f := range allFunds() {
		if f.ID == id {
			return f, nil
		}
	}
	return provider.Fund{}, provider.ErrNotFound
}

// Funds implements provider.Provider. Every word of the query begins a word of a fund that is found; those whose
// name begins with the query come first.
func (p *Provider) Funds(_ context.Context, query string, limit int) ([]provider.Fund, error) {
	wanted := words(query)
	found := slices.DeleteFunc(allFunds(), func(f provider.Fund) bool {
		have := words(f.Name)
		return slices.ContainsFunc(wanted, func(w string) bool {
			return !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) })
		})
	})
	if len(wanted) == 0 && strings.TrimSpace(query) != "" {
		found = found[:0] // nothing but signs
	}
	rank := func(f provider.Fund) int {
		if strings.HasPrefix(strings.Join(words(f.Name), " "), strings.Join(wanted, " ")) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b provider.Fund) int { return cmp.Compare(rank(a), rank(b)) })
	return found[:min(len(found), max(limit, 0))], nil
}

// words are the letters and digits of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
}
