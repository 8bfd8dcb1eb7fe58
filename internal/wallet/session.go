package wallet

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/fault"
	"svcpay/internal/platform/safehttp"
)

// Sessions asks wallet A's provider for merchant sessions, without which its sheet pays no one: "Requesting an Apple
// Pay payment session" of the provider.
type Sessions struct {
	// MerchantIdentifier is the one that the provider knows the deployment by, and its certificate names.
	MerchantIdentifier string
	// Hosts are those of the provider. The address comes from the page, so that any other would be a way inward.
	Hosts *regexp.Regexp
	// Client shows the deployment's certificate.
	Client *safehttp.Client
}

var (
	errValidationURL = fault.Invalid("invalid_token_data",
		"This is not an address of the wallet’s provider.").On("validation_url")
	errProvider = fault.New(fault.KindUnavailable, "internal_error",
		"The wallet’s provider does not answer. Please try again.")
)

// Open asks for the session of one sheet: on a website, under the name that the sheet shows. Only the wallet reads what
// it returns. Faults: invalid_token_data of an address that is not the provider's, internal_error when the provider
// refuses or is silent.
func (s Sessions) Open(ctx context.Context, validationURL, domain, displayName string) (jsontext.Value, error) {
	u, err := url.Parse(validationURL)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Port() != "" || s.Hosts == nil ||
		!s.Hosts.MatchString(u.Hostname()) {
		return nil, errValidationURL
	}
	body, err := json.Marshal(map[string]string{"merchantIdentifier": s.MerchantIdentifier, "displayName": displayName,
		"initiative": "web", "initiativeContext": domain})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errValidationURL
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.Client.Do(r)
	switch {
	case err != nil:
		return nil, errProvider.Because(err)
	case answer.Status != http.StatusOK || answer.Cut || jsontext.Value(answer.Body).Kind() != '{' ||
		!jsontext.Value(answer.Body).IsValid():
		return nil, errProvider.Because(fmt.Errorf("wallet: a merchant session was answered %d", answer.Status))
	}
	return answer.Body, nil
}
