package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

// commands is the command line.
type commands struct {
	Dev         devCommand         `cmd:"" help:"Run everything on this machine: PostgreSQL, demo data, the service and the demo shop."`
	Serve       serveCommand       `cmd:"" help:"Run the service. All settings are environment variables."`
	VaultKeys   vaultKeysCommand   `cmd:"" help:"Create the vault's key file."`
	Vault       vaultCommand       `cmd:"" help:"Manage the keys of the vault."`
	Migrate     migrateCommand     `cmd:"" help:"Migrate the database at DATABASE_URL to this version's schema."`
	Reconcile   reconcileCommand   `cmd:"" help:"Reconcile the ledger with the records of processors and of the DAF provider now, and print mismatches."`
	Ledger      ledgerCommand      `cmd:"" help:"Inspect and repair the ledger."`
	WalletA     walletACommand     `cmd:"" name:"wallet-a-domain" help:"Install wallet A's domain association file, which merchants' websites serve."`
	DAF         dafCommand         `cmd:"" name:"daf" help:"Manage DAF Pay."`
	Doctor      doctorCommand      `cmd:"" help:"Check the settings, database and keys of a deployment and report problems."`
	Erase       eraseCommand       `cmd:"" help:"Erase a payer's personal data from every record. The payments stay."`
	Audit       auditCommand       `cmd:"" help:"Verify the audit log."`
	Pages       pagesCommand       `cmd:"" help:"Verify the pages that payers get."`
	Admin       adminCommand       `cmd:"" help:"Create invitations for administrators."`
	Keys        keysCommand        `cmd:"" help:"Create, list, roll and revoke an application's API keys."`
	Processors  processorsCommand  `cmd:"" help:"List, connect, test, disable and enable accounts at processors."`
	Get         getCommand         `cmd:"" help:"Send a GET request to the API and print the response."`
	Post        postCommand        `cmd:"" help:"Send a POST request to the API and print the response."`
	Credentials credentialsCommand `cmd:"" help:"Print the credentials that svcpay dev wrote, or one of them."`
	Listen      listenCommand      `cmd:"" help:"Forward an application's events to a program on this machine."`
	Trigger     triggerCommand     `cmd:"" help:"Trigger an event in a sandbox."`
	Events      eventsCommand      `cmd:"" help:"List, print, resend and replay events."`
	Webhooks    webhooksCommand    `cmd:"" help:"Verify signatures of webhooks, and send signed ones."`
	Simulate    simulateCommand    `cmd:"" help:"Simulate attacks."`
	Licenses    licensesCommand    `cmd:"" help:"Print the components of this program and their licenses."`
	Version     versionCommand     `cmd:"" help:"Print the version, its commit and its date."`
}

// world is what a command may touch of the outside.
type world struct {
	ctx       context.Context
	env       []string // with the secrets that are in files
	inherited []string // the environment as the program got it
	stdout    io.Writer
	stderr    io.Writer
}

// Exit statuses other than 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

func run(args, env []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var cli commands
	exited := -1
	parser, err := kong.New(&cli, kong.Name("svcpay"), kong.Description("The payment service SvcPay."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the struct above is malformed
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help was asked for
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "svcpay: %s\nRun svcpay --help.\n", err)
		return exitUsage
	}
	w := &world{ctx: ctx, inherited: env, stdout: stdout, stderr: stderr}
	if w.env, err = withSecretFiles(env); err == nil {
		err = parsed.Run(w)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "svcpay:", said(err))
		return exitFailed
	}
	return 0
}

// newTable begins a table for people with its titles, if it has any: cells end with tabs, and Flush prints them.
func newTable(out io.Writer, titles string) *tabwriter.Writer {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if titles != "" {
		fmt.Fprintln(t, titles)
	}
	return t
}
