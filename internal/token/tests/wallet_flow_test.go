package token_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	walletsandbox "svcpay/internal/wallet/sandbox"
)

const jcb = "3566002020360505"

// walletWorld is a world whose first merchant shows wallet A on the page of its sessions.
func walletWorld(t *testing.T, w *fixture.World, merchants ...int64) *fixture.World {
	t.Helper()
	on := true
	for _, id := range merchants {
		_, err := w.Merchants.Update(t.Context(), w.Actor(), id,
			merchant.UpdateInput{HasWalletA: patch.Set(on), Domains: patch.Set([]string{"shop.example"})}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// payload is what a wallet gives for a card of that number, bound to a merchant.
func payload(t *testing.T, w *fixture.World, kind token.Kind, number string, merchantID int64) token.WalletInput {
	t.Helper()
	card := walletsandbox.Card{Number: sensitive.NewPAN(number), ExpMonth: 8, ExpYear: w.Clock.Now().Year() + 3,
		Network: "Visa", Holder: "Dana van der Reed"}
	sale := walletsandbox.Sale{Amount: 5000, Currency: money.USD, Bound: token.BoundTo(merchantID)}
	in := token.WalletInput{Kind: kind}
	var err error
	if kind == token.WalletA {
		in.Payload, err = w.Wallets.SealA(card, sale)
	} else {
		in.Payload, err = w.Wallets.SealB(card, sale, w.Clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func retry(w *fixture.World) string { return ids.NewRequest(w.Clock.Now()).String() }

// watched remembers what was authorized.
type watched struct {
	processor.Processor
	mu   sync.Mutex
	seen []processor.Card
}

func (p *watched) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	p.mu.Lock()
	p.seen = append(p.seen, a.Card)
	p.mu.Unlock()
	return p.Processor.Authorize(ctx, a)
}

// A wallet's token is charged like a card; the cryptogram goes with the first authorization and with no other.
func TestWalletsAreTokenizedAndCharged(t *testing.T) {
	t.Parallel()
	var network *watched
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		network = &watched{Processor: inner}
		return network
	})
	us := w.App.Merchants.US
	walletWorld(t, w, us)
	for _, kind := range []token.Kind{token.WalletA, token.WalletB} {
		in := payload(t, w, kind, "4242424242424242", us)
		made, err := w.Tokens.CreateWallet(t.Context(), w.Session(), retry(w), in)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if c := made.Card; c == nil || c.Brand != "visa" || c.Last4 != "4242" || c.Wallet == nil ||
			*c.Wallet != string(kind) {
			t.Errorf("%s: %+v", kind, made.Card)
		}
		if holder := made.Card.CardholderName; kind == token.WalletA && holder != "Dana van der Reed" {
			t.Errorf("the holder is %q", holder)
		}
		id, amount := made.Token.String(), money.Amount(5000)
		for range 2 {
			out, err := w.Charges.Create(t.Context(), w.Actor(),
				charge.CreateInput{MerchantID: &us, Amount: &amount, Token: &id}, nil)
			if err != nil || out.Object.Status != charge.Captured || out.Object.PaymentMethod.Wallet == nil {
				t.Fatalf("%s: %+v, %v", kind, out.Object.Status, err)
			}
		}
	}
	if len(network.seen) != 4 {
		t.Fatalf("%d authorizations", len(network.seen))
	}
	for i, c := range network.seen {
		if first := i%2 == 0; first == c.Cryptogram.IsZero() || !c.CVC.IsZero() {
			t.Errorf("authorization %d has a cryptogram: %v", i, !c.Cryptogram.IsZero())
		}
		ofA := i%4 < 2 // which alone gives an indicator here
		if c.Wallet == "" || strings.Contains(c.Cryptogram.Reveal(), " ") || (i == 0 && ofA) != (c.ECI == "7") {
			t.Errorf("authorization %d is of %q with the indicator %q", i, c.Wallet, c.ECI)
		}
	}
}

// A payload does once: the same request again has the same token, another request with it has none, also at once.
func TestAPayloadDoesOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	walletWorld(t, w, us)
	in, session, key := payload(t, w, token.WalletB, "4242424242424242", us), w.Session(), retry(w)
	made, err := w.Tokens.CreateWallet(t.Context(), session, key, in)
	if err != nil {
		t.Fatal(err)
	}
	for what, again := range map[string]string{"the same request": session, "from a renewed session": w.Session()} {
		if again, err := w.Tokens.CreateWallet(t.Context(), again, key, in); err != nil || again.Token != made.Token {
			t.Errorf("%s: %v, %v", what, again.Token, err)
		}
	}
	if _, err := w.Tokens.CreateWallet(t.Context(), w.Session(), retry(w), in); !fault.HasCode(err,
		"wallet_payload_expired") {
		t.Errorf("used again: %v", err)
	}
	other := payload(t, w, token.WalletA, "4242424242424242", us)
	var group sync.WaitGroup
	var mu sync.Mutex
	good := 0
	for range 8 {
		session, key := w.Session(), retry(w)
		group.Go(func() {
			_, err := w.Tokens.CreateWallet(t.Context(), session, key, other)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				good++
			} else if !fault.HasCode(err, "wallet_payload_expired") {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*) FROM tokens WHERE kind = 'wallet_a'`,
		pg.Args{}); err != nil || n != 1 || good != 1 {
		t.Errorf("%d tokens of one payload, %d answers, %v", n, good, err)
	}
	w.Clock.Advance(61 * 24 * time.Hour)
	if n, err := w.Tokens.PurgePayloads(t.Context()); err != nil || n != 2 {
		t.Errorf("%d payloads are forgotten, %v", n, err)
	}
}

func TestWalletsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us, ca := w.App.Merchants.US, w.App.Merchants.CA
	plain := w.Merchant(merchant.CreateInput{}).ID
	walletWorld(t, w, us, ca)
	elsewhere := w.Merchant(merchant.CreateInput{}).ID
	on := true
	if _, err := w.Merchants.Update(t.Context(), w.Actor(), elsewhere,
		merchant.UpdateInput{HasWalletA: patch.Set(on), Domains: patch.Set([]string{"www.shop.example"})},
		nil); err != nil {
		t.Fatal(err)
	}
	broken := payload(t, w, token.WalletA, "4242424242424242", us)
	broken.Payload = append(broken.Payload[:len(broken.Payload)-2], '}')
	billed := payload(t, w, token.WalletB, "4242424242424242", us)
	billed.Billing.AddressCountry = "usa"
	for name, c := range map[string]struct {
		merchant int64
		in       token.WalletInput
		code     string
	}{
		"not switched on":     {plain, payload(t, w, token.WalletA, "4242424242424242", plain), "payment_method_disabled"},
		"another domain":      {elsewhere, payload(t, w, token.WalletA, "4242424242424242", elsewhere), "wallet_domain_not_registered"},
		"A, another merchant": {us, payload(t, w, token.WalletA, "4242424242424242", ca), "wallet_signature_invalid"},
		"B, another merchant": {us, payload(t, w, token.WalletB, "4242424242424242", ca), "wallet_signature_invalid"},
		"the other wallet":    {us, token.WalletInput{Kind: token.WalletB, Payload: payload(t, w, token.WalletA, "4242424242424242", us).Payload}, "wallet_signature_invalid"},
		"a broken payload":    {us, broken, "wallet_signature_invalid"},
		"no wallet":           {us, token.WalletInput{Kind: token.CardKind}, "payment_method_disabled"},
		"JCB in the US":       {us, payload(t, w, token.WalletA, jcb, us), "network_not_supported"},
		"a country of three":  {us, billed, "parameters_invalid"},
	} {
		_, err := w.Tokens.CreateWallet(t.Context(), w.SessionOf(w.App, c.merchant), retry(w), c.in)
		if f, ok := fault.As(err); !ok || f.Code != c.code && (len(f.Fields) == 0 || c.code != "parameters_invalid") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		merchant int64
		kind     token.Kind
	}{"JCB in Canada": {ca, token.WalletA}, "JCB with wallet B": {us, token.WalletB}} {
		if _, err := w.Tokens.CreateWallet(t.Context(), w.SessionOf(w.App, c.merchant), retry(w),
			payload(t, w, c.kind, jcb, c.merchant)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
