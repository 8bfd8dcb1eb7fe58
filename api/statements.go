package api

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/report/statement"
)

const (
	mediaCSV = "text/csv"
	mediaPDF = "application/pdf"
)

// formats are the forms of a document by what asks for them in the query.
var formats = map[string]string{"json": mediaJSON, "csv": mediaCSV, "pdf": mediaPDF}

func (a *API) statementRoutes() []route {
	return []route{
		{http.MethodGet, "/api/merchants/:id/statement", "", authz.StatementRead, grows,
			monthly[statement.Statement]{"statement", a.Statements.Get, a.Statements.CSV, statement.PDF}.handler()},
		{http.MethodGet, "/api/merchants/:id/daf_invoice", "", authz.StatementRead, grows,
			monthly[statement.DAFInvoice]{"daf-invoice", a.Statements.DAFInvoice, a.Statements.DAFInvoiceCSV,
				statement.DAFInvoicePDF}.handler()},
		{http.MethodGet, "/api/charges/:id/timeline", "", authz.ChargeRead, constant, listsOf(timelinePage, a.Timelines.OfCharge)},
		{http.MethodGet, "/api/dafDonations/:id/timeline", "", authz.DonationRead, constant, listsOf(timelinePage, a.Timelines.OfDonation)},
	}
}

func timelinePage(q *query) page.Input[ids.Happening] { return pageOf(q, ids.ParseHappening) }

// monthly is what is notified of a merchant's month in every form.
type monthly[T any] struct {
	name string // begins those of files
	read func(context.Context, authz.Actor, statement.MonthInput) (T, error)
	csv  func(context.Context, authz.Actor, statement.MonthInput, io.Writer) error
	pdf  func(T, statement.Paper, io.Writer) error
}

// handler answers in the form that the query asks for, else in the one that the caller accepts.
func (m monthly[T]) handler() handler {
	return documents([]string{mediaJSON, mediaCSV, mediaPDF},
		func(ctx context.Context, req *request, id string, q *query) (reply, error) {
			in := statement.MonthInput{MerchantID: positive(id), Month: monthIn(q, "month")}
			media := cmp.Or(formats[oneOf(q, "format", "json", "csv", "pdf")], req.media)
			paper := statement.Paper(cmp.Or(oneOf(q, "paper", "letter", "a4"), "letter"))
			if err := q.err(); err != nil {
				return reply{}, err
			}
			name := fmt.Sprintf("%s-%d-%s", m.name, in.MerchantID, in.Month)
			object, err := m.read(ctx, req.actor, in)
			switch {
			case err != nil || media == mediaJSON:
				return reply{object: object}, err
			case media == mediaCSV: // a line for each entry, however many there are
				return reply{media: mediaCSV + "; charset=utf-8", file: name + ".csv",
					parts: func(ctx context.Context, send func([]byte) error) error {
						return m.csv(ctx, req.actor, in, parts(send))
					}}, nil
			}
			var file bytes.Buffer
			err = m.pdf(object, paper, &file)
			return reply{raw: file.Bytes(), media: mediaPDF, file: name + ".pdf"}, err
		})
}

// monthIn reads a month, which must be there.
func monthIn(q *query, name string) string {
	text, ok := q.value(name)
	if !q.values.Has(name) {
		check.Required(&q.fs, name, false)
	} else if _, err := time.Parse("2006-01", text); ok && err != nil {
		q.refuse(name, "A month such as 2026-11.")
	}
	return text
}

// oneOf reads one of some words; "" when the parameter is absent.
func oneOf(q *query, name string, allowed ...string) string {
	text, ok := q.value(name)
	if ok && !slices.Contains(allowed, text) {
		q.refuse(name, check.AllowedValues(allowed...))
	}
	return text
}
