package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	files "svcpay/internal/upload"
)

func (a *API) fileRoutes() []route {
	return []route{
		{http.MethodPost, "/api/files", "", authz.FileCreate, streams, uploads(files.MaxSize, files.ContentTypes(), a.createFile)},
		{http.MethodGet, "/api/files", "", authz.FileRead, grows, lists(fileList, a.Uploads.List)},
		{http.MethodGet, "/api/files/:id", "", authz.FileRead, constant, get(a.Uploads.Get)},
		{http.MethodGet, "/api/files/:id/content", "", authz.FileRead, streams, documents(files.ContentTypes(), a.fileContent)},
	}
}

func (a *API) createFile(ctx context.Context, req *request, q *query, f upload,
	claim *idempotency.Claim) (reply, error) {
	in := files.CreateInput{ContentType: f.media, Content: f.content}
	var once bool
	if in.Name, once = q.value("name"); once || !q.values.Has("name") { // the mistake of one that is repeated is told
		q.fs = append(q.fs, in.Validate()...)
	}
	if err := q.err(); err != nil {
		return reply{}, err
	}
	out, err := a.Uploads.Create(ctx, req.actor, in, claim)
	return made(http.StatusCreated, "/api/files", out), err
}

func (a *API) fileContent(ctx context.Context, req *request, id string, q *query) (reply, error) {
	if err := q.err(); err != nil {
		return reply{}, err
	}
	f, err := a.Uploads.Whole(ctx, req.actor, id)
	return reply{raw: f.Content, media: f.ContentType, file: f.Name}, err
}

func fileList(q *query) files.ListInput {
	return files.ListInput{Page: pageOf(q, ids.ParseFile), Created: q.times("created_at"),
		ContentTypes: q.words("content_type", files.ContentTypes())}
}
