package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// bytesPerSecond is how fast a large body must arrive at least. Each second's worth of it prolongs the time that a
// server has for the whole request.
const bytesPerSecond = 512 << 10

// receive reads the body of a request, if the route takes one, before the request has a place among those at work: it
// may arrive slowly, or never. While it arrives, it has one of the places for bodies, or, if the route streams, the
// place that it keeps until the response has been sent.
func (a *API) receive(c echo.Context, req *request, r route) (io.ReadCloser, error) {
	ctx := c.Request().Context()
	if r.class == streams {
		if err := a.limiter.stream(ctx, req); err != nil {
			c.Response().Header().Set("Connection", "close")
			return nil, err
		}
	}
	if r.handler.takes == 0 || c.Request().ContentLength == 0 {
		return nil, nil
	}
	if r.class != streams {
		leave, err := placeOf(ctx, req, a.limiter.bodies, "requests")
		if err != nil {
			// else the server would wait for the body before it answers
			c.Response().Header().Set("Connection", "close")
			return nil, err
		}
		defer leave()
	}
	return received(c, req.began, r.handler.takes), nil
}

// received is a body of at most limit bytes, and one more to show that it is longer, with the error that ended it.
func received(c echo.Context, began time.Time, limit int) io.ReadCloser {
	from := io.LimitReader(c.Request().Body, int64(limit)+1)
	patient := time.Duration(0)
	if server, ok := c.Request().Context().Value(http.ServerContextKey).(*http.Server); ok {
		patient = server.ReadTimeout
	}
	var got bytes.Buffer
	for {
		_, err := io.CopyN(&got, from, bytesPerSecond)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return arrived{io.MultiReader(&got, ended{err})}
		}
		if patient > 0 {
			more := time.Duration(got.Len()/bytesPerSecond) * time.Second
			// An error leaves the body the time that it has.
			_ = http.NewResponseController(c.Response()).SetReadDeadline(began.Add(patient + more))
		}
	}
}

// arrived is a body that has been read.
type arrived struct{ io.Reader }

// Close does nothing: the server closes what it was read from.
func (arrived) Close() error { return nil }

// ended ends a body with the error that it was read with, or as whole.
type ended struct{ err error }

// Read implements io.Reader.
func (e ended) Read([]byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return 0, io.EOF
}
