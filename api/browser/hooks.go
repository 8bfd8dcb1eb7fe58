package browser

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
)

// maxNotice is how large a notice may be, in bytes.
const maxNotice = 64 << 10

// HookConfig is what the addresses work with at which counterparties tell us something.
type HookConfig struct {
	DAF provider.Provider
	// ReceiveDAF writes an event down.
	ReceiveDAF func(ctx context.Context, e provider.Event) error
	Log        *slog.Logger
}

// RegisterHooks adds the addresses at which counterparties tell us something. What is signed is written down before
// it is answered, and what is not leaves nothing behind. What is made of it happens later: the sender need not wait,
// and learns nothing from us.
func RegisterHooks(r Router, c HookConfig) {
	r.Add(http.MethodPost, "/hooks/daf/:provider", c.daf)
}

func (h HookConfig) daf(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	status := h.takeDAF(c)
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	return c.String(status, http.StatusText(status)+"\n")
}

// takeDAF takes a notice in and tells the status of the answer.
func (h HookConfig) takeDAF(c echo.Context) int {
	r := c.Request()
	ctx := r.Context()
	if c.Param("provider") != h.DAF.Name() {
		return http.StatusNotFound
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, maxNotice))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case err != nil:
		return http.StatusBadRequest
	}
	e, err := h.DAF.Notice(ctx, r.Header, body)
	switch {
	case errors.Is(err, provider.ErrSignature):
		h.Log.WarnContext(ctx, "a notice is not signed as it should be", "provider", h.DAF.Name())
		return http.StatusUnauthorized
	case errors.Is(err, provider.ErrNotice):
		h.Log.ErrorContext(ctx, "a signed notice cannot be read", "provider", h.DAF.Name())
		return http.StatusBadRequest
	case err == nil:
		err = h.ReceiveDAF(ctx, e)
	}
	if err != nil { // the sender tries again
		h.Log.ErrorContext(ctx, "a notice could not be taken in", "provider", h.DAF.Name(), "error", err.Error())
		return http.StatusServiceUnavailable
	}
	return http.StatusNoContent
}
