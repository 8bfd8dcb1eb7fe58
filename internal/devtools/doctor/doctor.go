// Package doctor checks a deployment's settings, database and keys, and reports each problem in one line with its
// remedy. A server runs the essential checks when it starts, too.
package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/vault"
)

// State is what a check makes of what it saw.
type State string

// The states.
const (
	Good     State = "good"
	Doubtful State = "doubtful" // it works, and someone should look
	Wrong    State = "wrong"    // it does not work, or money or data are in danger
)

// Finding is what a check says.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // of what is not good
	cause  error  // why it could not be looked at
}

// Err is what a server that starts says of what is wrong; nil of everything else.
func (f Finding) Err() error {
	switch {
	case f.State != Wrong:
		return nil
	case f.cause != nil:
		return f.cause
	}
	return errors.New(f.Text + ": " + f.Remedy)
}

// Certificate is one whose time ends.
type Certificate struct {
	Name    string
	Expires time.Time
}

// Mailer is what mails leave by.
type Mailer interface {
	// Reach reports whether it takes this program's mails.
	Reach(ctx context.Context) error
}

// Patient is a deployment.
type Patient struct {
	Pool       *pgxpool.Pool
	Production bool
	Now        func() time.Time
	Vault      *vault.Vault
	// Processors have the adapters of the deployment.
	Processors *processor.Registry
	// DAF is the connection to the provider of donor-advised funds; nil if the deployment uses the sandbox's, or if the
	// keys that open the credentials could not be read.
	DAF *connection.Service
	// Funds is the name of the provider of donor-advised funds.
	Funds string
	// Keyring opens the credentials of processor accounts, and BaseURL is the address of the API.
	Keyring accounts.Keyring
	BaseURL string
	// Mailer is nil for a deployment that sends none.
	Mailer Mailer
	// Certificates are those of payers' wallets.
	Certificates []Certificate
	// Disk says how much room the file system of a directory has; an error if that is not this machine's.
	Disk func(dir string) (free, size uint64, err error)
}

// check looks at one thing. What it cannot look at is an error.
type check struct {
	name string
	run  func(ctx context.Context, p Patient) (Finding, error)
}

// vital are the checks of what no server does without; the schema is looked at before there is a pool.
var vital = []check{{"durability", durability}, {"clock", clockOf}, {"environment", environment}}

// further are the checks of what servers do with it.
var further = []check{{"role", role}, {"vault", vaultKeys}, {"mail", mails}, {"certificates", certificates},
	{"jobs", leader},
	{"charges", unresolved}, {"processors", absent}, {"processing", processing},
	{"daf provider", dafProvider}, {"enrollments", enrollments},
	{"webhooks", undelivered}, {"books", books}, {"audit", chains}, {"disk", disk}, {"quotas", quotas},
	{"connections", connections}, {"bounds", bounds},
	{"compiler", compiler}, {"quotes", quotes}}

// Start looks at what no server does without.
func (p Patient) Start(ctx context.Context) []Finding { return p.each(ctx, vital) }

// Examine looks at everything.
func (p Patient) Examine(ctx context.Context) []Finding {
	return append(append(p.Start(ctx), p.each(ctx, further)...), p.accounts(ctx)...)
}

func (p Patient) each(ctx context.Context, checks []check) []Finding {
	out := make([]Finding, len(checks))
	for i, c := range checks {
		out[i] = p.look(ctx, c)
	}
	return out
}

func (p Patient) look(ctx context.Context, c check) Finding {
	f, err := c.run(ctx, p)
	if err != nil {
		f = unseen(err)
	}
	f.Check = c.name
	return f
}

// unseen is what could not be looked at.
func unseen(err error) Finding {
	return Finding{State: Wrong, Text: "it cannot be looked at: " + err.Error(),
		Remedy: "look at the database and the rights of its user", cause: err}
}

func good(text string) Finding { return Finding{State: Good, Text: text} }
func doubtful(text, remedy string) Finding {
	return Finding{State: Doubtful, Text: text, Remedy: remedy}
}
func wrong(text, remedy string) Finding { return Finding{State: Wrong, Text: text, Remedy: remedy} }
