package merchant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"svcpay/internal/audit"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/pg"
	"svcpay/internal/safehttp"
)

// AssociationPath is where a website that shows wallet A hosts the association file.
const AssociationPath = "/.well-known/wallet-a-developer-merchantid-domain-association"

// InstallAssociation keeps the file that wallet A's provider gave the deployment, in the place of the one
// before. It must be a text that a check of a website reads whole.
func (s *Service) InstallAssociation(ctx context.Context, actor authz.Actor, content []byte) error {
	about := audit.Subject{Kind: "association_file", Chain: new(int64)}
	if err := s.audit.Allow(ctx, actor, authz.AssociationWrite, about); err != nil {
		return err
	}
	if n := len(content); n == 0 || n > safehttp.MaxBody || !utf8.Valid(content) || strings.Contains(string(content), "\x00") {
		return fault.Invalid("file_invalid", fmt.Sprintf("The association file is a text of 1 to %d bytes.", safehttp.MaxBody)).On("content")
	}
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		tx.Later(`
			INSERT INTO wallet_a_domain_file (content, installed_at) VALUES (@content, @now)
			ON CONFLICT (single) DO UPDATE SET content = excluded.content, installed_at = excluded.installed_at`,
			pg.Args{"content": string(content), "now": s.Clock.Machine()})
		return s.audit.DoneTx(tx, actor, authz.AssociationWrite, about, nil, nil)
	})
}

// Association returns the association file. Everybody may have it: every website that shows wallet A
// does. The fault is resource_missing until one is installed.
func (s *Service) Association(ctx context.Context) ([]byte, error) {
	text, err := pg.Value[string](ctx, s.Pool, `SELECT content FROM wallet_a_domain_file`, pg.Args{})
	if errors.Is(err, pg.ErrNone) {
		err = fault.New(fault.KindNotFound, "resource_missing", "There is no association file yet.")
	}
	return []byte(text), err
}
