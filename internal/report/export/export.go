package export

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
)

// life is how long a file is kept, by the machine's clock.
const life = 7 * 24 * time.Hour

// maxOpen is how many exports of an application may wait or be written at a time.
const maxOpen = 10

// Export is a file of all objects of a kind: the record and the API's object. Its own times are the
// machine's.
type Export struct {
	ID            ids.Export    `db:"id" json:"id"`
	Object        string        `db:"-" json:"object"`
	Version       int           `db:"version" json:"version"`
	Livemode      bool          `db:"-" json:"livemode"`
	ApplicationID int64         `db:"application_id" json:"-"`
	Resource      string        `db:"resource" json:"resource"`
	Format        string        `db:"format" json:"format"`
	Filters       Filters       `db:"filters" json:"filters"`
	Columns       []string      `db:"columns" json:"columns"`
	Status        string        `db:"status" json:"status"`
	Progress      Progress      `db:"-" json:"progress"`
	Size          int64         `db:"size" json:"size"` // bytes of the file so far
	SHA256        *string       `db:"sha256" json:"sha256"`
	File          *string       `db:"-" json:"file"` // its path, once it is done
	Error         *Error        `db:"error" json:"error"`
	CreatedAt     instant.Time  `db:"created_at" json:"created_at"`
	StartedAt     *instant.Time `db:"started_at" json:"started_at"`
	CompletedAt   *instant.Time `db:"completed_at" json:"completed_at"`
	ExpiresAt     *instant.Time `db:"expires_at" json:"expires_at"`
	UpdatedAt     instant.Time  `db:"updated_at" json:"updated_at"`

	Rows      int64   `db:"rows" json:"-"`
	Merchants []int64 `db:"merchants" json:"-"`
	Chunks    int     `db:"chunks" json:"-"`
	Cursor    string  `db:"cursor" json:"-"`
	Digest    []byte  `db:"digest" json:"-"`
	Failures  int     `db:"failures" json:"-"`
}

// Progress says how many objects have been written, and once it is known of how many.
type Progress struct {
	Done  int64  `json:"done"`
	Total *int64 `json:"total"`
}

// Error is why an export failed.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Filters are what a list of the resource is filtered by; nil members select all.
type Filters struct {
	CreatedAt  *Span    `json:"created_at,omitempty" absent:"all" default:"{}"`
	Status     []string `json:"status,omitempty" absent:"all"`
	MerchantID []int64  `json:"merchant_id,omitempty" absent:"all"`
}

// Span is a span of time in RFC 3339.
type Span struct {
	GTE *string `json:"gte,omitempty" absent:"all"`
	GT  *string `json:"gt,omitempty" absent:"all"`
	LTE *string `json:"lte,omitempty" absent:"all"`
	LT  *string `json:"lt,omitempty" absent:"all"`
}

// Input asks for an export.
type Input struct {
	Resource *string  `json:"resource"`
	Format   *string  `json:"format"`
	Filters  *Filters `json:"filters" absent:"all" default:"{}"`
	Columns  []string `json:"columns" absent:"all"` // of CSV; nil: all
}

// Formats lists the forms of a file.
func Formats() []string { return []string{"csv", "jsonl"} }

// Statuses lists every status of an export.
func Statuses() []string { return []string{"queued", "running", "done", "failed", "expired"} }

// Validate returns every mistake that can be seen without looking anything up.
func (in Input) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "resource", in.Resource, Resources()...)
	check.Choice(&fs, "format", in.Format, Formats()...)
	if in.Resource == nil || !slices.Contains(Resources(), *in.Resource) {
		return fs
	}
	r := resources[*in.Resource]
	if in.Filters != nil {
		in.Filters.validate(&fs, r)
	}
	if in.Columns != nil && in.Format != nil && *in.Format != "csv" {
		fs.Add("columns", "parameters_exclusive", "Only CSV has columns; JSONL has whole objects.")
	} else if in.Columns != nil && !r.has(in.Columns) {
		fs.Add("columns", "parameter_invalid",
			"1 to 200 of the columns that this resource has, each once; docs/search-and-exports.md lists them.")
	}
	return fs
}

func (f Filters) validate(fs *fault.Fields, r resource) {
	switch {
	case f.Status != nil && r.statuses == nil:
		fs.Add("filters.status", "parameter_invalid", "This resource has no status.")
	case slices.ContainsFunc(f.Status, func(s string) bool { return !slices.Contains(r.statuses, s) }):
		check.OneOf(fs, "filters.status", new(string), r.statuses...)
	}
	if slices.ContainsFunc(f.MerchantID, func(m int64) bool { return m < 1 }) {
		fs.Add("filters.merchant_id", "parameter_invalid", "Positive integers.")
	}
	if c := f.CreatedAt; c != nil {
		for name, text := range map[string]*string{"gte": c.GTE, "gt": c.GT, "lte": c.LTE, "lt": c.LT} {
			if _, err := time.Parse(time.RFC3339, or(text, "2026-12-01T09:30:00Z")); err != nil {
				fs.Add("filters.created_at."+name, "parameter_invalid", "A time such as 2026-12-01T09:30:00Z.")
			}
		}
		if c.GTE != nil && c.GT != nil || c.LTE != nil && c.LT != nil {
			fs.Add("filters.created_at", "parameters_exclusive", "Give gte or gt, and lte or lt, not both.")
		}
	}
}

func or(text *string, otherwise string) string {
	if text == nil {
		return otherwise
	}
	return *text
}

// times are the span that the filters hold created_at to.
func (f Filters) times() (out page.Times) {
	if f.CreatedAt == nil {
		return out
	}
	at := func(text *string, add time.Duration, into **time.Time) {
		if text != nil {
			t, _ := time.Parse(time.RFC3339, *text) // Validate has
			if t = t.UTC(); add > 0 {
				t = t.Truncate(add).Add(add)
			}
			*into = &t
		}
	}
	at(f.CreatedAt.GTE, 0, &out.From)
	at(f.CreatedAt.GT, time.Millisecond, &out.From)
	at(f.CreatedAt.LT, 0, &out.Until)
	at(f.CreatedAt.LTE, time.Millisecond, &out.Until)
	return out
}

var errTooMany = fault.New(fault.KindConflict, "exports_in_progress",
	"Ten exports of this application are not finished yet.")

// quota is what the exports of an application may store on a day, compressed: some three million charges. An export
// that has begun is finished, so a day has at most [maxOpen] exports more.
var quota = ratelimit.Quota{Kind: "exports", Most: 1 << 30}

var errQuota = fault.New(fault.KindLimited, "rate_limited",
	"The exports of this application have stored as much as they may on one day (1 GiB). Try again tomorrow (UTC).")

// Create queues an export of what the actor may read. Faults: those of [Input.Validate],
// exports_in_progress, rate_limited beyond the application's quota of the day, those of the key. claim may be nil.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in Input,
	claim *idempotency.Claim) (out idempotency.Result[Export], err error) {
	if err := s.audit.Allow(ctx, actor, authz.ExportCreate, audit.Of("export", "", 0)); err != nil {
		return out, err
	}
	if err := in.Validate().Err(); err != nil {
		return out, err
	}
	if err := authz.Reads(s.deps.Check, actor, resources[*in.Resource].object); err != nil {
		return out, err
	}
	now := s.deps.Now()
	e := Export{ID: ids.NewExport(now), Version: 1, ApplicationID: actor.ApplicationID, Resource: *in.Resource,
		Format:  *in.Format,
		Columns: in.Columns, Status: "queued", CreatedAt: instant.Of(now), UpdatedAt: instant.Of(now)}
	if in.Filters != nil {
		e.Filters = *in.Filters
	}
	e.Merchants = actor.Within(e.Filters.MerchantID)
	return idempotency.Once(ctx, s.deps.Pool, claim, now, e.ID.Bytes(), func(tx *pg.Tx) (Export, error) {
		if err := insertTx(ctx, tx, e); err != nil {
			return e, err
		}
		return s.derive(e), s.audit.DoneTx(tx, actor, authz.ExportCreate, audit.Of("export", e.ID.String(), 0), nil,
			s.derive(e))
	})
}

// derive fills the members that follow from others.
func (s *Service) derive(e Export) Export {
	e.Object, e.Livemode, e.Progress = "export", s.deps.Livemode, Progress{Done: e.Rows}
	if e.CompletedAt != nil {
		e.Progress.Total = &e.Rows
	}
	if e.Status == "done" {
		path := "/api/exports/" + e.ID.String() + "/file"
		e.File = &path
	}
	return e
}

// Get returns an export that the actor sees: one of none but merchants that the actor sees.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Export, error) {
	if err := s.deps.Check.Check(actor, authz.ExportRead); err != nil {
		return Export{}, err
	}
	exportID, err := ids.ParseExport(id)
	if err != nil {
		return Export{}, fault.Missing()
	}
	e, err := pg.Find[Export](ctx, s.deps.Pool, selected+` AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "seen": actor.Within(nil), "id": exportID})
	return s.derive(e), err
}

// ListInput selects a page of exports; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Export]
	Created   page.Times
	Statuses  []string
	Resources []string
}

// List returns one page of the application's exports that the actor sees.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Export], error) {
	if err := s.deps.Check.Check(actor, authz.ExportRead); err != nil {
		return page.Of[Export]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selected+`
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@resources::text[] IS NULL OR resource = ANY (@resources))
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`,
		pg.Args{"application_id": actor.ApplicationID, "seen": actor.Within(nil), "statuses": in.Statuses,
			"resources": in.Resources, "from": in.Created.From, "until": in.Created.Until}, s.derive)
}
