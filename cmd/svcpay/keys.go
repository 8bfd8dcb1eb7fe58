package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/page"
)

type keysCommand struct {
	Create createKeyCommand `cmd:"" help:"Create a key. Standard output gets only the key itself, which is shown this once."`
	List   listKeysCommand  `cmd:"" help:"List an application's keys: first and last characters, status, last use, permissions."`
	Roll   rollKeyCommand   `cmd:"" help:"Replace a key: create a new one and print it. The old one works for a while longer."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke a key immediately and permanently."`
}

// keyring are an application's keys, in the hands of anyone who may use the database.
type keyring struct {
	*apikey.Service
	actor authz.Actor
}

// ofApplication is the flag that commands about one application have.
type ofApplication struct {
	Application int64 `required:"" placeholder:"N" help:"The application's id, X-App-ID."`
}

// Help is that of commands that have no other.
func (ofApplication) Help() string { return databaseHelp }

// use is [useDatabase] for the application.
func (a ofApplication) use(w *world, work func(opened) error, more ...string) error {
	return useDatabase(w, a.Application, work, more...)
}

// useKeys opens the keys of the application, lets work have them and puts its mistakes in the words of flags.
func (a ofApplication) useKeys(w *world, work func(keyring) error) error {
	return a.use(w, func(o opened) error {
		return inFlags(work(keyring{Service: apikey.New(o.pool, o.environment, machineTime, o.rules), actor: o.actor}))
	})
}

// flagOf names the flag that a parameter comes from.
var flagOf = map[string]string{"name": "--name", "rights": "--right", "merchants": "--merchant", "allowed_ips": "--ip",
	"allowed_origins": "--origin", "merchant_domains": "--merchant-domains",
	"any_ancestor": "--any-ancestor", "expires_at": "--expires"}

// inFlags tells every mistake in a key, by its flag.
func inFlags(err error) error { return flagged(err, "the application has no such key", flagOf) }

type createKeyCommand struct {
	ofApplication
	Kind apikey.
		Kind `required:"" enum:"secret,restricted,public" help:"secret: for servers, with all permissions; restricted: for a program, with chosen permissions; public: for payers' pages."`
	Name  string `required:"" help:"The key's name, such as its purpose."`
	Right []authz.
		Right `placeholder:"RESOURCE:ACCESS" help:"A permission of a restricted key, such as charge:read or refund:write. Write includes read. Repeat for several."`
	Merchant        []int64   `placeholder:"N" help:"A merchant that a restricted key is limited to. Repeat for several."`
	IP              []string  `name:"ip" placeholder:"NETWORK" help:"An address or network that may use a secret or restricted key, such as 192.0.2.7 or 2001:db8::/32. Repeat for several."`
	Origin          []string  `placeholder:"ORIGIN" help:"An origin whose pages may use a public key, such as https://shop.example, or https://*.example.org for all hosts below. Repeat for several."`
	MerchantDomains bool      `help:"Let pages of the domains of the merchant that is paid use a public key, too."`
	AnyAncestor     bool      `help:"Let pages of any site embed the pages that use a public key."`
	Expires         time.Time `placeholder:"TIME" help:"When the key stops working, such as 2027-01-31T00:00:00Z."`
}

// Run makes the key.
func (c createKeyCommand) Run(w *world) error {
	return c.useKeys(w, func(keys keyring) error {
		made, err := keys.Create(w.ctx, keys.actor,
			apikey.CreateInput{Kind: c.Kind, Name: c.Name, Rights: c.Right, Merchants: c.Merchant,
				AllowedIPs: c.IP, AllowedOrigins: c.Origin, MerchantDomains: c.MerchantDomains,
				AnyAncestor: c.AnyAncestor, ExpiresAt: c.Expires})
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stderr, "Key %s is made.%s\n", made.ID, onlyOnce(made))
		fmt.Fprintln(w.stdout, made.Text)
		return nil
	})
}

func onlyOnce(k apikey.Issued) string {
	if k.Kind == apikey.Public {
		return ""
	}
	return " Keep its text: it is not shown again."
}

type listKeysCommand struct {
	ofApplication
	All bool `help:"Include keys that no longer work."`
}

// Help implements kong.HelpProvider.
func (listKeysCommand) Help() string {
	return databaseHelp + " Times are in UTC; the last use is up to a minute late."
}

// keysPerPage is how many keys are read at once.
const keysPerPage = 100

// Run prints the keys, newest first.
func (c listKeysCommand) Run(w *world) error {
	return c.useKeys(w, func(keys keyring) error {
		t := newTable(w.stdout, "KEY\tNAME\tTEXT\tSTATUS\tEXPIRES\tLAST USED\tFROM\tMAY")
		err := keys.each(w.ctx, func(k apikey.Key) {
			if status := k.Status(machineTime()); c.All || status == apikey.Active || status == apikey.Replaced {
				fmt.Fprintf(t, "%s\t%s\t%s…%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, k.Prefix, k.Last4, status,
					minute(k.ExpiresAt), minute(k.LastUsedAt), orDash(k.LastUsedIP), may(k))
			}
		})
		return errors.Join(err, t.Flush())
	})
}

// each shows every key of the application, newest first.
func (k keyring) each(ctx context.Context, show func(apikey.Key)) error {
	for in := (apikey.ListInput{Page: page.Input[ids.Key]{Limit: keysPerPage}}); ; {
		p, err := k.List(ctx, k.actor, in)
		if err != nil {
			return err
		}
		for _, key := range p.Items {
			show(key)
			in.Page.After = key.ID
		}
		if !p.HasMore {
			return nil
		}
	}
}

func minute(t *instant.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func orDash[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// may says in words what a key allows.
func may(k apikey.Key) string {
	out := "everything"
	switch k.Kind {
	case apikey.Restricted:
		out = words(k.Rights)
	case apikey.Public:
		out = "make tokens"
	}
	out += limit("merchants", k.Merchants) + limit("from", k.AllowedIPs) + limit("on", k.AllowedOrigins)
	if k.MerchantDomains {
		out += "; on merchants' domains"
	}
	if k.AnyAncestor {
		out += "; embedded by any site"
	}
	return out
}

func words[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }

func limit[T any](what string, list []T) string {
	if len(list) == 0 {
		return ""
	}
	return "; " + what + " " + words(list)
}

// keyName is the key that a command works on.
type keyName struct {
	Key string `arg:"" help:"The key's id, key_…, as list prints it."`
}

func (n keyName) id() (ids.Key, error) {
	id, err := ids.ParseKey(n.Key)
	if err != nil {
		return id, fault.Missing()
	}
	return id, nil
}

type rollKeyCommand struct {
	ofApplication
	keyName
	Overlap apikey.
		Overlap `default:"24h" enum:"now,1h,24h,7d" help:"How long the old key keeps working (${default})."`
}

// Run rolls the key.
func (c rollKeyCommand) Run(w *world) error {
	return c.useKeys(w, func(keys keyring) error {
		id, err := c.id()
		if err != nil {
			return err
		}
		out, err := keys.Roll(w.ctx, keys.actor, apikey.RollInput{ID: id, Overlap: c.Overlap})
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stderr, "Key %s replaces %s, which works until %s UTC.%s\n", out.New.ID, out.Old.ID,
			minute(out.Old.ExpiresAt), onlyOnce(out.New))
		fmt.Fprintln(w.stdout, out.New.Text)
		return nil
	})
}

type revokeKeyCommand struct {
	ofApplication
	keyName
}

// Run revokes the key.
func (c revokeKeyCommand) Run(w *world) error {
	return c.useKeys(w, func(keys keyring) error {
		id, err := c.id()
		if err != nil {
			return err
		}
		k, err := keys.Revoke(w.ctx, keys.actor, id)
		if err == nil {
			_, err = fmt.Fprintf(w.stdout,
				"Key %s, %s…%s, is revoked. Servers that remember it refuse it within two seconds.\n", k.ID,
				k.Prefix, k.Last4)
		}
		return err
	})
}
