package shop

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAssociationFileIsHosted(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(http.StatusOK, "7B22\n"), says(http.StatusNotFound, "{}"), hangsUp)
	look := func() *httptest.ResponseRecorder {
		res := httptest.NewRecorder()
		b.shop.ServeHTTP(res, httptest.NewRequest(http.MethodGet, associationPath, nil))
		return res
	}
	if res := look(); res.Code != http.StatusOK || res.Body.String() != "7B22\n" ||
		res.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %v %s", res.Code, res.Header(), res.Body)
	}
	for range 2 {
		if res := look(); res.Code != http.StatusNotFound {
			t.Errorf("%d %s", res.Code, res.Body)
		}
	}
	for _, c := range b.api.seen() {
		if c.method != http.MethodGet || c.path != "/files/wallet-a-domain" || c.header.Get("X-API-Key") != "" {
			t.Errorf("called %s %s %v", c.method, c.path, c.header)
		}
	}
}
