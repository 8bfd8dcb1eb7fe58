package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// apiClient speaks to the SvcPay API. Every call may be repeated: a creation
// carries its idempotency key, so a repeated one is answered, not redone.
type apiClient struct {
	base   string
	appID  string
	secret string
	http   *http.Client
	waits  []time.Duration // before each repetition
}

func newAPIClient(cfg Config) *apiClient {
	// A redirect would carry the secret key to wherever it points.
	client := *cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &apiClient{
		base: cfg.BaseURL, appID: strconv.FormatInt(cfg.AppID, 10), secret: cfg.SecretKey, http: &client,
		waits: []time.Duration{200 * time.Millisecond, time.Second, 2 * time.Second},
	}
}

// chargeRequest is the body of POST /api/charges.
type chargeRequest struct {
	MerchantID      int64             `json:"merchant_id"`
	Amount          int64             `json:"amount"`
	Type            string            `json:"type"`
	Currency        string            `json:"currency"`
	FundingCurrency string            `json:"funding_currency"`
	Origin          string            `json:"origin"`
	Token           string            `json:"token"`
	Description     string            `json:"description"`
	ExternalID      string            `json:"external_id"`
	Metadata        map[string]string `json:"metadata"`
}

// charge is the part of a charge that the shop reads.
type charge struct {
	ID            string `json:"id"`
	MerchantID    int64  `json:"merchant_id"`
	Type          string `json:"type"`
	Status        string `json:"status"`
	Amount        int64  `json:"amount"`
	Currency      string `json:"currency"`
	ExternalID    string `json:"external_id"`
	CreatedAt     string `json:"created_at"`
	PaymentMethod struct {
		Brand    string `json:"brand"`     // of a card
		BankName string `json:"bank_name"` // of a bank account
		Last4    string `json:"last4"`
	} `json:"payment_method"`
	Failure *struct {
		Code        string `json:"code"`
		DeclineCode string `json:"decline_code"`
		Advice      string `json:"advice"`
	} `json:"failure"`
}

// apiError is an answer of the API other than a charge. Its message is meant
// for the application's developers: it is logged, never shown.
type apiError struct {
	Status      int    `json:"-"`
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code"`
	Message     string `json:"message"`
	Advice      string `json:"advice"`
	ChargeID    string `json:"charge_id"`   // of a charge that was made and failed
	DonationID  string `json:"donation_id"` // of a DAF donation that was made and failed
	RequestID   string `json:"request_id"`
	Errors      []struct {
		Param string `json:"param"`
		Code  string `json:"code"`
	} `json:"errors"`
	retryAfter time.Duration
}

// final is true of a charge that never reached the card network, and of a grant that never reached the fund: its key
// answers so for ever.
func (e *apiError) final() bool { return e.Code == "processor_error" && e.ChargeID+e.DonationID != "" }

func (e *apiError) Error() string {
	return fmt.Sprintf("the API answered %d %s: %s (request %s)", e.Status, e.Code, e.Message, e.RequestID)
}

// dafRequest is the body of POST /api/dafDonations: what the donor authorized, as svcpay.js told it.
type dafRequest struct {
	MerchantID        int64             `json:"merchant_id"`
	WorkflowSessionID string            `json:"workflowSessionId,omitempty"`
	GrantID           string            `json:"grantId,omitempty"`
	Amount            int64             `json:"amount"`
	User              dafUser           `json:"user"`
	ExternalID        string            `json:"external_id"`
	Metadata          map[string]string `json:"metadata"`
}

type dafUser struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Note      string `json:"note"`
}

// dafDonation is the part of a DAF donation that the shop reads.
type dafDonation struct {
	ID         string `json:"id"`
	Kind       string `json:"kind"`
	Status     string `json:"status"`
	Amount     int64  `json:"amount"`
	Currency   string `json:"currency"`
	TrackingID string `json:"tracking_id"` // empty while unknown, and of one that is not integrated
	ExternalID string `json:"external_id"`
	CreatedAt  string `json:"created_at"`
	Fund       struct {
		Name string `json:"name"`
	} `json:"fund"`
	Failure *struct {
		Code        string `json:"code"`
		DeclineCode string `json:"decline_code"`
	} `json:"failure"`
}

func (c charge) reference() string      { return c.ExternalID }
func (d dafDonation) reference() string { return d.ExternalID }

// record is what the API keeps of a gift.
type record interface {
	charge | dafDonation
	reference() string // its external id
}

// errNone says that the API has no record of the attempt.
var errNone = errors.New("no such record")

// The collections of the API.
const (
	charges      = "/api/charges"
	dafDonations = "/api/dafDonations"
)

// create makes a record, once for each key.
func create[Record record](ctx context.Context, c *apiClient, collection, key string, in any) (Record, error) {
	var out Record
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	err = c.call(ctx, http.MethodPost, collection, key, body, &out)
	return out, err
}

// get reads one record, if it is of that external id.
func get[Record record](ctx context.Context, c *apiClient, collection, id, externalID string) (Record, error) {
	var out Record
	err := c.call(ctx, http.MethodGet, collection+"/"+url.PathEscape(id), "", nil, &out)
	if refused := (*apiError)(nil); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		err = errNone
	}
	if err == nil && out.reference() != externalID {
		err = errNone // someone else's
	}
	return out, err
}

// find looks for the record with an external id.
func find[Record record](ctx context.Context, c *apiClient, collection, externalID string) (Record, error) {
	var out struct {
		Data []Record `json:"data"`
	}
	var none Record
	err := c.call(ctx, http.MethodGet, collection+"?external_id="+url.QueryEscape(externalID), "", nil, &out)
	if err != nil {
		return none, err
	}
	if len(out.Data) != 1 || out.Data[0].reference() != externalID {
		return none, errNone
	}
	return out.Data[0], nil
}

// call sends a request until it has an answer that repeating would not change.
func (c *apiClient) call(ctx context.Context, method, path, key string, body []byte, out any) error {
	for try := 0; ; try++ {
		err := c.once(ctx, method, path, key, body, out)
		if try == len(c.waits) || ctx.Err() != nil || !worthRepeating(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(c.wait(try, err)):
		}
	}
}

// wait follows the API's Retry-After where it gives one, within reason.
func (c *apiClient) wait(try int, err error) time.Duration {
	if refused := (*apiError)(nil); errors.As(err, &refused) && refused.retryAfter > c.waits[try] {
		return min(refused.retryAfter, 2*time.Second)
	}
	return c.waits[try]
}

// worthRepeating is true where nothing is known of the outcome, or where the
// first sending of the same key is still being worked on.
func worthRepeating(err error) bool {
	refused := (*apiError)(nil)
	if errors.As(err, &refused) {
		return refused.Status >= 500 && !refused.final() || refused.Code == "idempotency_key_in_use"
	}
	return err != nil
}

func (c *apiClient) once(ctx context.Context, method, path, key string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("X-API-Key", c.secret)
	req.Header.Set("X-App-ID", c.appID)
	if key != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	content, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return refusal(res, content)
	}
	return json.Unmarshal(content, out)
}

func refusal(res *http.Response, content []byte) error {
	var in struct {
		Error apiError `json:"error"`
	}
	// A gateway in between may answer something else than JSON: the status is
	// then all there is.
	_ = json.Unmarshal(content, &in)
	in.Error.Status = res.StatusCode
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		in.Error.retryAfter = time.Duration(seconds) * time.Second
	}
	return &in.Error
}
