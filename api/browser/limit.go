package browser

import (
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/fault"
	"svcpay/internal/platform/ratelimit"
)

// addressBurst is how many seconds' worth of requests an address may send at once: many people may share one.
const addressBurst = 20

// Limit bounds how often one address has the pay origin ask the database. What asks is counted together: the endpoints
// under /client, the pages of modals, and frames whose key no one knows. Frames of a key that works are not counted: a
// page has several, and what they need to know is remembered. A nil Limit is none.
type Limit struct {
	addresses *ratelimit.Addresses
	keys      *ratelimit.Guesses
	now       func() time.Time
}

// NewLimit allows each address perAddress requests a second in the long run, twenty times that at once. 0 is no limit.
func NewLimit(perAddress int, now func() time.Time) *Limit {
	if perAddress == 0 {
		return nil
	}
	addresses := ratelimit.NewAddresses(perAddress, addressBurst*perAddress)
	return &Limit{addresses, ratelimit.NewGuesses(addresses), now}
}

func tooMany(wait time.Duration) *fault.Error {
	return fault.New(fault.KindLimited, "rate_limited",
		"Too many requests came from this address. Try again shortly.").After(wait)
}

// take counts a request, and refuses one too many.
func (l *Limit) take(c echo.Context) *fault.Error {
	if l == nil {
		return nil
	}
	if s := l.addresses.Take(c.RealIP(), l.now()); !s.Allowed {
		return tooMany(s.Next)
	}
	return nil
}

// embedding looks a public key up, as ask does. A key that no one knows is counted; one too many is refused.
func (l *Limit) embedding(c echo.Context, ask Embeddings, key, merchant string) (p apikey.Pages,
	known bool, err error) {
	ctx := c.Request().Context()
	if l == nil {
		return ask(ctx, key, merchant)
	}
	address, now := c.RealIP(), l.now()
	wait, suspected := l.keys.Suspects(address, key, now)
	if suspected {
		giveBack, err := l.keys.LookUp(ctx, address)
		if err != nil {
			return p, false, tooMany(wait)
		}
		defer giveBack()
	}
	p, known, err = ask(ctx, key, merchant)
	switch {
	case err != nil:
	case known:
		l.keys.Worked(key)
	case suspected:
		return p, false, tooMany(wait)
	default:
		l.keys.Failed(address, key, now)
	}
	return p, known, err
}

// refuses refuses a notice unread from an address whose notices were refused too often, unless its last one for that
// receiver was accepted: a counterparty sends those of all accounts from a few addresses.
func (l *Limit) refuses(c echo.Context, receiver string) *fault.Error {
	if l == nil {
		return nil
	}
	if wait, refused := l.keys.Suspects(c.RealIP(), c.RealIP()+" "+receiver, l.now()); refused {
		return tooMany(wait)
	}
	return nil
}

// noticed records whether a notice of an address for a receiver was accepted, and counts one that was refused.
func (l *Limit) noticed(c echo.Context, receiver string, accepted bool) {
	switch {
	case l == nil:
	case accepted:
		l.keys.Worked(c.RealIP() + " " + receiver)
	default:
		l.keys.Failed(c.RealIP(), c.RealIP()+" "+receiver, l.now())
	}
}

// retryLater says with a refusal when to come again.
func retryLater(c echo.Context, refused *fault.Error) {
	c.Response().Header().Set("Retry-After", strconv.Itoa(refused.RetrySeconds()))
}
