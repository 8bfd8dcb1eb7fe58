package main

import (
	"context"
	"os"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/clock"
)

type walletACommand struct {
	File string `arg:"" help:"The association file that wallet A's provider gave you."`
}

// Help implements kong.HelpProvider.
func (walletACommand) Help() string {
	return databaseHelp + " It replaces the previous file, so websites then have to replace theirs, too."
}

// Run installs the file.
func (c walletACommand) Run(w *world) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	return useDatabase(w, 0, func(o opened) error {
		clocks := clock.New(o.pool, machineTime)
		merchants := merchant.New(merchant.Deps{Pool: o.pool, Check: o.rules, Clock: clocks,
			Processors: partiesOf(o.config, nil, o.pool, machineTime, clocks).processors})
		_, err := merchants.InstallAssociation(w.ctx, o.actor, content, nil)
		return err
	}, sandboxProcessorsSetting)
}

// demoAssociation is a file of the form that a provider gives: something in hexadecimal digits.
const demoAssociation = "7B2270726F7669646572223A2273616E64626F78222C2276657273696F6E223A317D\n"

// ensureAssociation installs the demo's file, unless there is one.
func ensureAssociation(ctx context.Context, env []string, merchants *merchant.Service) error {
	_, err := merchants.Association(ctx)
	if fault.HasCode(err, "resource_missing") {
		_, err = merchants.InstallAssociation(ctx, operator(env, 0), []byte(demoAssociation), nil)
	}
	return err
}
