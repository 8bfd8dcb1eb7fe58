package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"testing"
)

// fetch sends a GET that accepts an encoding, and returns the answer as it came over the wire.
func (s *site) fetch(t *testing.T, method, path, encoding string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", s.App.SecretKey)
	req.Header.Set("X-App-ID", strconv.FormatInt(s.App.AppID, 10))
	req.Header.Set("Accept-Encoding", encoding) // so that the client does not decompress
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d, %v", method, path, res.StatusCode, err)
	}
	return res, body
}

// Every list and object of JSON is compressed from 1 KiB on, for whom accepts it, and is the same JSON then; nothing
// else is.
func TestJSONIsCompressed(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, _ := s.charged(t)
	for path, want := range map[string]bool{"/api/charges": true, "/api/charges/" + id: true, "/api/merchants": true,
		"/merchants": true, "/api/payouts": false} {
		_, plain := s.fetch(t, http.MethodGet, path, "identity")
		res, packed := s.fetch(t, http.MethodGet, path, "gzip")
		if res.Header.Get("Vary") != "Accept-Encoding" || (res.Header.Get("Content-Encoding") == "gzip") != want ||
			(len(plain) >= compressFrom) != want {
			t.Errorf("%s: %v, %d bytes", path, res.Header, len(plain))
		}
		if !want {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || !bytes.Equal(text, plain) || len(packed) >= len(plain) {
			t.Errorf("%s: %d bytes compressed, %d plain, %v", path, len(packed), len(plain), err)
		}
		if res, _ := s.fetch(t, http.MethodHead, path, "gzip"); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("HEAD %s: %v", path, res.Header)
		}
	}
}
