package cardtesting

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/security"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// payment is what a payer tries.
type payment struct {
	merchant int64
	number   string
	address  netip.Addr
}

// outcome is what the payer learns: approved, declined, or "" for a card that was refused before it reached the
// processor; and how many hashes the proofs of work take on average.
type outcome struct {
	status string
	hashes int
}

// pay makes a token and charges it.
func (s *day) pay(ctx context.Context, p payment) (out outcome, err error) {
	made, hashes, err := s.tokenOf(ctx, p)
	if out.hashes = hashes; err != nil || made == "" {
		return out, err
	}
	out.status, err = s.charge(ctx, p.merchant, made)
	return out, err
}

// tokenOf makes a token as a payer's browser does, with the proof of work that it is asked for. It returns "" if the
// card is refused, and how many hashes proofs took on average.
func (s *day) tokenOf(ctx context.Context, p payment) (id string, hashes int, err error) {
	ctx = security.From(ctx, security.Origin{Address: p.address})
	session, err := s.Tokens.OpenSession(ctx,
		token.SessionInput{PublicKey: s.PublicKey, MerchantID: p.merchant, PageOrigin: s.Page})
	if err != nil {
		return "", 0, err
	}
	key := ids.NewRequest(s.Clock.Now()).String()
	in := token.CardInput{Number: sensitive.NewPAN(p.number), CVC: sensitive.NewCVC("123"), ExpMonth: 8,
		ExpYear: s.Clock.Now().Year() + 3, Billing: token.Billing{FirstName: "Dana", LastName: "Reed"}}
	for range 3 {
		made, err := s.Tokens.CreateCard(ctx, session.ID, key, in)
		f, refused := fault.As(err)
		switch {
		case err == nil:
			return made.Token.String(), hashes, nil
		case refused && f.Code == "card_testing_suspected":
			c := f.Detail["challenge"].(token.Challenge)
			hashes += c.Puzzles << (c.Bits + s.EasierProofs)
			in.Proof = token.Proof{Seed: c.Seed, Solution: c.Solve()}
		case refused && f.Kind == fault.KindLimited:
			return "", hashes, nil
		default:
			return "", hashes, err
		}
	}
	return "", hashes, nil
}

// chargeTries is how often a charge is tried that never reached the processor.
const chargeTries = 5

// charge charges a token and returns what the payer learns.
func (s *day) charge(ctx context.Context, merchantID int64, tokenID string) (string, error) {
	actor := s.Actor
	actor.RequestID = ids.NewRequest(s.Clock.Now())
	for tries := 1; ; tries++ {
		_, err := s.Charges.Create(ctx, actor, charge.CreateInput{MerchantID: &merchantID,
			Amount: new(5 * money.Dollar), Token: &tokenID}, nil)
		f, refused := fault.As(err)
		switch {
		case err == nil:
			return "approved", nil
		case refused && f.Kind == fault.KindDeclined:
			return "declined", nil
		case refused && f.Code == "token_disabled":
			return "", nil
		case refused && f.Code == "processor_error" && tries < chargeTries: // nothing was sent: the machine is busy
		default:
			return "", err
		}
	}
}

// number is the n-th card of a kind.
func (s *day) number(kind string, n int) string {
	for check := range 10 {
		if all := fmt.Sprintf("%s%04d%07d%d", kind, s.seed%10_000, n, check); sensitive.Luhn(all) {
			return all
		}
	}
	return strings.Repeat("0", 16) // not reached: one of ten digits fits
}
