// Command stripe-mock answers requests as github.com/stripe/stripe-mock does: it checks them by Stripe's public OpenAPI
// specification. It reads HTTP requests from its input and writes the responses to its output, until the input ends.
// Unlike the original, it also refuses unknown parameters of nested objects.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"
	"github.com/stripe/stripe-mock/spec"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stripe-mock:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	out := os.Stdout
	if os.Stdout, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil { // the server prints every request
		return fmt.Errorf("discard the server's log: %w", err)
	}
	return serve(os.Stdin, out)
}

// serve answers the requests that it reads.
func serve(in io.Reader, out io.Writer) error {
	stub, err := open()
	if err != nil {
		return err
	}
	requests := bufio.NewReader(in)
	for {
		r, err := http.ReadRequest(requests)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		body, err := io.ReadAll(r.Body) // whole, as the next request follows it
		if err != nil {
			return fmt.Errorf("read the body of a request: %w", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w := httptest.NewRecorder()
		stub.HandleRequest(w, r)
		response := w.Result()
		response.ContentLength = int64(w.Body.Len())
		if err := response.Write(out); err != nil {
			return fmt.Errorf("write a response: %w", err)
		}
	}
}

// open builds the server from the specification that the module embeds.
func open() (*server.StubServer, error) {
	fixtures, err := server.LoadFixtures(embedded.OpenAPIFixtures, "")
	if err != nil {
		return nil, fmt.Errorf("load the fixtures: %w", err)
	}
	api, err := server.LoadSpec(embedded.OpenAPISpec, "")
	if err != nil {
		return nil, fmt.Errorf("load the specification: %w", err)
	}
	for _, operations := range api.Paths {
		for _, o := range operations {
			for _, p := range o.Parameters {
				restrict(p.Schema)
			}
			if o.RequestBody != nil {
				for _, m := range o.RequestBody.Content {
					restrict(m.Schema)
				}
			}
		}
	}
	stub, err := server.NewStubServer(fixtures, api, false, false)
	if err != nil {
		return nil, fmt.Errorf("build the server: %w", err)
	}
	return stub, nil
}

// restrict makes a schema refuse properties that it does not list, at every depth.
func restrict(s *spec.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 && s.AdditionalProperties == nil {
		s.AdditionalPropertiesAllowed = false
	}
	for _, p := range s.Properties {
		restrict(p)
	}
	for _, one := range s.AnyOf {
		restrict(one)
	}
	restrict(s.Items)
	restrict(s.AdditionalProperties)
}
