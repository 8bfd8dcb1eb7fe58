package chariot

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
)

// list is a page of a list.
type list[T any] struct {
	Results []T    `json:"results"`
	Next    string `json:"nextPageToken"` // "" on the last page
}

// summary is an organization in a search.
type summary struct {
	ID  string `json:"id"`
	EIN string `json:"ein"` // nine digits
}

// organization is one of Chariot's directory.
type organization struct {
	ID             string `json:"id"`
	EIN            string `json:"ein"`
	Name           string `json:"name"`
	Claimed        *bool  `json:"claimed"`
	Classification struct {
		Subsection code `json:"subsection_code"`
	} `json:"classification"`
	Compliance struct {
		Eligible bool `json:"daf_eligible"`
		Pub78    struct {
			Compliant bool `json:"compliant"`
		} `json:"irs_pub_78"`
	} `json:"compliance"`
	Address struct {
		City  string `json:"city"`
		State string `json:"state"`
	} `json:"physical_address"`
}

// code is a code of the IRS: a number or text, or an object that has it.
type code string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *code) UnmarshalJSON(text []byte) error {
	var of struct {
		Code json.RawMessage `json:"code"`
	}
	if json.Unmarshal(text, &of) == nil && of.Code != nil {
		text = of.Code
	}
	word := strings.TrimLeft(strings.Trim(string(text), `"`), "0")
	if _, err := strconv.Atoi(word); err != nil {
		word = ""
	}
	*c = code(word)
	return nil
}

// connect is an organization's enrollment.
type connect struct {
	ID       string `json:"id"`
	Archived bool   `json:"archived"`
}

// fund is a DAF.
type fund struct {
	ID        string       `json:"id"`
	Name      string       `json:"orgName"`
	Supported bool         `json:"supported"`
	Minimum   money.Amount `json:"minimumGrantAmount"` // in cents
	Down      bool         `json:"institutionDown"`
}

// grant is one of Chariot's grants.
type grant struct {
	ID         string       `json:"id"`
	TrackingID string       `json:"trackingId"`
	Session    string       `json:"workflowSessionId"`
	Amount     money.Amount `json:"amount"`
	Status     string       `json:"status"`
	CreatedAt  stamp        `json:"createdAt"`
	UpdatedAt  stamp        `json:"updatedAt"`
	Metadata   struct {
		Reference string `json:"reference"`
	} `json:"metadata"`
	Fees struct {
		Contributions []struct {
			Amount money.Amount `json:"amount"`
			Type   string       `json:"feeType"`
		} `json:"contributions"`
	} `json:"feeDetail"`
}

// readable reports whether a grant has everything that we rely on.
func (g grant) readable() bool {
	return g.ID != "" && g.Session != "" && g.Amount > 0 && len(g.TrackingID) == trackingLength &&
		g.TrackingID == plain(g.TrackingID, trackingLength)
}

const trackingLength = 10

// providerFee is what Chariot and the fund take, without the fee of an application; 0 if Chariot reports none.
func (g grant) providerFee() (sum money.Amount) {
	for _, c := range g.Fees.Contributions {
		if c.Type != "fundraising_application" {
			sum += c.Amount
		}
	}
	return sum
}

// states are the statuses of grants, in lower case; "" while a grant is on its way.
var states = map[string]provider.EventKind{
	"":                          "",
	"initiated":                 "",
	"awaiting_account_approval": "",
	"awaiting_daf_submission":   "",
	"completed":                 provider.GrantCompleted,
	"canceled":                  provider.GrantCanceled,
	"cancelled":                 provider.GrantCanceled,
}

// state is what a grant's status says, and whether it is one that we know. The API's versions spell it differently.
func (g grant) state() (kind provider.EventKind, known bool) {
	kind, known = states[strings.ToLower(strings.TrimSpace(g.Status))]
	return kind, known
}

// event is one of Chariot's events, which says only what it is about.
type event struct {
	ID         string `json:"id"`
	Category   string `json:"category"`
	CreatedAt  stamp  `json:"created_at"`
	ObjectID   string `json:"associated_object_id"`
	ObjectType string `json:"associated_object_type"`
}

// stamp is a time of the API; zero if it cannot be read.
type stamp struct{ time.Time }

// layouts are how the API writes times. Those without a zone are in UTC.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999"}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *stamp) UnmarshalJSON(text []byte) error {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, strings.Trim(string(text), `"`)); err == nil {
			s.Time = at.UTC()
			return nil
		}
	}
	s.Time = time.Time{}
	return nil
}
