package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
)

type processorsCommand struct {
	List    listAccountsCommand   `cmd:"" help:"List a merchant's processor accounts, or an application's defaults."`
	Connect connectAccountCommand `cmd:"" help:"Connect an existing processor account, so that new payments can go there."`
	Test    testAccountCommand    `cmd:"" help:"Check an account with its processor and update its onboarding status."`
	Disable disableAccountCommand `cmd:"" help:"Stop sending new payments to an account. Captures, refunds and disputes of earlier payments still go there."`
	Enable  enableAccountCommand  `cmd:"" help:"Allow new payments to an account again."`
	Remove  removeAccountCommand  `cmd:"" help:"Remove a disabled account that never had a payment, payout, or verification."`
	Replay  replayCommand         `cmd:"" help:"Handle messages of processors and fund providers again."`

	Failover failoverCommand `cmd:"" help:"Show, turn on or turn off failover for new payments of an application."`
}

const processorsHelp = "Reads DATABASE_URL, SVCPAY_ENVIRONMENT and SVCPAY_VAULT_KEY_FILE, as svcpay serve does. " +
	"With SVCPAY_BASE_URL, connect and test also register webhook endpoints at the processor."

// useAccounts opens the processor accounts of the application, and puts their mistakes in the words of flags.
func (a ofApplication) useAccounts(w *world, work func(*accounts.Service, authz.Actor) error) error {
	return a.use(w, func(o opened) error {
		keys, err := vault.ReadKeyFile(o.vaultKeyFile)
		if err != nil {
			return err
		}
		if text := lookup(w.env, baseURLSetting); text != "" {
			if o.baseURL, err = origin(text); err != nil {
				return fmt.Errorf("%s: %w", baseURLSetting, err)
			}
		}
		clocks := clock.New(o.pool, machineTime)
		parties := partiesOf(o.config, keys.Secrets, o.pool, machineTime, clocks)
		return accountMistakes(work(accounts.New(accounts.Deps{Pool: o.pool, Check: o.rules, Clock: clocks,
			Livemode: o.environment == apikey.Production, Processors: parties.processors, Box: keys.Secrets,
			BaseURL: o.baseURL}), o.actor))
	}, keyFileSetting, sandboxProcessorsSetting, stripeAPISetting)
}

// accountMistakes puts the mistakes in an account in the words of flags.
func accountMistakes(err error) error {
	return flagged(err, "the application has no such account or merchant", map[string]string{"processor": "PROCESSOR",
		"external_account": "ACCOUNT", "methods": "--method", "currencies": "--currency", "priority": "--priority",
		"credentials": "--credentials-file"})
}

type listAccountsCommand struct {
	ofApplication
	Merchant int64 `placeholder:"N" help:"List this merchant's own accounts. Default: the application's default accounts."`
}

// Help implements kong.HelpProvider.
func (listAccountsCommand) Help() string { return processorsHelp }

// merchantOf is the merchant of a flag; nil for none.
func merchantOf(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// Run prints the accounts, and for a merchant what serves each method.
func (c listAccountsCommand) Run(w *world) error {
	return c.useAccounts(w, func(book *accounts.Service, by authz.Actor) error {
		all, err := book.List(w.ctx, by, merchantOf(c.Merchant))
		if err != nil {
			return err
		}
		if err := printAccounts(w.stdout, all...); err != nil || c.Merchant == 0 {
			return err
		}
		p, err := book.Processing(w.ctx, by, c.Merchant)
		if err != nil {
			return err
		}
		t := newTable(w.stdout, "\nMETHOD\tPROCESSOR\tACCOUNT\tOWNER")
		for _, m := range p.Methods {
			if m.Source == nil {
				fmt.Fprintf(t, "%s\tnot connected\t-\t-\n", m.Method)
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.Method, *m.Processor, *m.External, *m.Source)
		}
		return t.Flush()
	})
}

func printAccounts(out io.Writer, all ...accounts.Account) error {
	t := newTable(out, "ID\tPROCESSOR\tACCOUNT\tMETHODS\tCURRENCIES\tPRIORITY\tSTATUS\tONBOARDING\tCREDENTIALS\tREPLACED")
	for _, a := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", a.ID, a.Processor, a.External, joined(a.Methods),
			cmp.Or(joined(a.Currencies), "all"),
			a.Priority, a.Status, a.Onboarding, ending(a), minute(a.CredentialsReplacedAt()))
	}
	return t.Flush()
}

// printReport prints an account, and what it lacks at its processor.
func printReport(out io.Writer, a accounts.Account) error {
	if err := printAccounts(out, a); err != nil || a.Report == nil {
		return err
	}
	for _, l := range a.Report.Lacks {
		if _, err := fmt.Fprintf(out, "missing: %s. %s\n", l.Code, l.Remedy); err != nil {
			return err
		}
	}
	return nil
}

// ending is how the credentials of an account end; - if it has none.
func ending(a accounts.Account) string {
	switch {
	case a.Sealed == nil:
		return "-"
	case a.CredentialsLast4 == nil: // too short to show any of them
		return "••••"
	}
	return "••••" + *a.CredentialsLast4
}

func joined[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ",")
}

type connectAccountCommand struct {
	ofApplication
	Processor string `arg:"" help:"The processor's name in this deployment, such as sandbox."`
	Account   string `arg:"" help:"The processor's own id of the account."`
	Merchant  int64  `placeholder:"N" help:"The merchant that owns the account. If not set, the account is a default of the application."`
	Method    []processor.
			Method `placeholder:"METHOD" help:"A method to use the account for: cc, ach, acss or payout. Repeat for several. Default: every method of the processor but payout."`
	Currency []money.
			Currency `placeholder:"CURRENCY" help:"A currency to use the account for: usd or cad. Repeat for several. Default: all."`
	Priority        int    `default:"1" help:"Priority among several accounts, from 1 (used first) to 100."`
	CredentialsFile string `type:"existingfile" placeholder:"FILE" help:"The file with the credentials of the account."`
}

// Help implements kong.HelpProvider.
func (connectAccountCommand) Help() string {
	return processorsHelp +
		" The processor must confirm the account and its credentials. The credentials are encrypted and not shown again."
}

// Run connects the account.
func (c connectAccountCommand) Run(w *world) error {
	credentials := ""
	if c.CredentialsFile != "" {
		text, err := os.ReadFile(c.CredentialsFile)
		if err != nil {
			return err
		}
		credentials = string(text)
	}
	return c.useAccounts(w, func(book *accounts.Service, by authz.Actor) error {
		in := accounts.ConnectInput{MerchantID: merchantOf(c.Merchant), Processor: c.Processor, External: c.Account,
			Credentials: sensitive.NewCredentials(credentials),
			Serving:     accounts.Serving{Methods: c.Method, Currencies: c.Currency, Priority: c.Priority}}
		if len(in.Methods) == 0 {
			in.Methods = accounts.Suggested(book.ServedWith(c.Processor, in.Credentials))
		}
		a, err := book.Connect(w.ctx, by, in)
		if err != nil {
			return err
		}
		return printReport(w.stdout, a)
	})
}

// ofAccount are the arguments of commands about one account.
type ofAccount struct {
	ofApplication
	ID string `arg:"" help:"The account's id, as svcpay processors list prints it."`
}

// Help is that of commands that have no other.
func (ofAccount) Help() string { return processorsHelp }

// change makes a change of the account, and prints what it is then.
func (o ofAccount) change(w *world, do func(*accounts.Service, authz.Actor) (accounts.Account, error)) error {
	return o.useAccounts(w, func(book *accounts.Service, by authz.Actor) error {
		a, err := do(book, by)
		if err != nil {
			return err
		}
		return printReport(w.stdout, a)
	})
}

type testAccountCommand struct{ ofAccount }

// Run tests the account.
func (c testAccountCommand) Run(w *world) error {
	return c.change(w, func(book *accounts.Service, by authz.Actor) (accounts.Account, error) {
		return book.Test(w.ctx, by, c.ID)
	})
}

type disableAccountCommand struct{ ofAccount }

// Run disables the account.
func (c disableAccountCommand) Run(w *world) error {
	return c.change(w, func(book *accounts.Service, by authz.Actor) (accounts.Account, error) {
		return book.SetStatus(w.ctx, by, c.ID, accounts.Disabled, nil)
	})
}

type enableAccountCommand struct{ ofAccount }

// Run enables the account.
func (c enableAccountCommand) Run(w *world) error {
	return c.change(w, func(book *accounts.Service, by authz.Actor) (accounts.Account, error) {
		return book.SetStatus(w.ctx, by, c.ID, accounts.Active, nil)
	})
}

type removeAccountCommand struct{ ofAccount }

// Help implements kong.HelpProvider.
func (removeAccountCommand) Help() string {
	return processorsHelp +
		" Disable the account a minute before. Afterwards, its processor's id can be connected to another merchant."
}

// Run removes the account.
func (c removeAccountCommand) Run(w *world) error {
	return c.useAccounts(w, func(book *accounts.Service, by authz.Actor) error {
		a, err := book.Remove(w.ctx, by, c.ID, nil)
		if err == nil {
			_, err = fmt.Fprintf(w.stdout, "Account %s, %s %s, is removed.\n", a.ID, a.Processor, a.External)
		}
		return err
	})
}

type failoverCommand struct {
	ofApplication
	State string `arg:"" optional:"" enum:"on,off," default:"" help:"on or off. Default: print the current setting."`
}

// Help implements kong.HelpProvider.
func (failoverCommand) Help() string {
	return processorsHelp +
		" With failover on, new payments pass over accounts whose processor is down if the same owner has another account for them. " +
		"Payouts and earlier payments stay where they are."
}

// Run sets failover, and prints what it is then.
func (c failoverCommand) Run(w *world) error {
	return c.useAccounts(w, func(book *accounts.Service, by authz.Actor) error {
		if c.State != "" {
			if err := book.SetFailover(w.ctx, by, c.State == "on"); err != nil {
				return err
			}
		}
		f, err := book.Failover(w.ctx, by)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "Failover of application %d is %s.\n", c.Application,
			map[bool]string{true: "on", false: "off"}[f.Enabled])
		return nil
	})
}

// flagged names the flag of each invalid field; missing is the message for resource_missing.
func flagged(err error, missing string, flags map[string]string) error {
	f, ok := fault.As(err)
	switch {
	case !ok:
		return err
	case f.Code == "resource_missing":
		return errors.New(missing)
	case len(f.Fields) == 0:
		return errors.New(f.Message)
	}
	var mistakes []error
	for _, field := range f.Fields {
		mistakes = append(mistakes, fmt.Errorf("%s: %s", cmp.Or(flags[field.Param], field.Param), field.Message))
	}
	return errors.Join(mistakes...)
}
