package main

import (
	"errors"
	"fmt"

	"svcpay/internal/apikey"
	"svcpay/internal/erasure"
	"svcpay/internal/fault"
	"svcpay/internal/platform/clock"
)

type eraseCommand struct {
	ofApplication
	Email string `required:"" placeholder:"ADDRESS" help:"The payer's email address, in upper or lower case."`
}

// Help implements kong.HelpProvider.
func (eraseCommand) Help() string {
	return databaseHelp +
		" The payer's payment methods are deleted and shredded. Names, addresses, texts and metadata are removed from charges, refunds, disputes," +
		" donations, receipts, events, stored answers and request logs; the application's exports end. Amounts, times, ids and the ledger stay." +
		" This cannot be undone. The exit status is 1, and nothing is done, while a payment, a dispute or an export is in progress."
}

// Run forgets the payer.
func (c eraseCommand) Run(w *world) error {
	return c.use(w, func(o opened) error {
		s := erasure.New(erasure.Deps{Pool: o.pool, Check: o.rules, Clock: clock.New(o.pool, machineTime),
			Livemode: o.environment == apikey.Production})
		e, err := s.Payer(w.ctx, o.actor, c.Email)
		if f, ok := fault.As(err); ok {
			return errors.New(f.Message)
		}
		if err == nil {
			_, err = fmt.Fprintf(w.stdout, "Erased: payment methods %d, charges %d, donations %d.\n", len(e.Tokens),
				len(e.Charges), len(e.Donations))
		}
		return err
	})
}
