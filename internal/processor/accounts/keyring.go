package accounts

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Keyring opens the credentials of connected accounts for their adapters.
type Keyring struct {
	pool *pgxpool.Pool
	box  *seal.Box // nil where no credentials can be opened
}

// NewKeyring makes a keyring.
func NewKeyring(pool *pgxpool.Pool, box *seal.Box) Keyring { return Keyring{pool, box} }

// Credentials opens those of an account, for its adapter; the zero ones if it has none. An account that no one
// connected has none. Each call reads the current ones: of an account that is connected to a platform those of the
// platform, with the platform's external ID.
func (k Keyring) Credentials(ctx context.Context, of processor.Account) (sensitive.Credentials, error) {
	a, err := find(ctx, k.pool, of)
	switch {
	case err != nil || a == nil:
		return sensitive.Credentials{}, err
	case a.PlatformID == nil:
		return k.open(*a)
	}
	platform, err := pg.One[Account](ctx, k.pool, `SELECT `+columns+` FROM processor_accounts WHERE id = @id`,
		pg.Args{"id": *a.PlatformID})
	if err != nil {
		return sensitive.Credentials{}, err
	}
	credentials, err := k.open(platform)
	return connectedTo(platform, credentials), err
}

// connectedTo are the credentials of the accounts that are connected to a platform with these.
func connectedTo(platform Account, credentials sensitive.Credentials) sensitive.Credentials {
	if credentials.IsZero() {
		return credentials
	}
	return sensitive.NewCredentials(credentials.Reveal() + "\n" + platform.External)
}

// open opens the credentials of a record.
func (k Keyring) open(a Account) (sensitive.Credentials, error) {
	if a.Sealed == nil {
		return sensitive.Credentials{}, nil
	}
	if k.box == nil {
		return sensitive.Credentials{},
			errors.New("accounts: this command does not read the key that opens credentials")
	}
	text, err := k.box.Open(a.Sealed, purpose(a.ID))
	return sensitive.NewCredentials(string(text)), err
}

// ID is the ID of a connected account's record, "" if it is not connected. No other deployment has the same.
func (k Keyring) ID(ctx context.Context, of processor.Account) (string, error) {
	a, err := find(ctx, k.pool, of)
	if err != nil || a == nil {
		return "", err
	}
	return a.ID.String(), nil
}

// connected is an account of an adapter.
type connected struct {
	External string `db:"external_account"`
}

// Connected are the accounts of an adapter, active or not: what happens at a disabled one still matters.
func (k Keyring) Connected(ctx context.Context, adapter string) ([]processor.Account, error) {
	rows, err := pg.All[connected](ctx, k.pool, `SELECT external_account FROM processor_accounts
		WHERE processor = @processor ORDER BY id`, pg.Args{"processor": adapter})
	all := make([]processor.Account, len(rows))
	for i, row := range rows {
		all[i] = processor.Account{Adapter: adapter, External: row.External}
	}
	return all, err
}
