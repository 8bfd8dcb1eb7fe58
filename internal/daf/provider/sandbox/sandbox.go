// Package sandbox is the test-mode provider of donor-advised funds: it knows a few organizations, funds and donors, and
// completes grants. The donor who signs in determines the outcome, which survives a restart. It sees only what the port
// passes to it and shares no transaction with the service.
//
// It has two clocks. Grants follow the clock of their account, which a sandbox application can advance; visits, lost
// responses and notices follow the machine's.
package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/sandbox/kit"
)

// visitLife is how long a donor may take.
const visitLife = 30 * time.Minute

// Provider is the sandbox's provider.
type Provider struct {
	pool    *pgxpool.Pool
	machine func() time.Time
	timeOf  kit.AccountTime

	notifier *kit.Notifier
}

var _ provider.Provider = (*Provider)(nil)

// New makes the provider over its own tables.
func New(pool *pgxpool.Pool, machine func() time.Time, accountTime kit.AccountTime) *Provider {
	p := &Provider{pool: pool, machine: machine, timeOf: accountTime}
	p.notifier = kit.NewNotifier(machine, p.signingKey)
	return p
}

// Name implements provider.Provider.
func (p *Provider) Name() string { return "sandbox" }

// SettleWindow implements provider.Provider.
func (p *Provider) SettleWindow() time.Duration { return kit.SettleWindow }

// PagesOrigin implements provider.Provider: the pages are of our own host.
func (p *Provider) PagesOrigin() string { return "" }

// lettersAndDigits writes five bits a character, without those that look like others.
var lettersAndDigits = base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").WithPadding(base32.NoPadding)

// derived is a text of n characters that is always the same for a seed.
func derived(seed string, n int) string {
	sum := sha256.Sum256([]byte(seed))
	return lettersAndDigits.EncodeToString(sum[:])[:n]
}

// newVisitID is what no one guesses: it alone lets a browser go on with a visit.
func newVisitID() string { return strings.ToLower(rand.Text()) }

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sandbox daf: %w", err)
}
