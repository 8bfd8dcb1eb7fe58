package upload

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// columns lists what a File is read from.
const columns = `id, application_id, name, content_type, size, sha256, created_at`

// seen selects an application's files; to people of an organization those that its people submitted.
const seen = `application_id = @application_id AND (@organization::bigint = 0 OR organization_id = @organization)`

// Get returns a file of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (File, error) {
	if err := s.deps.Check.Check(actor, authz.FileRead); err != nil {
		return File{}, err
	}
	fileID, err := ids.ParseFile(id)
	if err != nil {
		return File{}, fault.Missing()
	}
	f, err := pg.Find[File](ctx, s.deps.Pool,
		`SELECT `+columns+` FROM files WHERE `+seen+` AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "organization": actor.OrganizationID, "id": fileID})
	return s.derive(f), err
}

// ListInput selects a page of files; what is not set selects all.
type ListInput struct {
	Page         page.Input[ids.File]
	Created      page.Times
	ContentTypes []string
}

// List returns one page of the application's files.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[File], error) {
	if err := s.deps.Check.Check(actor, authz.FileRead); err != nil {
		return page.Of[File]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"organization": actor.OrganizationID, "types": in.ContentTypes, "from": in.Created.From,
		"until": in.Created.Until}, s.derive)
}

const selectPage = `SELECT ` + columns + ` FROM files
	WHERE ` + seen + `
		AND (@types::text[] IS NULL OR content_type = ANY (@types))
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

// Several reads those of some files that exist for the actor, by their ids.
func (s *Service) Several(ctx context.Context, actor authz.Actor, files []ids.File) (map[ids.File]File, error) {
	if err := s.deps.Check.Check(actor, authz.FileRead); err != nil {
		return nil, err
	}
	all, err := pg.All[File](ctx, s.deps.Pool, `SELECT `+columns+` FROM files
		WHERE `+seen+` AND id = ANY (@files::uuid[])`,
		pg.Args{"application_id": actor.ApplicationID, "organization": actor.OrganizationID, "files": files})
	out := make(map[ids.File]File, len(all))
	for _, f := range all {
		out[f.ID] = s.derive(f)
	}
	return out, err
}

// Known returns those of some ids that are files which the actor sees, in no order.
func Known(ctx context.Context, q pg.Querier, actor authz.Actor, files []ids.File) ([]ids.File, error) {
	rows, err := pg.All[struct {
		ID ids.File `db:"id"`
	}](ctx, q, `SELECT id FROM files WHERE `+seen+` AND id = ANY (@files::uuid[])`,
		pg.Args{"application_id": actor.ApplicationID, "organization": actor.OrganizationID, "files": files})
	out := make([]ids.File, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out, err
}

// Whole is a file with its content.
type Whole struct {
	ID          ids.File `db:"id"`
	Name        string   `db:"name"`
	ContentType string   `db:"content_type"`
	Content     []byte   `db:"content"`
}

// Whole returns a file of the actor's application with its content; what [Service.Get] says of ids holds here too.
func (s *Service) Whole(ctx context.Context, actor authz.Actor, id string) (Whole, error) {
	if err := s.deps.Check.Check(actor, authz.FileRead); err != nil {
		return Whole{}, err
	}
	fileID, err := ids.ParseFile(id)
	if err != nil {
		return Whole{}, fault.Missing()
	}
	return pg.Find[Whole](ctx, s.deps.Pool, `SELECT id, name, content_type, content
		FROM files WHERE `+seen+` AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "organization": actor.OrganizationID, "id": fileID})
}

// Contents returns files of the application with their contents, in the order in which they are
// named, for a flow that hands them on.
func Contents(ctx context.Context, q pg.Querier, applicationID int64, files []ids.File) ([]Whole, error) {
	return pg.All[Whole](ctx, q, `
		SELECT id, name, content_type, content FROM files
		WHERE application_id = @application_id AND id = ANY (@files::uuid[])
		ORDER BY array_position(@files::uuid[], id)`,
		pg.Args{"application_id": applicationID, "files": files})
}
