package main

import (
	"errors"
	"fmt"

	"svcpay/internal/apikey"
	"svcpay/internal/erasure"
	"svcpay/internal/fault"
	"svcpay/internal/platform/clock"
	"svcpay/policy"
)

type eraseCommand struct {
	ofApplication
	Email string `required:"" placeholder:"ADDRESS" help:"The payer's email address, in whatever case."`
}

// Help implements kong.HelpProvider.
func (eraseCommand) Help() string {
	return databaseHelp + " The payer's payment methods are deleted and shredded. Names, addresses, texts and metadata leave charges, refunds, disputes," +
		" donations, receipts, events, stored answers and request logs; the application's exports end. Amounts, times, ids and the ledger stay." +
		" This cannot be undone. The exit status is 1, and nothing is done, while a payment, a dispute or an export is in progress."
}

// Run forgets the payer.
func (c eraseCommand) Run(w *world) error {
	pool, err := openDatabase(w)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := checkApplication(w.ctx, pool, c.Application); err != nil {
		return err
	}
	rules, err := policy.New()
	if err != nil {
		return err
	}
	settings, err := databaseConfigFrom(w.env)
	if err != nil {
		return err
	}
	s := erasure.New(erasure.Deps{Pool: pool, Check: rules, Clock: clock.New(pool, machineTime), Livemode: settings.environment == apikey.Production})
	e, err := s.Payer(w.ctx, operator(c.Application), c.Email)
	if f, ok := fault.As(err); ok {
		return errors.New(f.Message)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "Erased: payment methods %d, charges %d, donations %d.\n", len(e.Tokens), len(e.Charges), len(e.Donations))
	return nil
}
