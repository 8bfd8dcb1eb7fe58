package history

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/requestlog"
	"svcpay/internal/token"
)

// gift is what a payer gives.
type gift struct {
	to     *program
	who    payer
	at     int64 // the merchant
	number string
	bank   string // the country of a bank account; "" for a card
	amount money.Amount
	about  string
	hold   bool // authorized only
	again  bool // the monthly gift of who gave before
	then   func(charge.Charge)
}

// session opens the form of a merchant's page.
func (s *story) session(ctx context.Context, p *program, merchantID int64) (string, error) {
	out, err := s.Tokens.OpenSession(ctx,
		token.SessionInput{PublicKey: p.PublicKey, MerchantID: merchantID, PageOrigin: s.Origin})
	return out.ID, err
}

// token is what the payer's browser makes of a card or account; who gives again is known by an earlier one.
func (s *story) token(ctx context.Context, g gift) (string, error) {
	key := fmt.Sprint(g.who.email(), g.at, g.number)
	if known := g.to.tokens[key]; known != "" {
		return known, nil
	}
	session, err := s.session(ctx, g.to, g.at)
	if err != nil {
		return "", err
	}
	request := ids.NewRequest(s.Clock.Now()).String()
	var out token.Created
	if g.bank == "" {
		out, err = s.Tokens.CreateCard(ctx, session, request, card(g.who, g.number, s.Clock.Now()))
	} else {
		out, err = s.Tokens.CreateBank(ctx, session, request, account(g.who, g.number, g.bank, s.made))
	}
	if err != nil {
		return "", err
	}
	if g.again {
		g.to.tokens[key] = out.Token.String()
	}
	if out.BankAccount != nil && out.BankAccount.Status == token.PendingVerification {
		_, err = s.Tokens.Verify(ctx, s.now(g.to.server), out.Token.String(),
			token.VerifyInput{Amounts: []int64{32, 45}}, nil)
	}
	return out.Token.String(), err
}

// give charges what a payer gives. A decline is as good as an approval.
func (s *story) give(g gift) func(context.Context) error {
	return func(ctx context.Context) error {
		text, err := s.token(ctx, g)
		if fault.HasCode(err, "card_declined") || err == nil && text == "" {
			return nil // told in the form; nothing is charged
		}
		if err != nil {
			return err
		}
		s.made++
		external := fmt.Sprintf("gift-%05d", 10_000+s.made)
		in := charge.CreateInput{MerchantID: &g.at, Amount: &g.amount, Token: &text, Description: &g.about,
			ExternalID: &external,
			Metadata:   map[string]string{"campaign": campaign(g.about), "channel": "web"}}
		if g.hold {
			in.Capture = new(false)
		}
		if g.again {
			in.Recurring = new(true)
			in.Metadata["channel"] = "monthly"
		}
		actor := s.now(g.to.server)
		body, claim, err := claimOf(actor, "/api/charges", external, in)
		if err != nil {
			return err
		}
		out, err := s.Charges.Create(ctx, actor, in, claim)
		s.logged(*g.to, actor, body, external, g.at, out.Object.ID, err)
		if f, ok := fault.As(err); ok && f.Kind == fault.KindDeclined {
			return nil
		}
		if err == nil && g.then != nil {
			g.then(out.Object)
		}
		return err
	}
}

func (s *story) logged(p program, actor authz.Actor, body []byte, key string, merchantID int64, id ids.Charge,
	err error) {
	e := requestlog.Entry{Actor: actor, Method: "POST", Path: "/api/charges", Body: body, Status: 201,
		IdempotencyKey: key, MerchantID: merchantID, ObjectID: id.String()}
	if f, ok := fault.As(err); ok {
		e.Status, e.Refusal, e.Type, e.ObjectID = 402, f, "card_error", ""
		e.Answer, _ = json.Marshal(map[string]any{
			"error": map[string]any{"type": e.Type, "code": f.Code, "message": f.Message,
				"request_id": actor.RequestID}})
	}
	s.log(p, e)
}

// claimOf is a request that a program sends once.
func claimOf(a authz.Actor, path, key string, in any) ([]byte, *idempotency.Claim, error) {
	body, err := json.Marshal(in)
	return body, &idempotency.Claim{ApplicationID: a.ApplicationID, Key: key, Method: "POST", Path: path,
		Fingerprint: sha256.Sum256(append([]byte("POST "+path+" "+apikey.APIVersion+" "), body...)),
		Params:      map[string]string{}, RequestID: a.RequestID}, err
}

// What payers give for.
const (
	winter  = "Winter meals"
	kennels = "New kennels"
	relief  = "Storm relief"
	monthly = "Monthly gift"
)

func campaign(about string) string {
	return map[string]string{winter: "winter-meals", kennels: "kennels", relief: "storm-relief",
		monthly: "sustainers"}[about]
}

// amounts are what people give, in cents.
var amounts = []money.Amount{25_00, 50_00, 100_00, 15_00, 250_00, 75_00, 36_00, 500_00, 20_00, 120_00, 60_00,
	1_000_00, 45_00}

// everyday is the n-th gift by a card.
func (s *story) everyday(n int) gift {
	g := gift{to: &s.river, who: payers[n*7%len(payers)], at: s.river.Merchants.US, number: approved[n%len(approved)],
		amount: amounts[n*5%len(amounts)], about: winter}
	switch {
	case n%11 == 4:
		g.number = []string{declined, noFunds, expiredCard, wrongCode}[n/11%4]
	case n%5 == 3:
		g.at, g.about = s.river.Merchants.USQ, kennels
	case n%7 == 5:
		g.at, g.about = s.river.Merchants.CA, relief
	}
	return g
}

// debits is the n-th gift from a bank account.
func (s *story) debits(n int) gift {
	g := gift{to: &s.river, who: payers[n*3%len(payers)], at: s.river.Merchants.US, number: debited, bank: "US",
		amount: amounts[n*3%len(amounts)], about: winter}
	switch {
	case n%5 == 1:
		g.number = bounced
	case n%5 == 3:
		g.at, g.bank, g.about = s.river.Merchants.CA, "CA", relief
	case n == 4:
		g.number = unauthorized
	}
	return g
}

// held is an authorization that is captured, voided or forgotten.
func (s *story) held(n int) gift {
	g := gift{to: &s.river, who: payers[n*5%len(payers)], at: s.river.Merchants.USQ, number: approved[n%3],
		amount: amounts[n%len(amounts)] * 2, about: kennels, hold: true}
	g.then = func(c charge.Charge) {
		switch n % 4 {
		case 0, 3:
			s.after(26*time.Hour, func(ctx context.Context) error {
				in := charge.CaptureInput{}
				if n%4 == 3 {
					in.Amount = new(c.Amount / 2)
				}
				_, err := s.Charges.Capture(ctx, s.now(s.river.server), c.ID.String(), in, nil)
				return err
			})
		case 1:
			s.after(5*time.Hour, func(ctx context.Context) error {
				_, err := s.Charges.Void(ctx, s.now(s.avery), c.ID.String(), charge.VoidInput{}, nil)
				return err
			})
		}
	}
	return g
}
