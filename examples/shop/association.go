package shop

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// associationPath is where wallet A looks for the file that says whose website this is.
const associationPath = "/.well-known/wallet-a-developer-merchantid-domain-association"

// maxFile bounds the file, in bytes.
const maxFile = 16 << 10

// association hosts the file that SvcPay gives to everybody. A website may as well keep a copy.
func (s *shop) association(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readLimit)
	defer cancel()
	content, err := s.api.associationFile(ctx)
	if err != nil {
		s.log.Warn("there is no association file", "error", err)
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(content)
}

// associationFile reads the file, for which no credentials are needed.
func (c *apiClient) associationFile(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/files/wallet-a-domain", nil)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the API answered %d", res.StatusCode)
	}
	return io.ReadAll(io.LimitReader(res.Body, maxFile))
}
