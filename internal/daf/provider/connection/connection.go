// Package connection keeps the credentials with which a deployment is connected to its provider of donor-advised funds.
package connection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
	"svcpay/internal/sensitive"
)

// CredentialsOf are credentials as they are typed.
func CredentialsOf(text string) sensitive.Credentials { return sensitive.NewCredentials(text) }

// maxCredentials is the length of the longest credentials, in bytes.
const maxCredentials = 4096

// Connection is the deployment's account at a provider.
type Connection struct {
	Provider string `db:"provider" json:"provider"`
	Version  int    `db:"version" json:"version"`
	// Sealed are the credentials. They are never shown again, but for their last four characters.
	Sealed           []byte       `db:"credentials" json:"-"`
	CredentialsLast4 *string      `db:"credentials_last4" json:"credentials_last4"`
	CredentialsSetAt instant.Time `db:"credentials_set_at" json:"credentials_set_at"`
	Missing          []string     `db:"needs" json:"needs"` // codes, as of TestedAt
	TestedAt         instant.Time `db:"tested_at" json:"tested_at"`
	CreatedAt        instant.Time `db:"created_at" json:"created_at"`
	// Needs are what the codes mean; Optional, those of them without which everything else works.
	Needs    []provider.Need `db:"-" json:"-"`
	Optional []provider.Need `db:"-" json:"-"`
}

const columns = `provider, version, credentials, credentials_last4, credentials_set_at, needs, tested_at, created_at`

// find reads a connection; nil if there is none.
func find(ctx context.Context, q pg.Querier, name string) (*Connection, error) {
	return pg.OrNil(pg.One[Connection](ctx, q,
		`SELECT `+columns+` FROM daf_provider_connections WHERE provider = @provider`, pg.Args{"provider": name}))
}

// purpose is what the credentials of a provider are sealed for.
func purpose(name string) string { return "daf_provider/" + name }

// Keyring opens the credentials of the connection for its adapter.
type Keyring struct {
	pool *pgxpool.Pool
	box  *seal.Box // nil where no credentials can be opened
}

// NewKeyring makes a keyring.
func NewKeyring(pool *pgxpool.Pool, box *seal.Box) Keyring { return Keyring{pool, box} }

// Credentials returns a function that opens a provider's credentials; the zero ones if it is not connected. Each call
// reads the current ones.
func (k Keyring) Credentials(name string) func(context.Context) (sensitive.Credentials, error) {
	return func(ctx context.Context) (sensitive.Credentials, error) {
		c, err := find(ctx, k.pool, name)
		if err != nil || c == nil {
			return sensitive.Credentials{}, err
		}
		return k.open(*c)
	}
}

func (k Keyring) open(c Connection) (sensitive.Credentials, error) {
	if k.box == nil {
		return sensitive.Credentials{},
			errors.New("connection: this command does not read the key that opens credentials")
	}
	text, err := k.box.Open(c.Sealed, purpose(c.Provider))
	return sensitive.NewCredentials(string(text)), err
}

// Deps are what the service works with.
type Deps struct {
	Pool  *pgxpool.Pool
	Check authz.Checker
	Now   func() time.Time
	// Box seals credentials.
	Box *seal.Box
	// Provider is the deployment's; nil if it works without credentials, as the sandbox's does.
	Provider provider.Connector
}

// Service holds the use-cases of the connection.
type Service struct {
	deps  Deps
	keys  Keyring
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, keys: NewKeyring(d.Pool, d.Box), audit: audit.New(d.Pool, d.Check, d.Now)}
}

// Provider is the name of the provider that can be connected; "" if there is none.
func (s *Service) Provider() string {
	if s.deps.Provider == nil {
		return ""
	}
	return s.deps.Provider.Name()
}

// errNone is of deployments whose provider has no credentials.
var errNone = fault.New(fault.KindConflict, "daf_provider_not_connectable",
	"This deployment uses the sandbox's provider, which needs no connection. Set SVCPAY_DAF_PROVIDER first.")

// Get returns the connection; nil if there is none.
func (s *Service) Get(ctx context.Context, actor authz.Actor) (*Connection, error) {
	if err := s.deps.Check.Check(actor, authz.DAFProviderManage); err != nil {
		return nil, err
	}
	return s.Current(ctx)
}

// Current returns the connection, for the deployment's operators; nil if there is none.
func (s *Service) Current(ctx context.Context) (*Connection, error) {
	c, err := find(ctx, s.deps.Pool, s.Provider())
	if err != nil || c == nil {
		return nil, err
	}
	*c = s.explained(*c)
	return c, nil
}

// explained is a connection with the meaning of what is missing.
func (s *Service) explained(c Connection) Connection {
	c.Needs, c.Optional = nil, nil
	for _, code := range c.Missing {
		if n := s.deps.Provider.NeedOf(code); n.Optional {
			c.Optional = append(c.Optional, n)
		} else {
			c.Needs = append(c.Needs, n)
		}
	}
	return c
}

// about is the connection as the audit log names it. It is the deployment's.
func about() audit.Subject { return audit.Subject{Kind: "daf_provider", Chain: new(int64)} }

// Connect connects the deployment with credentials that the provider accepts, or replaces those that it has. Faults:
// the mistakes of the credentials; daf_provider_rejected; daf_provider_unreachable; daf_provider_not_connectable.
func (s *Service) Connect(ctx context.Context, actor authz.Actor, credentials sensitive.Credentials) (Connection,
	error) {
	if err := s.audit.Allow(ctx, actor, authz.DAFProviderManage, about()); err != nil {
		return Connection{}, err
	}
	credentials = sensitive.NewCredentials(strings.TrimSpace(credentials.Reveal()))
	if err := s.validate(credentials); err != nil {
		return Connection{}, err
	}
	missing, err := s.ask(ctx, credentials)
	if err != nil {
		return Connection{}, err
	}
	c := Connection{Provider: s.Provider(), Missing: missing, TestedAt: instant.Of(s.deps.Now())}
	if shown := credentials.Last4(); shown != "" {
		c.CredentialsLast4 = &shown
	}
	if c.Sealed, err = s.deps.Box.Seal([]byte(credentials.Reveal()), purpose(c.Provider)); err != nil {
		return Connection{}, err
	}
	return s.write(ctx, actor, c, storeTx)
}

func (s *Service) validate(credentials sensitive.Credentials) error {
	text := credentials.Reveal()
	var fs fault.Fields
	switch {
	case s.deps.Provider == nil:
		return errNone
	case text == "":
		fs.Add("credentials", "parameter_missing", "Enter the API key and the signing secret.")
	case len(text) > maxCredentials:
		fs.Add("credentials", "parameter_invalid",
			fmt.Sprintf("Enter credentials of at most %d characters.", maxCredentials))
	case strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || r < ' ' && !unicode.IsSpace(r)
	}):
		fs.Add("credentials", "parameter_invalid",
			"Use only ASCII letters, digits, and punctuation. Copy the credentials from the provider again.")
	}
	return fs.Err()
}

// Test asks the provider what is missing, and keeps the answer. Faults as of [Service.Connect], and resource_missing if
// the deployment is not connected; nothing changes with one.
func (s *Service) Test(ctx context.Context, actor authz.Actor) (Connection, error) {
	if err := s.audit.Allow(ctx, actor, authz.DAFProviderManage, about()); err != nil {
		return Connection{}, err
	}
	c, err := s.Ask(ctx)
	if err != nil {
		return Connection{}, err
	}
	return s.write(ctx, actor, c, testedTx)
}

// Ask asks the provider what is missing, and keeps nothing. The faults are those of [Service.Test].
func (s *Service) Ask(ctx context.Context) (Connection, error) {
	if s.deps.Provider == nil {
		return Connection{}, errNone
	}
	c, err := find(ctx, s.deps.Pool, s.Provider())
	if err == nil && c == nil {
		err = fault.Missing()
	}
	if err != nil {
		return Connection{}, err
	}
	credentials, err := s.keys.open(*c)
	if err != nil {
		return Connection{}, err
	}
	if c.Missing, err = s.ask(ctx, credentials); err != nil {
		return Connection{}, err
	}
	c.TestedAt = instant.Of(s.deps.Now())
	return s.explained(*c), nil
}

func (s *Service) ask(ctx context.Context, credentials sensitive.Credentials) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	missing, err := s.deps.Provider.Check(ctx, credentials)
	switch {
	case errors.Is(err, provider.ErrCredentials):
		return nil, fault.Refused("daf_provider_rejected",
			"The provider rejected the API key, or it is a test key in production or a live key in a sandbox. "+
				"Check the key, then try again.").On("credentials")
	case err != nil:
		slog.WarnContext(ctx, "the DAF provider could not be tested", "provider", s.Provider(), "error", err.Error())
		return nil, fault.New(fault.KindUnavailable, "daf_provider_unreachable",
			"The provider could not be reached. Try again.").Because(err)
	}
	if missing == nil {
		missing = []string{}
	}
	return missing, nil
}

// storeTx writes credentials.
func storeTx(ctx context.Context, tx *pg.Tx, c Connection) (Connection, error) {
	return pg.One[Connection](ctx, tx, `
		INSERT INTO daf_provider_connections AS c (provider, credentials, credentials_last4, credentials_set_at, needs,
			tested_at, created_at, updated_at)
		VALUES (@provider, @credentials, @last4, @now, @needs, @now, @now, @now)
		ON CONFLICT (provider) DO UPDATE SET version = c.version + 1, credentials = excluded.credentials,
			credentials_last4 = excluded.credentials_last4, credentials_set_at = excluded.credentials_set_at,
			needs = excluded.needs, tested_at = excluded.tested_at, updated_at = excluded.updated_at
		RETURNING `+columns,
		pg.Args{"provider": c.Provider, "credentials": c.Sealed, "last4": c.CredentialsLast4, "needs": c.Missing,
			"now": c.TestedAt})
}

// testedTx writes the result of a test of the credentials that are still those of the connection.
func testedTx(ctx context.Context, tx *pg.Tx, c Connection) (Connection, error) {
	after, err := pg.One[Connection](ctx, tx, `
		UPDATE daf_provider_connections SET version = version + 1, needs = @needs, tested_at = @now, updated_at = @now
		WHERE provider = @provider AND version = @version RETURNING `+columns,
		pg.Args{"provider": c.Provider, "version": c.Version, "needs": c.Missing, "now": c.TestedAt})
	return after, pg.Or(err, fault.New(fault.KindChanged, "object_changed",
		"The connection was changed during the test. Test it again."))
}

// write stores a connection, and records who did it.
func (s *Service) write(ctx context.Context, actor authz.Actor, c Connection,
	store func(context.Context, *pg.Tx, Connection) (Connection, error)) (after Connection, err error) {
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, c.Provider)
		if err != nil {
			return err
		}
		if after, err = store(ctx, tx, c); err != nil {
			return err
		}
		if before == nil {
			return s.audit.DoneTx(tx, actor, authz.DAFProviderManage, about(), nil, after)
		}
		return s.audit.DoneTx(tx, actor, authz.DAFProviderManage, about(), *before, after)
	})
	return s.explained(after), err
}
