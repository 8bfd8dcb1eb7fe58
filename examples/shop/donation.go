package shop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The bounds of one gift, in cents.
const (
	minAmount = 100
	maxAmount = 1_000_000
)

const (
	maxBody     = 8 << 10
	maxName     = 60
	chargeLimit = 33 * time.Second // for all sendings of one charge together: above the API's own 30
	readLimit   = 15 * time.Second
)

var (
	nonceShape  = regexp.MustCompile(`^[0-9a-f]{32}$`)
	tokenShape  = regexp.MustCompile(`^tok_[0-9A-Za-z]{1,64}$`)
	chargeShape = regexp.MustCompile(`^ch_[0-9A-Za-z]{1,64}$`)
	zipShape    = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z -]{2,9}$`)
)

// The ways to give that make a charge. Wallets give by card.
const (
	byCard = "card"
	byBank = "bank"
)

// donation is what the page sends. Nonce names the attempt.
type donation struct {
	Nonce      string `json:"nonce"`
	Way        string `json:"way"`
	Token      string `json:"token"`
	Amount     int64  `json:"amount"` // cents
	MerchantID int64  `json:"merchant_id"`
	Donor      donor  `json:"donor"`
}

type donor struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Zip       string `json:"zip"` // empty when the card field asked for it
}

// createDonation charges the token once for each nonce and says the outcome of it.
func (s *shop) createDonation(w http.ResponseWriter, r *http.Request) {
	in, problem := readDonation(w, r)
	if problem != nil {
		writeAnswer(w, *problem)
		return
	}
	merchant, ok := s.merchant(in.MerchantID)
	if !ok {
		writeAnswer(w, refuse(http.StatusUnprocessableEntity, "This page is out of date. Please reload it."))
		return
	}
	// A donor who closes the page has still given: see the charge through.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), chargeLimit)
	defer cancel()
	writeAnswer(w, s.charge(ctx, merchant, in))
}

func (s *shop) charge(ctx context.Context, merchant Merchant, in donation) answer {
	key := reference(in.Nonce)
	made, err := create[charge](ctx, s.api, charges, key, chargeRequest{
		MerchantID: merchant.ID, Amount: in.Amount, Type: chargeType(merchant, in.Way),
		Currency: merchant.Currency, FundingCurrency: merchant.Currency, Origin: "ecommerce",
		Token: in.Token, Description: "Donation to " + merchant.Name, ExternalID: key,
		Metadata: map[string]string{
			"campaign": "full-shelf", "donor_name": in.Donor.FirstName + " " +
				in.Donor.LastName, "donor_email": in.Donor.Email,
		},
	})
	if err == nil {
		return answerFor(made)
	}
	s.log.Warn("a donation was not charged at once", "external_id", key, "error", err)
	if usedBefore(err) {
		// The nonce already made a charge, with another card or amount: that is
		// the donor's donation.
		return answerOf(s, answerFor)(find[charge](ctx, s.api, charges, key))
	}
	a := answerForError(err)
	if in.Way == byBank && a.State == stateDeclined {
		return declinedDebit()
	}
	return a
}

// chargeType is what SvcPay calls a charge of a token that was made in this way.
func chargeType(m Merchant, way string) string {
	switch {
	case way == byCard:
		return "cc"
	case m.Currency == "cad":
		return "acss"
	}
	return "ach"
}

// showDonation says the outcome of an attempt to give by card or from a bank account.
func (s *shop) showDonation(w http.ResponseWriter, r *http.Request) {
	show(s, w, r, charges, chargeShape, answerFor)
}

// show says the outcome of an attempt: by the record's id where the page knows it, else by the nonce alone.
func show[Record record](s *shop, w http.ResponseWriter, r *http.Request, collection string, shape *regexp.Regexp,
	words func(Record) answer) {
	nonce, id := r.PathValue("nonce"), r.URL.Query().Get("id")
	if !nonceShape.MatchString(nonce) || id != "" && !shape.MatchString(id) {
		writeAnswer(w, nothingFound())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readLimit)
	defer cancel()
	if id == "" {
		writeAnswer(w, answerOf(s, words)(find[Record](ctx, s.api, collection, reference(nonce))))
		return
	}
	writeAnswer(w, answerOf(s, words)(get[Record](ctx, s.api, collection, id, reference(nonce))))
}

// answerOf puts what was read into words, or that it was not.
func answerOf[Record record](s *shop, words func(Record) answer) func(Record, error) answer {
	return func(found Record, err error) answer {
		switch {
		case err == nil:
			return words(found)
		case errors.Is(err, errNone):
			return nothingFound()
		}
		s.log.Warn("a donation could not be read", "error", err)
		return answerForError(err)
	}
}

// reference derives the idempotency key and the external id from a nonce. It
// does not give the nonce away, which is what lets a page see its donation.
func reference(nonce string) string {
	sum := sha256.Sum256([]byte("donation " + nonce))
	return "gift-" + hex.EncodeToString(sum[:12])
}

// readDonation decodes and checks the request; a problem is its answer.
func readDonation(w http.ResponseWriter, r *http.Request) (donation, *answer) {
	var in donation
	if problem := readJSON(w, r, &in); problem != nil {
		return in, problem
	}
	if !nonceShape.MatchString(in.Nonce) || !tokenShape.MatchString(in.Token) || in.Way != byCard && in.Way != byBank {
		return in, outOfDate()
	}
	in.Donor.trim()
	if faults := in.faults(); len(faults) > 0 {
		return donation{}, &answer{
			status: http.StatusUnprocessableEntity, State: stateInvalid,
			Message: "Please check the marked fields.", Errors: faults,
		}
	}
	return in, nil
}

// readJSON decodes what one of the shop's own pages sent; a problem is its answer.
func readJSON(w http.ResponseWriter, r *http.Request, in any) *answer {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		a := refuse(http.StatusUnsupportedMediaType, "Please give from our own page.")
		return &a
	}
	from := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	from.DisallowUnknownFields()
	if err := from.Decode(in); err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			a := refuse(http.StatusRequestEntityTooLarge, "That was more than this form can take.")
			return &a
		}
		return outOfDate()
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return outOfDate()
	}
	return nil
}

func outOfDate() *answer {
	a := refuse(http.StatusBadRequest, "This page is out of date. Please reload it.")
	return &a
}

func (d *donor) trim() {
	for _, text := range []*string{&d.FirstName, &d.LastName, &d.Email, &d.Zip} {
		*text = strings.TrimSpace(*text)
	}
}

// faults maps the name of each wrong input to what to do about it.
func (d donation) faults() map[string]string {
	faults := map[string]string{}
	if d.Amount < minAmount || d.Amount > maxAmount {
		faults["amount"] = "Choose an amount between $1 and $10,000."
	}
	if !validName(d.Donor.FirstName) {
		faults["first_name"] = "Enter your first name."
	}
	if !validName(d.Donor.LastName) {
		faults["last_name"] = "Enter your last name."
	}
	if !validEmail(d.Donor.Email) {
		faults["email"] = "Enter an email address like name@example.org."
	}
	if d.Donor.Zip != "" && !zipShape.MatchString(d.Donor.Zip) {
		faults["zip"] = "Enter the ZIP code of your card’s billing address."
	}
	return faults
}

func validName(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}

func validEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || len(text) > 254 {
		return false
	}
	_, host, _ := strings.Cut(text, "@")
	return strings.Contains(strings.Trim(host, "."), ".")
}
