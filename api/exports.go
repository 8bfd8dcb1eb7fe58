package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/report/export"
)

const mediaJSONL = "application/jsonl"

func (a *API) exportRoutes() []route {
	return []route{
		{http.MethodPost, "/api/exports", "", authz.ExportCreate, constant, creates("/api/exports", a.Exports.Create)},
		{http.MethodGet, "/api/exports", "", authz.ExportRead, grows, lists(exportList, a.Exports.List)},
		{http.MethodGet, "/api/exports/:id", "", authz.ExportRead, constant, get(a.Exports.Get)},
		{http.MethodGet, "/api/exports/:id/file", "", authz.ExportRead, streams, documents([]string{mediaCSV, mediaJSONL}, a.exportFile)},
	}
}

func exportList(q *query) export.ListInput {
	return export.ListInput{Page: pageOf(q, ids.ParseExport), Created: q.times("created_at"),
		Statuses: q.words("status", export.Statuses()), Resources: q.words("resource", export.Resources())}
}

func (a *API) exportFile(ctx context.Context, req *request, id string, q *query) (reply, error) {
	if err := q.err(); err != nil {
		return reply{}, err
	}
	f, err := a.Exports.File(ctx, req.actor, id)
	media := mediaJSONL
	if f.Format == "csv" {
		media = mediaCSV + "; charset=utf-8"
	}
	return reply{media: media, file: f.Name, size: f.Size, parts: f.Write}, err
}

// partTimeout is how long the caller may take for one part of a large file.
const partTimeout = 30 * time.Second

// writeParts sends a large file part by part. Each part has its own time; the request's would be too
// short for the whole. A file that breaks off is shorter than its Content-Length says; one without breaks the
// connection off, which is the error [http.ErrAbortHandler].
func (a *API) writeParts(c echo.Context, r reply) error {
	w := c.Response()
	w.Header().Set(echo.HeaderContentType, r.media)
	if r.size > 0 {
		w.Header().Set(echo.HeaderContentLength, strconv.FormatInt(r.size, 10))
	}
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	err := r.parts(context.WithoutCancel(c.Request().Context()), func(part []byte) error {
		if err := control.SetWriteDeadline(a.Now().Add(partTimeout)); err != nil {
			return err
		}
		_, err := w.Write(part)
		return err
	})
	if err == nil {
		return nil
	}
	a.Log.WarnContext(c.Request().Context(), "a file was not sent whole", "route", c.Path(), "error", err.Error())
	if r.size > 0 {
		return nil
	}
	return http.ErrAbortHandler
}

// parts makes a writer of what sends the parts of a file.
type parts func(part []byte) error

func (send parts) Write(part []byte) (int, error) {
	if err := send(part); err != nil {
		return 0, err
	}
	return len(part), nil
}

// exportCodes are those of exports.
var exportCodes = []code{
	{Name: "exports_in_progress", Kind: fault.KindConflict,
		Meaning: "Ten exports of the application wait or are being written.",
		Remedy:  "Wait until one is done.",
		Message: "Ten exports of this application are not finished yet."},
	{Name: "export_not_done", Kind: fault.KindConflict, Members: []string{"status"},
		Meaning: "The export has no file: it waits, is being written or has failed; status tells which.",
		Remedy:  "Read the export until it is done. Create it again if it failed.",
		Message: "This export has no file: it is queued."},
	{Name: "export_expired", Kind: fault.KindGone,
		Meaning: "The export's file was kept for seven days.",
		Remedy:  "Create the export again.",
		Message: "The file was kept for seven days. Create the export again."},
}
