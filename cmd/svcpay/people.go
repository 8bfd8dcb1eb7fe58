package main

import (
	"errors"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
)

type adminCommand struct {
	Create createAdminCommand `cmd:"" help:"Print a link that makes a person a system administrator."`
	Reset  resetAdminCommand  `cmd:"" help:"Print a link with which a portal user chooses a new password."`
}

// peopleHelp explains the commands that print links.
const peopleHelp = databaseHelp + " The link works once. A user has no password until they choose one with such a link."

// ofPerson are the arguments of commands about one person.
type ofPerson struct {
	Email  string `arg:"" help:"The person's email address."`
	Portal string `name:"portal-url" placeholder:"URL" help:"Where the portal is, such as https://pay.example.org (SVCPAY_BASE_URL)."`
}

// Help implements kong.HelpProvider.
func (ofPerson) Help() string { return peopleHelp }

type createAdminCommand struct{ ofPerson }

// Run invites the administrator as the deployment's operator.
func (c createAdminCommand) Run(w *world) error {
	return withPeople(w, c.Portal, func(people *identity.Service, base string) error {
		made, err := people.Invite(w.ctx, operator(w.env, 0),
			identity.NewInvitation{Email: c.Email, Role: authz.RoleSystemAdmin, Domain: authz.System()})
		if err != nil {
			return saidOf(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s/portal/invite/%s\nWorks once, until %s, for %s.\n", base, made.Token,
			made.ExpiresAt.Format(instant.Layout), mailbox.Shown(made.Email))
		return err
	})
}

type resetAdminCommand struct{ ofPerson }

// Run makes the link.
func (c resetAdminCommand) Run(w *world) error {
	return withPeople(w, c.Portal, func(people *identity.Service, base string) error {
		token, until, err := people.MakeReset(w.ctx, operator(w.env, 0), c.Email)
		if fault.HasCode(err, "resource_missing") {
			return errors.New("no user signs in with this address")
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s/portal/reset/%s\nWorks once, until %s.\n", base, token,
			until.UTC().Format(instant.Layout))
		return err
	})
}

// saidOf is what a fault says of each mistake.
func saidOf(err error) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	var all []error
	for _, field := range f.Fields {
		all = append(all, errors.New(field.Message))
	}
	return errors.Join(all...)
}

// withPeople lets work with the people of the database's deployment, whose portal is at base.
func withPeople(w *world, base string, work func(people *identity.Service, base string) error) error {
	if base == "" {
		base = lookup(w.env, baseURLSetting)
	}
	if _, err := origin(base); err != nil {
		return fmt.Errorf("--portal-url: %w", err)
	}
	return useDatabase(w, 0, func(o opened) error { return work(identity.New(o.pool, machineTime, o.rules), base) })
}
