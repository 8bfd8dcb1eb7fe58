// Package upload keeps files that an application uploads, such as the evidence of a dispute. A file never changes, and
// its content is checked to be of its declared type.
package upload

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
)

// File is the record and the API's object: what there is to know of a file but its content.
type File struct {
	ID            ids.File     `db:"id" json:"id"`
	Object        string       `db:"-" json:"object"`
	Livemode      bool         `db:"-" json:"livemode"`
	ApplicationID int64        `db:"application_id" json:"-"`
	Name          string       `db:"name" json:"name"`
	ContentType   string       `db:"content_type" json:"content_type"`
	Size          int          `db:"size" json:"size"` // bytes
	SHA256        string       `db:"sha256" json:"sha256"`
	CreatedAt     instant.Time `db:"created_at" json:"created_at"`
}

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Livemode bool
	Clock    *clock.Clock
}

// Service holds the use-cases of files.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, audit.New(d.Pool, d.Check, d.Clock.Machine)} }

// derive fills the members that follow from others.
func (s *Service) derive(f File) File {
	f.Object, f.Livemode = "file", s.deps.Livemode
	return f
}

// draft is the record of a checked input.
func (s *Service) draft(id ids.File, applicationID int64, in CreateInput, contentType string, now time.Time) File {
	sum := sha256.Sum256(in.Content)
	return s.derive(File{ID: id, ApplicationID: applicationID, Name: safeName(in.Name), ContentType: contentType,
		Size: len(in.Content), SHA256: hex.EncodeToString(sum[:]), CreatedAt: instant.Of(now)})
}
