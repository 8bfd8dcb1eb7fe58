package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// turn is how many batches of one export are written before another one has its turn.
const turn = 10

// clockMargin is by how much the clocks of servers that make ids may differ.
const clockMargin = time.Second

// Run writes some batches of the export that has waited longest, and reports whether there was one.
// Any number of servers may run it; one that dies loses no more than the batch that it was at.
func (s *Service) Run(ctx context.Context) (bool, error) {
	worker := ids.NewRequest(s.deps.Now())
	e, ok, err := s.lease(ctx, worker, s.deps.Now())
	if !ok || err != nil {
		return false, err
	}
	for range turn {
		if e, err = s.step(ctx, worker, e); errors.Is(err, errLeaseLost) {
			return true, nil
		}
		if err != nil && ctx.Err() == nil {
			return false, errors.Join(err, s.stumble(ctx, worker, e, s.deps.Now()))
		}
		if err != nil || e.Status != "running" {
			break
		}
	}
	return true, errors.Join(err, s.leave(context.WithoutCancel(ctx), worker, e, s.deps.Now()))
}

// writer is the actor of an export: an application's server that sees the export's merchants alone.
func (e Export) writer() authz.Actor {
	a := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: e.ApplicationID}
	if e.Merchants != nil {
		a.Role, a.Restriction = authz.RoleRestrictedKey, &authz.Restriction{Rights: authz.Rights(),
			Merchants: e.Merchants}
	}
	return a
}

// step writes one batch and returns the export as it is then.
func (s *Service) step(ctx context.Context, worker ids.Request, e Export) (Export, error) {
	r := resources[e.Resource]
	var rows []json.RawMessage
	more := false
	if e.Merchants == nil || len(e.Merchants) > 0 { // a restriction to none would be none
		var err error
		if rows, more, err = r.rows(ctx, s, e.writer(), e); err != nil {
			return e, err
		}
	}
	rows, more, last := e.bounded(rows, more)
	content, err := e.render(r, rows)
	if err != nil {
		return e, err
	}
	sum, err := e.sum()
	if err != nil {
		return e, err
	}
	_, _ = sum.Write(content) // a hash never fails
	after := e
	if after.Digest, err = sum.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return e, err
	}
	now := s.deps.Now()
	after.Rows, after.Size, after.Chunks = e.Rows+int64(len(rows)), e.Size+int64(len(content)), e.Chunks+1
	if last != "" {
		after.Cursor = last
	}
	if !more {
		digest := hex.EncodeToString(sum.Sum(nil))
		after.Status, after.SHA256 = "done", &digest
		after.CompletedAt, after.ExpiresAt = instant.Ptr(now), instant.Ptr(now.Add(life))
	}
	packed, err := pack(content)
	if err != nil {
		return e, err
	}
	return after, s.keep(ctx, worker, after, now, packed)
}

func idIn(record json.RawMessage) string {
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(record, &r) // it was marshaled here
	return strings.Trim(string(r.ID), `"`)
}

// timeOf is the part of an id that tells its time; "" of a merchant's.
func timeOf(id string) string {
	_, ulid, _ := strings.Cut(id, "_")
	return ulid[:min(10, len(ulid))]
}

// bounded leaves out what was made after the export, and tells the last id that is left.
func (e Export) bounded(rows []json.RawMessage, more bool) ([]json.RawMessage, bool, string) {
	bound := timeOf(ids.NewExport(e.ID.Time().Add(clockMargin)).String())
	last := ""
	for i, r := range rows {
		id := idIn(r)
		if timeOf(id) > bound {
			return rows[:i], false, last
		}
		last = id
	}
	return rows, more, last
}

// render writes objects in the export's format; the first chunk of CSV begins with the names of columns.
func (e Export) render(r resource, rows []json.RawMessage) ([]byte, error) {
	var out bytes.Buffer
	if e.Format == "jsonl" {
		for _, row := range rows {
			out.Write(row)
			out.WriteByte('\n')
		}
		return out.Bytes(), nil
	}
	columns := e.Columns
	if columns == nil {
		columns = r.columns
	}
	w := csv.NewWriter(&out)
	if e.Chunks == 0 {
		if err := w.Write(columns); err != nil {
			return nil, err
		}
	}
	for _, row := range rows {
		line, err := cells(row, columns)
		if err != nil {
			return nil, err
		}
		if err := w.Write(line); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// sum is the checksum as it was after the last chunk.
func (e Export) sum() (hash.Hash, error) {
	sum := sha256.New()
	if e.Digest == nil {
		return sum, nil
	}
	return sum, sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(e.Digest)
}

func pack(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	err = errors.Join(err, w.Close()) // which writes the rest
	return out.Bytes(), err
}

// File is a finished file.
type File struct {
	Name   string
	Format string
	Size   int64
	// Write gives the file in parts, each of the size of a batch.
	Write func(ctx context.Context, to func([]byte) error) error
}

// errNotDone refuses the file of an export that has none.
func errNotDone(status string) error {
	if status == "expired" {
		return fault.New(fault.KindGone, "export_expired", "The file was kept for seven days. Create the export again.")
	}
	return fault.New(fault.KindConflict, "export_not_done", "This export has no file: it is "+status+".").With("status",
		status)
}

// File opens the file of an export that the actor sees, and whose objects it may read.
func (s *Service) File(ctx context.Context, actor authz.Actor, id string) (File, error) {
	e, err := s.Get(ctx, actor, id)
	if err != nil {
		return File{}, err
	}
	if err := authz.Reads(s.deps.Check, actor, resources[e.Resource].object); err != nil {
		return File{}, err
	}
	if e.Status != "done" {
		return File{}, errNotDone(e.Status)
	}
	write := func(ctx context.Context, to func([]byte) error) error {
		for n := 1; n <= e.Chunks; n++ {
			packed, err := pg.Value[[]byte](ctx, s.deps.Pool, `
				SELECT content FROM export_chunks WHERE application_id = @application_id AND export_id = @id
					AND number = @number`,
				pg.Args{"application_id": e.ApplicationID, "id": e.ID, "number": n})
			if err != nil {
				return err
			}
			r, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				return err
			}
			part, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			if err := to(part); err != nil {
				return err
			}
		}
		return nil
	}
	return File{Name: e.Resource + "-" + e.ID.String() + "." + e.Format, Format: e.Format, Size: e.Size,
		Write: write}, nil
}
