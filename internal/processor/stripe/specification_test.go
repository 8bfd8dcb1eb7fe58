package stripe_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// gated lists the parameters that Stripe's public specification lacks, because Stripe allows them to some accounts
// only, each with the reason why the adapter sends it. The test of an account finds out whether it may.
var gated = map[string]string{
	"payment_method_options[card][mit_exemption][claim_without_transaction_id]":  "finds out the grant",
	"payment_method_options[card][mit_exemption][network_transaction_id]":        "names a series of payments",
	"payment_method_options[card][network_token][cryptogram]":                    "a wallet's proof",
	"payment_method_options[card][network_token][electronic_commerce_indicator]": "finds out the grant; a wallet's proof",
	"payment_method_data[card][last4]":                                           "a wallet's card",
	"payment_method_data[card][exp_month]":                                       "a wallet's card",
	"payment_method_data[card][exp_year]":                                        "a wallet's card",
	"payment_method_data[card][network_token][number]":                           "a wallet's card",
	"payment_method_data[card][network_token][exp_month]":                        "a wallet's card",
	"payment_method_data[card][network_token][exp_year]":                         "a wallet's card",
	"payment_method_data[card][network_token][tokenization_method]":              "a wallet's card",
	// the specification has no type card of payment_method_data, so the rest of it can't be checked
	"payment_method_data[type]":                                  "a wallet's card",
	"payment_method_data[billing_details][address][line1]":       "a wallet's card",
	"payment_method_data[billing_details][address][postal_code]": "a wallet's card",
}

// specification is stripe-mock, which refuses requests that Stripe's public specification does not allow. All tests
// share one process, which ends with them, because its input does.
type specification struct {
	mu      sync.Mutex
	in      io.Writer
	out     *bufio.Reader
	checked map[string]bool // shapes of requests
}

var publicSpecification = sync.OnceValues(func() (*specification, error) {
	server := exec.Command("go", "run", "-C", "../../../tools", "./stripe-mock")
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &specification{in: in, out: bufio.NewReader(out), checked: map[string]bool{}}, server.Start()
})

// sent is a request as the adapter sent it.
type sent struct {
	method, target, contentType string
	body                        []byte
	shape                       string
}

// recorded passes requests on to a server. When the test ends, it checks one of each shape by the specification.
func recorded(t *testing.T, next http.Handler) http.Handler {
	var mu sync.Mutex
	var all []sent
	shapes := map[string]bool{}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		s, err := publicSpecification()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if err := s.check(r, gated); err != nil {
				t.Errorf("%s: %v", r.shape, err)
			}
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") { // a page for people
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		defer func() { // the server may abort
			mu.Lock()
			defer mu.Unlock()
			if shape := shapeOf(r); !shapes[shape] {
				shapes[shape] = true
				all = append(all, sent{r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), body, shape})
			}
		}()
		next.ServeHTTP(w, r)
	})
}

var (
	word   = regexp.MustCompile(`^[a-z_]*$`)
	madeID = regexp.MustCompile(`_[0-9]{8}fake\b`)
)

// shapeOf is what the specification looks at of a request that a server has read: its endpoint and parameters, with
// words as they are, since they may be of an enumeration, and the lengths of all other values.
func shapeOf(r *http.Request) string {
	shape := []string{r.Method, madeID.ReplaceAllString(r.URL.Path, "_…")}
	for _, name := range slices.Sorted(maps.Keys(r.Form)) {
		for _, value := range r.Form[name] {
			if !word.MatchString(value) {
				value = fmt.Sprint(len(value))
			}
			shape = append(shape, name+"="+value)
		}
	}
	if r.MultipartForm != nil {
		shape = append(shape, slices.Sorted(maps.Keys(r.MultipartForm.File))...)
	}
	return strings.Join(shape, " ")
}

// check has stripe-mock check a request without its gated parameters, unless it has checked that shape before.
func (s *specification) check(request sent, gated map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checked[request.shape] {
		return nil
	}
	s.checked[request.shape] = true
	if request.contentType == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(string(request.body))
		if err != nil {
			return err
		}
		maps.DeleteFunc(form, func(name string, _ []string) bool { return gated[name] != "" })
		request.body = []byte(form.Encode())
	}
	// stripe-mock would take a slash in an ID for the end of it
	target := strings.ReplaceAll(request.target, "%2F", "_")
	r, err := http.NewRequest(request.method, "http://stripe"+target, bytes.NewReader(request.body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer sk_test_123")
	if request.contentType != "" {
		r.Header.Set("Content-Type", request.contentType)
	}
	if err := r.Write(s.in); err != nil {
		return err
	}
	resp, err := http.ReadResponse(s.out, r)
	if err != nil {
		return fmt.Errorf("read the answer of stripe-mock: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("stripe-mock refuses it: %d %s", resp.StatusCode, answer)
	}
	return err
}

func TestSpecificationRefuses(t *testing.T) {
	t.Parallel()
	s, err := publicSpecification()
	if err != nil {
		t.Fatal(err)
	}
	form := func(target, body string) sent {
		return sent{http.MethodPost, target, "application/x-www-form-urlencoded", []byte(body), t.Name() + body}
	}
	for _, refused := range []sent{
		form("/v1/refunds", "payment_intent=pi_1&reason=regret"),
		form("/v1/refunds", "payment_intent=pi_1&amount=much"),
		form("/v1/refunds", "payment_intent=pi_1&unheard=1"),
		form("/v1/disputes/dp_1", "evidence[unheard]=1"),
		form("/v1/payment_methods",
			"type=card&card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2030&card[unheard]=1"),
		form("/v1/payment_methods", "type=card&card[number]=4242424242424242&card[exp_month]=12"),
		form("/v1/unheard", "unheard=2"),
		{http.MethodGet, "/v1/events?unheard=1", "", nil, "unknown parameter of a list"},
	} {
		if err := s.check(refused, nil); err == nil || !strings.Contains(err.Error(), "stripe-mock refuses it") {
			t.Errorf("%s %s: %v", refused.target, refused.body, err)
		}
	}
	if err := s.check(form("/v1/refunds", "payment_intent=pi_1&unheard=3"),
		map[string]string{"unheard": "for this test"}); err != nil {
		t.Error(err)
	}
}
