package shop

import (
	"encoding/json"
	"errors"
	"net/http"
)

// What can have become of a donation attempt. The page acts on these alone.
const (
	stateSucceeded   = "succeeded"   // charged
	stateProcessing  = "processing"  // may be charged: ask again
	stateDeclined    = "declined"    // not charged: another card may do
	stateInvalid     = "invalid"     // not charged: inputs to correct
	stateRefused     = "refused"     // not charged
	stateUnreachable = "unreachable" // not known: the same attempt may be sent again
	stateNone        = "none"        // nothing was charged under this nonce
)

// answer is what the page learns. It never repeats what the API said in its
// own words, which are for developers.
type answer struct {
	status  int
	State   string            `json:"state"`
	Message string            `json:"message,omitempty"`
	Advice  string            `json:"advice,omitempty"`
	Errors  map[string]string `json:"errors,omitempty"`
	Receipt *receipt          `json:"receipt,omitempty"`
}

// receipt is a charge or a DAF donation as its donor may see it.
type receipt struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Amount     int64  `json:"amount"` // minor units of Currency
	Currency   string `json:"currency"`
	Brand      string `json:"brand,omitempty"`       // of a card
	Bank       string `json:"bank,omitempty"`        // of a bank account
	Last4      string `json:"last4,omitempty"`       // of a card or a bank account
	Fund       string `json:"fund,omitempty"`        // of a donor-advised fund
	TrackingID string `json:"tracking_id,omitempty"` // of a grant that the fund sends
	CreatedAt  string `json:"created_at"`
}

func writeAnswer(w http.ResponseWriter, a answer) {
	body, err := json.Marshal(a)
	if err != nil {
		panic(err) // an answer holds only strings and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(body)
}

// answerFor puts a charge into the donor's words.
func answerFor(c charge) answer {
	a := answer{Receipt: &receipt{
		ID: c.ID, Status: c.Status, Amount: c.Amount, Currency: c.Currency,
		Brand: c.PaymentMethod.Brand, Bank: c.PaymentMethod.BankName, Last4: c.PaymentMethod.Last4,
		CreatedAt: c.CreatedAt,
	}}
	switch c.Status {
	case "authorized", "captured", "settled", "pending":
		a.status, a.State = http.StatusCreated, stateSucceeded
	case "processing":
		a.status, a.State = http.StatusAccepted, stateProcessing
	default: // failed, or a debit that came back; a card charge captured in one step ends in no other way
		declined := declined(c)
		declined.Receipt = a.Receipt
		return declined
	}
	return a
}

func declined(c charge) answer {
	switch {
	case c.Type == "ach" || c.Type == "acss":
		return declinedDebit()
	case c.Failure == nil:
		return decline("", "")
	}
	return decline(declineCode(c.Failure.Code, c.Failure.DeclineCode), c.Failure.Advice)
}

func declinedDebit() answer {
	return answer{status: http.StatusPaymentRequired, State: stateDeclined,
		Message: "Your bank declined this gift.",
		Advice:  "You weren’t charged. Please try another account or payment method."}
}

// answerForError puts an answer of the API that is not a charge, or its
// silence, into the donor's words.
func answerForError(err error) answer {
	refused := (*apiError)(nil)
	if errors.As(err, &refused) && refused.final() {
		return decline(refused.Code, refused.Advice)
	}
	if refused == nil || refused.Status >= 500 {
		return answer{
			status: http.StatusServiceUnavailable, State: stateUnreachable,
			Message: "We can’t reach our payment service right now.",
			Advice:  "Please try again in a moment. Trying again is safe: this gift can be charged only once.",
		}
	}
	switch {
	case refused.Code == "idempotency_key_in_use":
		return answer{status: http.StatusAccepted, State: stateProcessing}
	case refused.Status == http.StatusPaymentRequired:
		return decline(declineCode(refused.Code, refused.DeclineCode), refused.Advice)
	case refused.Status == http.StatusTooManyRequests:
		return refuse(http.StatusTooManyRequests,
			"There have been many attempts in a short time. Please wait a minute and try again.")
	}
	if message, known := refusals[refused.Code]; known {
		return refuse(http.StatusUnprocessableEntity, message)
	}
	// Everything else is a mistake of this shop, which its log tells about.
	return refuse(http.StatusBadGateway,
		"We can’t take gifts online right now, and you were not charged. Please try again later.")
}

// refusals are the plain words for what a donor can do something about, or
// should at least know.
var refusals = map[string]string{
	"token_expired":       "Your payment details have expired. Please enter them again.",
	"token_not_found":     "Your payment details have expired. Please enter them again.",
	"token_disabled":      "This card or account can no longer be used here. Please try another one.",
	"merchant_not_active": "We are not taking gifts at the moment. You were not charged.",
	"amount_too_large":    "That gift is larger than we can take online. Please call us: we would love to talk.",
	"amount_too_small":    "That gift is smaller than we can take online.",
	"bank_account_unverified": "This account must be verified before it can be debited, which takes a few days, and nothing was debited. " +
		"To give at once, sign in at your bank instead of typing the numbers, or give by card.",
	// Of donor-advised funds.
	"daf_session_expired":      authorizeAgain,
	"daf_session_not_found":    authorizeAgain,
	"daf_session_already_used": "This authorization was used before. Nothing was given twice.",
	"daf_amount_mismatch":      authorizeAgain,
	"daf_not_enabled":          noFunds,
	"daf_not_enrolled":         noFunds,
	"daf_not_eligible":         noFunds,
}

const (
	authorizeAgain = "Your authorization expired and you weren’t charged. Please authorize your gift again."
	noFunds        = "We can’t take gifts from donor-advised funds at the moment. Nothing was given."
)

// usedBefore is true where the API already has a charge under the attempt's
// key or external id.
func usedBefore(err error) bool {
	refused := (*apiError)(nil)
	return errors.As(err, &refused) && (refused.Code == "idempotency_key_reused" || refused.Code == "external_id_taken")
}

func declineCode(code, declineCode string) string {
	if declineCode != "" {
		return declineCode
	}
	return code
}

// declines say what happened. A lost or stolen card is told like any other.
var declines = map[string]string{
	"insufficient_funds": "This card has insufficient funds.",
	"expired_card":       "This card has expired.",
	"incorrect_cvc":      "The security code does not match this card.",
	"processing_error":   "Your bank could not process this card just now.",
	"processor_error":    "The card network declined this payment.",
	"not_submitted":      "The card network declined this payment.", // the same, in a charge's own words
}

var advices = map[string]string{
	"expired_card":     "Please check the date, or use another card.",
	"incorrect_cvc":    "Please enter the code again, or use another card.",
	"processing_error": "Please try again in a moment.",
	"processor_error":  "Please try again in a moment.",
	"not_submitted":    "Please try again in a moment.",
}

func decline(code, advice string) answer {
	a := answer{
		status: http.StatusPaymentRequired, State: stateDeclined,
		Message: "Your bank declined this card.",
		Advice:  "Nothing was charged. Please try another card, or ask your bank.",
	}
	if message, known := declines[code]; known {
		a.Message = message
		a.Advice = "Nothing was charged. Please try another card."
	}
	if text, known := advices[code]; known {
		a.Advice = "Nothing was charged. " + text
	} else if advice == "retry_later" || advice == "try_again_later" {
		a.Advice = "Nothing was charged. Please try again later, or use another card."
	}
	return a
}

func refuse(status int, message string) answer {
	return answer{status: status, State: stateRefused, Message: message}
}

func nothingFound() answer {
	return answer{status: http.StatusNotFound, State: stateNone, Message: "There is no such donation."}
}
