package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line.
type commands struct {
	Dev         devCommand         `cmd:"" help:"Run everything on this machine: PostgreSQL, demo data, the service and the demo shop."`
	Serve       serveCommand       `cmd:"" help:"Run the service. It is configured by its environment alone."`
	VaultKeys   vaultKeysCommand   `cmd:"" help:"Make the key file of a vault."`
	Vault       vaultCommand       `cmd:"" help:"Manage the keys of the vault."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the database at DATABASE_URL up to this version's schema."`
	Reconcile   reconcileCommand   `cmd:"" help:"Compare the books of the processor and of the provider of funds with ours now, and print what does not agree."`
	Ledger      ledgerCommand      `cmd:"" help:"Work on the ledger."`
	WalletA     walletACommand     `cmd:"" name:"wallet-a-domain" help:"Install the file by which wallet A knows the websites of merchants."`
	DAF         dafCommand         `cmd:"" name:"daf" help:"Work on DAF Pay."`
	Doctor      doctorCommand      `cmd:"" help:"Check the settings, database and keys of a deployment and report problems."`
	Erase       eraseCommand       `cmd:"" help:"Forget who a payer is: personal data leaves every record, what was paid stays."`
	Audit       auditCommand       `cmd:"" help:"Look after the log of who did what."`
	Admin       adminCommand       `cmd:"" help:"Create invitations for administrators."`
	Keys        keysCommand        `cmd:"" help:"Make, list, roll and revoke an application's API keys."`
	Processors  processorsCommand  `cmd:"" help:"List, connect, test, disable and enable accounts at processors."`
	Get         getCommand         `cmd:"" help:"Send a GET request to the API and print the response."`
	Post        postCommand        `cmd:"" help:"Send a POST request to the API and print the response."`
	Credentials credentialsCommand `cmd:"" help:"Print the credentials that svcpay dev wrote, or one of them."`
	Listen      listenCommand      `cmd:"" help:"Bring an application's events to a program on this machine."`
	Trigger     triggerCommand     `cmd:"" help:"Make an event happen in a sandbox."`
	Events      eventsCommand      `cmd:"" help:"List events, print them, and have them sent again."`
	Webhooks    webhooksCommand    `cmd:"" help:"Verify signatures of webhooks, and send signed ones."`
	Version     versionCommand     `cmd:"" help:"Print the version, its commit and its date."`
}

// world is what a command may touch of the outside.
type world struct {
	ctx    context.Context
	env    []string
	stdout io.Writer
	stderr io.Writer
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
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help was asked for
		return exited
	}
	if err != nil {
		fmt.Fprintln(stderr, "svcpay:", err)
		return exitUsage
	}
	err = parsed.Run(&world{ctx: ctx, env: env, stdout: stdout, stderr: stderr})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "svcpay:", said(err))
		return exitFailed
	}
	return 0
}
