package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/sensitive"
)

// connectionHelp is of the commands about the connection.
const connectionHelp = "Reads DATABASE_URL, SVCPAY_ENVIRONMENT, SVCPAY_VAULT_KEY_FILE and SVCPAY_DAF_URL, and in a " +
	"sandbox SVCPAY_DAF_PROVIDER, as svcpay serve does."

type connectDAFCommand struct {
	Provider        string   `arg:"" enum:"chariot" help:"The provider: chariot."`
	CredentialsFile document `required:"" placeholder:"FILE" help:"The file with the API key and the signing secret of the event subscription, one per line; - is standard input."`
}

// Help implements kong.HelpProvider.
func (connectDAFCommand) Help() string {
	return connectionHelp +
		" The provider must accept the API key, which must be of the deployment's mode: a live key in " +
		"production, a test key in a sandbox. The credentials are encrypted and not shown again."
}

// Run connects the deployment.
func (c connectDAFCommand) Run(w *world) error {
	return useConnection(w, func(s *connection.Service, by authz.Actor) (connection.Connection, error) {
		return s.Connect(w.ctx, by, sensitive.NewCredentials(string(c.CredentialsFile.text)))
	})
}

type testDAFCommand struct{}

// Help implements kong.HelpProvider.
func (testDAFCommand) Help() string {
	return connectionHelp + " The exit status is 1 if something is missing."
}

// Run tests the connection.
func (testDAFCommand) Run(w *world) error {
	return useConnection(w, func(s *connection.Service, by authz.Actor) (connection.Connection, error) {
		c, err := s.Test(w.ctx, by)
		if err == nil && len(c.Needs) > 0 {
			err = fmt.Errorf("missing: %d", len(c.Needs))
		}
		return c, err
	})
}

// useConnection opens the deployment's connection, and prints what it is then.
func useConnection(w *world, work func(*connection.Service, authz.Actor) (connection.Connection, error)) error {
	c, box, err := counterpartySettings(w)
	if err != nil {
		return err
	}
	if box == nil {
		return errors.New(keyFileSetting + " is not set: it names the file with the keys that encrypt the credentials")
	}
	return useDatabase(w, 0, func(o opened) error {
		is, err := work(c.connection(o.pool, box, o.rules), o.actor)
		if is.Provider != "" {
			address := cmp.Or(lookup(w.env, baseURLSetting), "https://<API host>") + "/hooks/daf/" + is.Provider
			err = errors.Join(printConnection(w.stdout, is, address), err)
		}
		return flagged(err, "the deployment is not connected: use svcpay daf connect",
			map[string]string{"credentials": "--credentials-file"})
	})
}

// printConnection prints a connection, the address of its webhook, and what is missing.
func printConnection(out io.Writer, c connection.Connection, address string) error {
	status, key := "complete", "-"
	if len(c.Needs) > 0 {
		status = "incomplete"
	}
	if c.CredentialsLast4 != nil {
		key = "••••" + *c.CredentialsLast4
	}
	t := newTable(out, "PROVIDER\tSTATUS\tCREDENTIALS\tTESTED\tWEBHOOK ADDRESS")
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", c.Provider, status, key, minute(&c.TestedAt), address)
	for _, n := range c.Needs {
		fmt.Fprintf(t, "\n%s: %s\n", n.Code, n.Text)
	}
	for _, n := range c.Optional {
		fmt.Fprintf(t, "\n%s (optional): %s\n", n.Code, n.Text)
	}
	return t.Flush()
}
