package browser

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/static"
)

// maxProbed bounds how much of a file is read, in bytes: more than any file has.
const maxProbed = 8 << 20

// probeAgent is a browser's: a file that was changed may be sent to browsers alone.
const probeAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/142.0.0.0 Safari/537.36"

// probedHeaders are the headers that are compared: those that protect a page, and those by which one could be changed.
var probedHeaders = []string{"Access-Control-Allow-Origin", "Content-Security-Policy", "Content-Type",
	"Cross-Origin-Embedder-Policy", "Cross-Origin-Resource-Policy", "Link", "Referrer-Policy", "Refresh",
	"Reporting-Endpoints", "X-Content-Type-Options"}

// Probe compares what payers' browsers get of a pay origin with what this build serves.
type Probe struct {
	PayURL     string
	Static     fs.FS
	Production bool
	// Client must not follow redirects.
	Client *http.Client
}

// Run fetches every file of the library, every frame and the files of modals. It returns how many there are, and a
// sentence for each file or header that differs or can't be fetched.
func (p Probe) Run(ctx context.Context) (files int, differences []string, err error) {
	own, paths, err := p.build()
	if err != nil {
		return 0, nil, err
	}
	for _, path := range paths {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.PayURL+path, nil)
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set("User-Agent", probeAgent)
		served, err := p.fetch(r)
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err != nil {
			differences = append(differences, fmt.Sprintf("%s can't be fetched: %v", path, err))
			continue
		}
		r.Header.Del("User-Agent")
		expected := &probed{status: http.StatusOK, header: http.Header{}}
		own.ServeHTTP(expected, r)
		differences = append(differences, compare(path, served, expected)...)
	}
	return len(paths), differences, nil
}

// build returns a router with the files of this build and their paths. Frames are asked for without a public key, so
// that neither router needs a database.
func (p Probe) build() (http.Handler, []string, error) {
	e := echo.New()
	noKey := func(context.Context, string, string) (apikey.Pages, bool, error) { return apikey.Pages{}, false, nil }
	if err := RegisterFiles(e, p.Static, noKey, nil, p.Production); err != nil {
		return nil, nil, err
	}
	modal, err := static.LoadBundle(p.Static, "modal")
	if err != nil {
		return nil, nil, err
	}
	if versions, err := Versions(p.Static); err != nil || len(versions) == 0 || !modal.Built() {
		return nil, nil, errors.Join(err, errors.New("this program has no browser library: it was built without it"))
	}
	var paths []string
	for _, r := range e.Routes() {
		if r.Method == http.MethodGet {
			paths = append(paths, r.Path)
		}
	}
	e.GET(modalAssets+"*", pageAsset(modal))
	shown := filesOfModal(modal)
	paths = append(paths, shown.Style, shown.Htmx)
	slices.Sort(paths)
	return e, paths, nil
}

func (p Probe) fetch(r *http.Request) (*probed, error) {
	response, err := p.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	out := &probed{status: response.StatusCode, header: response.Header}
	_, err = io.Copy(&out.body, io.LimitReader(response.Body, maxProbed))
	return out, err
}

// compare returns how a response differs from this build's.
func compare(path string, served, own *probed) (differences []string) {
	if served.status != own.status {
		return []string{fmt.Sprintf("%s has the status %d instead of %d", path, served.status, own.status)}
	}
	if got, want := served.integrity(), own.integrity(); got != want {
		differences = append(differences, fmt.Sprintf("%s is %s instead of %s", path, got, want))
	}
	for _, name := range probedHeaders {
		if got, want := served.header.Values(name), own.header.Values(name); !slices.Equal(got, want) {
			differences = append(differences,
				fmt.Sprintf("%s has the header %s %q instead of %q", path, name, got, want))
		}
	}
	return differences
}

// probed is a response, as the deployment sent it or as this build writes it.
type probed struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (p *probed) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *probed) WriteHeader(status int) { p.status = status }

// Write implements http.ResponseWriter.
func (p *probed) Write(b []byte) (int, error) { return p.body.Write(b) }

// integrity is the hash of the body as in integrity.json.
func (p *probed) integrity() string {
	sum := sha512.Sum384(p.body.Bytes())
	return "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
}
