package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"svcpay/api/browser"
	"svcpay/internal/apikey"
	"svcpay/static"
)

// pagesTimeout bounds each request of a probe.
const pagesTimeout = 15 * time.Second

type pagesCommand struct {
	Verify verifyPagesCommand `cmd:"" help:"Fetch the payment pages' files as a payer's browser does, and print what differs from this program's."`
}

type verifyPagesCommand struct{}

// Help implements kong.HelpProvider.
func (verifyPagesCommand) Help() string {
	return "Reads SVCPAY_PAY_URL and SVCPAY_ENVIRONMENT, as svcpay serve does, and needs no database. " +
		"It compares every file of svcpay.js, its frames and modals by SHA-384, and their Content-Security-Policy and other headers. " +
		"The servers must run the same version. The exit status is 1 if something differs or can't be fetched."
}

// Run probes the pay origin.
func (verifyPagesCommand) Run(w *world) error {
	c, err := pagesConfigFrom(w.env)
	if err != nil {
		return err
	}
	files, differences, err := browser.Probe{PayURL: c.payURL, Static: static.FS(),
		Production: c.environment == apikey.Production,
		Client: &http.Client{Timeout: pagesTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}}.Run(w.ctx)
	if err != nil {
		return err
	}
	for _, d := range differences {
		fmt.Fprintln(w.stdout, d)
	}
	if len(differences) > 0 {
		return fmt.Errorf("%s serves %d files; differences: %d", c.payURL, files, len(differences))
	}
	fmt.Fprintf(w.stdout, "%s serves %d files as this program has them.\n", c.payURL, files)
	return nil
}

// pagesConfigFrom reads the settings of a probe.
func pagesConfigFrom(env []string) (config, error) {
	c, errs := readSettings(env, slices.DeleteFunc(settings(), func(s setting) bool {
		return s.name != "SVCPAY_PAY_URL" && s.name != "SVCPAY_ENVIRONMENT"
	}))
	insecure := mistake{c.environment == apikey.Production && inClear(c.payURL), "SVCPAY_PAY_URL", onlyByHTTPS}
	return c, errors.Join(append(errs, mistakes(insecure)...)...)
}
