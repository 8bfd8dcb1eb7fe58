package merchant

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
)

// AssociationPath is where a website that shows wallet A hosts the association file.
const AssociationPath = "/.well-known/wallet-a-developer-merchantid-domain-association"

// AssociationFile is a version of the file that wallet A's provider gave the deployment. Versions count from 1.
type AssociationFile struct {
	Version     int64        `db:"version"`
	Content     string       `db:"content"`
	InstalledAt instant.Time `db:"installed_at"`
}

// Fingerprint begins the SHA-256 of the file, by which people compare two.
func (f AssociationFile) Fingerprint() string {
	sum := sha256.Sum256([]byte(f.Content))
	return hex.EncodeToString(sum[:8])
}

// entry is what the audit log says of a file.
func (f AssociationFile) entry() any {
	if f.Version == 0 {
		return nil
	}
	return map[string]any{"version": f.Version, "bytes": len(f.Content), "sha256": f.Fingerprint()}
}

// Served says how many domains of the deployment were last seen with the association file, and of how many merchants.
type Served struct {
	Domains   int64 `db:"domains"`
	Merchants int64 `db:"merchants"`
}

// associationFile is what the audit log calls the file. It is the deployment's.
func associationFile() audit.Subject {
	return audit.Subject{Kind: "association_file", Chain: new(int64)}
}

// Decoded is the JSON object that an association file is, whether it is written as such or in hexadecimal digits; nil
// for what is no association file.
func (f AssociationFile) Decoded() (out map[string]json.RawMessage) {
	text := bytes.TrimSpace([]byte(f.Content))
	if decoded, err := hex.DecodeString(string(text)); err == nil {
		text = decoded
	}
	if !utf8.Valid(text) || json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// Check reports whether a text can be the association file: one that a check of a website reads whole, in one of the
// forms that wallet A's provider gives it in.
func (f AssociationFile) Check() error {
	if n := len(f.Content); n == 0 || n > safehttp.MaxBody {
		return fault.Invalid("file_invalid",
			fmt.Sprintf("The association file has 1 to %d bytes.", safehttp.MaxBody)).On("content")
	}
	if len(f.Decoded()) == 0 || !utf8.ValidString(f.Content) || strings.Contains(f.Content, "\x00") {
		return fault.Invalid("file_invalid",
			"This is not an association file, which is a JSON object, or one in hexadecimal digits. "+
				"Download the file from wallet A's provider again and use all of it.").On("content")
	}
	return nil
}

// InstallAssociation replaces the association file and returns the one that is installed then. Former versions are
// kept. With over, the file is replaced only if that is still its version, 0 for none; else the fault is
// object_changed.
func (s *Service) InstallAssociation(ctx context.Context, actor authz.Actor, content []byte,
	over *int64) (out AssociationFile, err error) {
	if err := s.audit.Allow(ctx, actor, authz.AssociationWrite, associationFile()); err != nil {
		return out, err
	}
	if err := (AssociationFile{Content: string(content)}).Check(); err != nil {
		return out, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.installTx(ctx, tx, actor, string(content), over)
		return err
	})
	return out, err
}

// UndoAssociation installs the file again that was replaced by a version, if that is still installed. The faults are
// resource_missing and object_changed.
func (s *Service) UndoAssociation(ctx context.Context, actor authz.Actor, version int64) error {
	if err := s.audit.Allow(ctx, actor, authz.AssociationWrite, associationFile()); err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		content, err := pg.Value[string](ctx, tx, `SELECT content FROM wallet_a_domain_files
			WHERE version = @version::bigint - 1`, pg.Args{"version": version})
		if err = pg.Or(err, fault.Missing()); err != nil {
			return err
		}
		_, err = s.installTx(ctx, tx, actor, content, &version)
		return err
	})
}

// installTx writes the file and its audit entry. The database counts the versions and keeps them.
func (s *Service) installTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, content string,
	over *int64) (AssociationFile, error) {
	was, err := pg.One[AssociationFile](ctx, tx, selectAssociation+` FOR UPDATE`, pg.Args{})
	if err != nil && !errors.Is(err, pg.ErrNone) {
		return was, err
	}
	if over != nil && *over != was.Version {
		return was, errOtherFile
	}
	if was.Content == content {
		return was, nil
	}
	is, err := pg.One[AssociationFile](ctx, tx, `
		INSERT INTO wallet_a_domain_file AS f (content, installed_at) VALUES (@content, @now)
		ON CONFLICT (single) DO UPDATE SET content = excluded.content, installed_at = excluded.installed_at
			WHERE f.version = @was
		RETURNING version, content,
			installed_at`, pg.Args{"content": content, "now": s.deps.Clock.Machine(), "was": was.Version})
	if err = pg.Or(err, errOtherFile); err != nil { // the first file was installed by someone else just now
		return was, err
	}
	return is, s.audit.DoneTx(tx, actor, authz.AssociationWrite, associationFile(), was.entry(), is.entry())
}

// errOtherFile is the fault of a change that was based on another file than the one that is installed.
var errOtherFile = fault.New(fault.KindChanged, "object_changed",
	"Another association file has been installed since. Compare your file with it, then confirm again.")

const selectAssociation = `SELECT version, content, installed_at FROM wallet_a_domain_file`

// Association returns the association file. It is public: every website that shows wallet A hosts it. The fault is
// resource_missing until one is installed.
func (s *Service) Association(ctx context.Context) (AssociationFile, error) {
	out, err := pg.One[AssociationFile](ctx, s.deps.Pool, selectAssociation, pg.Args{})
	return out, pg.Or(err, fault.New(fault.KindNotFound, "resource_missing", "There is no association file yet."))
}

// formerFiles is how many former versions people see.
const formerFiles = 10

// FormerAssociations returns the latest versions before the present file, and which domains serve that.
func (s *Service) FormerAssociations(ctx context.Context, actor authz.Actor) (former []AssociationFile, now Served,
	err error) {
	if err := s.deps.Check.Check(actor, authz.AssociationWrite); err != nil {
		return nil, now, err
	}
	former, err = pg.All[AssociationFile](ctx, s.deps.Pool, `
		SELECT version, content, installed_at FROM wallet_a_domain_files
		WHERE version < (SELECT version FROM wallet_a_domain_file)
			ORDER BY version DESC LIMIT @limit`, pg.Args{"limit": formerFiles})
	if err != nil {
		return nil, now, err
	}
	now, err = pg.One[Served](ctx, s.deps.Pool, `
		SELECT count(*) AS domains, count(DISTINCT (application_id, merchant_id)) AS merchants
		FROM merchant_domains WHERE status = 'verified'`, pg.Args{})
	return former, now, err
}
