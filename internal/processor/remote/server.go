package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// Handler serves a processor to the adapter. The client going away cancels no call: anyone who moves money
// does what it was asked.
func Handler(p processor.Processor) http.Handler {
	mux := http.NewServeMux()
	serve(mux, "authorize", func(ctx context.Context, a authorization) (processor.Answer, error) {
		a.Authorization.Card = a.Card.reveal()
		return p.Authorize(ctx, a.Authorization)
	})
	serve(mux, "debit", func(ctx context.Context, d debit) (processor.Answer, error) {
		d.Debit.Bank = d.Bank.reveal()
		return p.Debit(ctx, d.Debit)
	})
	serve(mux, "payout", func(ctx context.Context, out payout) (processor.Answer, error) {
		out.Payout.Bank = out.Bank.reveal()
		return p.Payout(ctx, out.Payout)
	})
	serve(mux, "start_verification", func(ctx context.Context, v verification) (processor.Answer, error) {
		v.VerificationRequest.Bank = v.Bank.reveal()
		return p.Start(ctx, v.VerificationRequest)
	})
	serve(mux, "confirm_verification", p.Confirm)
	serve(mux, "capture", p.Capture)
	serve(mux, "void", p.Void)
	serve(mux, "refund", p.Refund)
	serve(mux, "respond", p.Respond)
	serve(mux, "lookup", func(ctx context.Context, in lookedUp) (processor.Answer, error) {
		return p.Lookup(ctx, in.Account, in.Reference)
	})
	serve(mux, "messages", func(ctx context.Context, in messagesAfter) ([]notice.Message, error) {
		return p.Messages(ctx, in.After, in.Limit)
	})
	serve(mux, "events", p.Events)
	serve(mux, "notice", func(ctx context.Context, in noticed) ([]notice.Message, error) {
		return p.Notice(ctx, in.Account, in.Header, in.Body)
	})
	serve(mux, "book", func(ctx context.Context, in linesAfter) ([]processor.BookLine, error) {
		return p.Book(ctx, in.After, in.Limit)
	})
	serve(mux, "profile", p.Profile)
	serve(mux, "bank_name", func(ctx context.Context, in bankNamed) (string, error) {
		return p.BankName(ctx, in.Scheme, in.Routing)
	})
	return mux
}

func serve[In, Out any](mux *http.ServeMux, what string, call func(context.Context, In) (Out, error)) {
	mux.HandleFunc("POST /"+what, func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, "not what was expected", http.StatusBadRequest)
			return
		}
		out, err := call(context.WithoutCancel(r.Context()), in)
		switch {
		case errors.Is(err, processor.ErrNotFound):
			http.Error(w, "unknown", http.StatusNotFound)
		case err != nil:
			http.Error(w, "failed", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(out) // the caller may be gone
		}
	})
}
