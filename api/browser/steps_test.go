package browser

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestStepsNameTheNextPageInsteadOfARedirect(t *testing.T) {
	t.Parallel()
	e := echo.New()
	e.Use(Steps)
	e.POST("/go", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "https://fund.example/visit") })
	e.POST("/stay", func(c echo.Context) error { return c.String(http.StatusUnprocessableEntity, "wrong") })
	for _, c := range []struct {
		path, step     string
		status         int
		location, next string
	}{
		{"/go", "1", http.StatusOK, "", "https://fund.example/visit"},
		{"/go", "", http.StatusSeeOther, "https://fund.example/visit", ""},
		{"/stay", "1", http.StatusUnprocessableEntity, "", ""},
	} {
		request, response := httptest.NewRequest(http.MethodPost, c.path, nil), httptest.NewRecorder()
		request.Header.Set("Svcpay-Step", c.step)
		e.ServeHTTP(response, request)
		h := response.Header()
		if response.Code != c.status || h.Get("Location") != c.location || h.Get("Svcpay-Next") != c.next {
			t.Errorf("%s with %q: %d, %v", c.path, c.step, response.Code, h)
		}
	}
}
