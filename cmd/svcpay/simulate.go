package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/cardtesting"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
	"svcpay/migrations"
	"svcpay/policy"
)

// simulateCommand has the simulations.
type simulateCommand struct {
	CardTesting simulateCardTesting `cmd:"" name:"card-testing" help:"Simulate attacks with stolen cards. Print how many cards the attackers learn and how many donors are refused."`
}

type simulateCardTesting struct {
	Cards     int   `default:"10000" help:"Stolen cards that each attack tries."`
	Donors    int   `default:"10000" help:"Real donors of the application on the day of each attack."`
	Merchants int   `default:"500" help:"Merchants of the application. Each has the same number of donors on average; one is attacked."`
	Seed      int   `default:"1" help:"Seed of the random numbers."`
	Attacks   []int `help:"Rows of the table to simulate, such as 1,4. Default: all."`
}

// Help implements kong.HelpProvider.
func (simulateCardTesting) Help() string {
	return "Simulates attackers and donors with the real services, a temporary PostgreSQL and a clock that it moves. " +
		"It assumes that 10 % of the stolen cards are live, that 40 % of the donors use a card that paid in the application before, and that 6 % of the others' first cards are declined. " +
		"Attackers solve every challenge, and try each card once."
}

// easierProofs makes proofs of work a thousand times easier, so that thousands are found; waits are those of full ones.
const easierProofs = 10

// simulationPage is the origin of the pages of a simulation.
const simulationPage = "https://shop.example"

// movedClock is a time that stands still until it is moved.
type movedClock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the clock's time.
func (c *movedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock ahead.
func (c *movedClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// decliningProcessor is the sandbox's processor that declines the simulation's dead cards.
type decliningProcessor struct{ *sandbox.Processor }

// Authorize implements [processor.Payments].
func (d decliningProcessor) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	if cardtesting.Declined(a.Card.PAN.Reveal()) {
		a.Card.PAN = sensitive.NewPAN("4000000000000002")
	}
	return d.Processor.Authorize(ctx, a)
}

// Run simulates the attacks.
func (c simulateCardTesting) Run(w *world) (err error) {
	dir, err := os.MkdirTemp("", "svcpay-simulate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL's user must pass through
		return err
	}
	server, err := localpg.Start(w.ctx, localpg.Options{Dir: filepath.Join(dir, "db"), Home: lookup(w.env, "HOME"),
		Database: "svcpay", Throwaway: true, Progress: func(string) {}})
	if err != nil {
		return cmp.Or(w.ctx.Err(), err)
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(w.ctx))) }()
	if err := migrations.Up(w.ctx, server.URL()); err != nil {
		return err
	}
	pool, err := pg.Open(w.ctx, server.URL())
	if err != nil {
		return err
	}
	defer pool.Close()
	d, err := c.prepare(w.ctx, pool, filepath.Join(dir, "keys.json"))
	if err != nil {
		return err
	}
	return c.play(w, d)
}

// play runs the attacks one after the other and prints a line for each, as soon as it ends.
func (c simulateCardTesting) play(w *world, d cardtesting.Deps) error {
	fmt.Fprintf(w.stdout, "%d stolen cards, %d donors of %d merchants on the day of each attack; %s\n\n", c.Cards,
		c.Donors, c.Merchants, "10 % of the cards are live, 40 % of the donors have paid before")
	fmt.Fprintf(w.stdout, rowOfAttack, "attack", "cards learned", "donors refused", "challenged", "wait mean, p95",
		"attacked merchant", "targets")
	for n, a := range cardtesting.Attacks() {
		if len(c.Attacks) > 0 && !slices.Contains(c.Attacks, n+1) {
			continue
		}
		r, err := cardtesting.Run(w.ctx, d, a, c.Cards, c.Donors, uint64(c.Seed+n))
		if err != nil {
			return err
		}
		printAttack(w.stdout, r)
	}
	_, err := fmt.Fprintln(w.stdout, "\nCards learned: stolen cards that the attacker learned the status of.\n"+
		"Targets: at most 1 % of the cards learned, at most 0.1 % of the donors refused.\n"+
		"Attacked merchant: its donors who were refused, and those who were challenged, of all.")
	return err
}

// rowOfAttack is a line of the table.
const rowOfAttack = "%-29s %-16s %-16s %-11s %-14s %-18s %s\n"

func printAttack(out io.Writer, r cardtesting.Report) {
	met := "met"
	switch learned, refused := r.LearnedPercent() > 1, r.RefusedPercent() > 0.1; {
	case learned && refused:
		met = "both missed"
	case learned:
		met = "cards missed"
	case refused:
		met = "donors missed"
	}
	mean, p95 := r.Donors.Wait()
	fmt.Fprintf(out, rowOfAttack, r.Attack.Name, fmt.Sprintf("%d (%.2f %%)", r.Learned, r.LearnedPercent()),
		fmt.Sprintf("%d (%.2f %%)", r.Donors.Refused, r.RefusedPercent()), fmt.Sprint(r.Donors.Challenged),
		fmt.Sprint(mean.Round(100*time.Millisecond), ", ", p95.Round(100*time.Millisecond)),
		fmt.Sprintf("%d, %d of %d", r.Attacked.Refused, r.Attacked.Challenged, r.Attacked.All), met)
}

// prepare makes the services of a sandbox that watches for card testing, and an application with its merchants.
func (c simulateCardTesting) prepare(ctx context.Context, pool *pgxpool.Pool,
	keyFile string) (d cardtesting.Deps, err error) {
	rules, err := policy.New()
	if err != nil {
		return d, err
	}
	keys, err := vault.CreateKeyFile(keyFile)
	if err != nil {
		return d, err
	}
	at := &movedClock{now: machineTime()}
	clocks := clock.New(pool, at.Now)
	s := assembly.New(assembly.Deps{Pool: pool, Vault: vault.New(keys), Secrets: keys.Secrets, Clock: clocks,
		Processors: processor.Only(decliningProcessor{sandbox.New("sandbox", pool, at.Now,
			kit.AccountClock(clocks.Moment))}),
		DAF: dafsandbox.New(pool, at.Now, kit.AccountClock(clocks.Moment)), Check: rules,
		Environment: apikey.Sandbox, Now: at.Now, WatchCards: true, EasierProofs: easierProofs})
	smallest := money.MinCharge
	made, err := demo.Maker{Identity: s.Identity, APIKeys: s.APIKeys, Merchants: s.Merchants, Payouts: s.Payouts,
		MinimumCharge: &smallest}.Applications(ctx, demo.Credentials{}, simulationPage)
	if err != nil {
		return d, err
	}
	d = cardtesting.Deps{Tokens: s.Tokens, Charges: s.Charges, Clock: at, PublicKey: made.PublicKey,
		Page: simulationPage, EasierProofs: easierProofs,
		Actor: authz.Actor{Role: authz.RoleSecretKey, ApplicationID: made.AppID}}
	for n := range c.Merchants {
		name, country := fmt.Sprintf("Merchant %d", n+1), "US"
		in := merchant.CreateInput{Name: &name, Country: &country, MinimumCharge: &smallest,
			OrganizationID: &made.OrganizationID}
		m, err := s.Merchants.Create(ctx, d.Actor, in, nil)
		if err != nil {
			return d, err
		}
		d.Merchants = append(d.Merchants, m.Object.ID)
	}
	return d, nil
}
