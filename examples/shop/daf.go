package shop

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	authorizationShape = regexp.MustCompile(`^(ws|gr)_[0-9A-Za-z_-]{1,128}$`)
	dafShape           = regexp.MustCompile(`^daf_[0-9A-Za-z]{1,64}$`)
)

const maxNote = 500

// dafGift is what the page sends: the event dafAuthorized as svcpay.js told it, the attempt and the merchant.
type dafGift struct {
	Nonce             string  `json:"nonce"`
	MerchantID        int64   `json:"merchant_id"`
	WorkflowSessionID string  `json:"workflowSessionId"`
	GrantID           string  `json:"grantId"`
	Amount            int64   `json:"amount"` // cents, as the donor authorized them
	User              dafUser `json:"user"`
	CoversFee         bool    `json:"covers_fee"`
}

// createDAFDonation records once what a donor authorized, and says the outcome of it.
func (s *shop) createDAFDonation(w http.ResponseWriter, r *http.Request) {
	var in dafGift
	if problem := readJSON(w, r, &in); problem != nil {
		writeAnswer(w, *problem)
		return
	}
	merchant, ok := s.merchant(in.MerchantID)
	if !ok || !in.wellFormed() {
		writeAnswer(w, *outOfDate())
		return
	}
	// A donor who closes the page has still given: see the grant through.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), chargeLimit)
	defer cancel()
	writeAnswer(w, s.grant(ctx, merchant, in))
}

// wellFormed is true of what this shop's page can have sent. The donor's own words were checked in the modal.
func (g *dafGift) wellFormed() bool {
	if !nonceShape.MatchString(g.Nonce) || g.Amount < minAmount || (g.WorkflowSessionID == "") == (g.GrantID == "") {
		return false
	}
	for _, text := range []*string{&g.User.FirstName, &g.User.LastName, &g.User.Email, &g.User.Note} {
		if *text = strings.TrimSpace(*text); utf8.RuneCountInString(*text) > maxNote {
			return false
		}
	}
	return authorizationShape.MatchString(g.WorkflowSessionID + g.GrantID)
}

func (s *shop) grant(ctx context.Context, merchant Merchant, in dafGift) answer {
	key := reference(in.Nonce)
	covers := map[bool]string{true: "yes", false: "no"}[in.CoversFee]
	made, err := create[dafDonation](ctx, s.api, dafDonations, key, dafRequest{
		MerchantID: merchant.ID, WorkflowSessionID: in.WorkflowSessionID, GrantID: in.GrantID, Amount: in.Amount,
		User:       in.User,
		ExternalID: key, Metadata: map[string]string{"campaign": "full-shelf", "donor_covers_fee": covers},
	})
	if err == nil {
		return answerForDAF(made)
	}
	s.log.Warn("a DAF donation was not made at once", "external_id", key, "error", err)
	if usedBefore(err) {
		return answerOf(s, answerForDAF)(find[dafDonation](ctx, s.api, dafDonations, key))
	}
	a := answerForError(err)
	if a.State == stateDeclined {
		var refused *apiError
		errors.As(err, &refused)
		return declinedByFund(refused.DeclineCode)
	}
	return a
}

// showDAFDonation says the outcome of an attempt to give from a donor-advised fund.
func (s *shop) showDAFDonation(w http.ResponseWriter, r *http.Request) {
	show(s, w, r, dafDonations, dafShape, answerForDAF)
}

// answerForDAF puts a DAF donation into the donor's words. One that the provider is still asked about has
// no tracking id yet.
func answerForDAF(d dafDonation) answer {
	a := answer{status: http.StatusCreated, State: stateSucceeded, Receipt: &receipt{
		ID: d.ID, Status: d.Status, Amount: d.Amount, Currency: d.Currency, Fund: d.Fund.Name, TrackingID: d.TrackingID,
		CreatedAt: d.CreatedAt,
	}}
	switch {
	case d.Failure != nil:
		declined := declinedByFund(d.Failure.DeclineCode)
		declined.Receipt = a.Receipt
		return declined
	case d.Kind == "integrated" && d.TrackingID == "":
		a.status, a.State = http.StatusAccepted, stateProcessing
	}
	return a
}

func declinedByFund(code string) answer {
	if code == "authorization_expired" {
		return answer{status: http.StatusPaymentRequired, State: stateDeclined,
			Message: "Your authorization is too old: your fund takes it within 15 minutes.",
			Advice:  "Nothing was given. Please authorize your gift again."}
	}
	return answer{status: http.StatusPaymentRequired, State: stateDeclined,
		Message: "Your fund did not make this grant.",
		Advice:  "Nothing was given. Please ask your fund, or give in another way."}
}
