package browser

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// maxNotice is how large a notice may be, in bytes.
const maxNotice = 256 << 10

// HookConfig is what receives the notices of counterparties.
type HookConfig struct {
	// Notice stores a notice that a processor sent for an account; GrantNotice, one of that provider of donor-advised
	// funds.
	Notice      func(ctx context.Context, account processor.Account, header http.Header, body []byte) error
	GrantNotice func(ctx context.Context, provider string, header http.Header, body []byte) error
	// Noticed counts a notice by its sender, such as processor/sandbox, and result: accepted, refused or failed.
	Noticed func(sender, result string)
	// Limit bounds how often one address can have notices refused.
	Limit *Limit
	Log   *slog.Logger
}

// RegisterHooks adds the addresses to which counterparties send notices. A signed notice is stored before
// it is answered; one that is refused leaves nothing behind. It is handled later: the sender need not wait,
// and learns nothing from us.
func RegisterHooks(r Router, c HookConfig) {
	r.Add(http.MethodPost, "/hooks/daf/:provider", func(in echo.Context) error {
		sender := "daf/" + in.Param("provider")
		return c.answer(in, sender, sender, func(ctx context.Context, header http.Header, body []byte) error {
			return c.GrantNotice(ctx, in.Param("provider"), header, body)
		})
	})
	r.Add(http.MethodPost, "/hooks/:processor/:account", func(in echo.Context) error {
		account := processor.Account{Adapter: in.Param("processor"), External: in.Param("account")}
		if in.Request().URL.RawPath != "" { // echo matches the escaped path if it differs from the plain one
			external, err := url.PathUnescape(account.External)
			if err != nil {
				return in.NoContent(http.StatusNotFound)
			}
			account.External = external
		}
		sender := "processor/" + account.Adapter
		return c.answer(in, sender, sender+"/"+account.External,
			func(ctx context.Context, header http.Header, body []byte) error {
				return c.Notice(ctx, account, header, body)
			})
	})
}

// receive stores a notice.
type receive func(ctx context.Context, header http.Header, body []byte) error

// answer stores a notice of a sender for a receiver, which is one of its accounts, and answers it.
func (h HookConfig) answer(c echo.Context, sender, receiver string, take receive) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	if refused := h.Limit.refuses(c, receiver); refused != nil {
		retryLater(c, refused)
		return c.String(http.StatusTooManyRequests, http.StatusText(http.StatusTooManyRequests)+"\n")
	}
	status := h.take(c, sender, take)
	if status != http.StatusServiceUnavailable {
		h.Limit.noticed(c, receiver, status == http.StatusNoContent)
	}
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	return c.String(status, http.StatusText(status)+"\n")
}

// take stores a notice and returns the status of the answer.
func (h HookConfig) take(c echo.Context, sender string, take receive) int {
	r := c.Request()
	ctx := r.Context()
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, maxNotice))
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case large:
		return http.StatusRequestEntityTooLarge
	case err != nil:
		return http.StatusBadRequest
	}
	err = take(ctx, r.Header, body)
	switch {
	case err == nil:
		h.Noticed(sender, "accepted")
		return http.StatusNoContent
	case errors.Is(err, notice.ErrNoSender): // anyone can invent names: they are not counted
		return http.StatusNotFound
	case errors.Is(err, notice.ErrSignature):
		h.Noticed(sender, "refused")
		h.Log.WarnContext(ctx, "a notice has no valid signature", "sender", sender)
		return http.StatusUnauthorized
	case errors.Is(err, notice.ErrUnreadable):
		h.Noticed(sender, "refused")
		h.Log.ErrorContext(ctx, "a signed notice cannot be read", "sender", sender)
		return http.StatusBadRequest
	}
	h.Noticed(sender, "failed")
	// the sender tries again
	h.Log.ErrorContext(ctx, "a notice could not be stored", "sender", sender, "error", err.Error())
	return http.StatusServiceUnavailable
}
