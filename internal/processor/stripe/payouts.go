package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// A payout takes two requests: a transfer from the platform's balance to the merchant's connected account, and a Stripe
// payout from there to the bank. If the payout is refused or never created, the adapter reverses the transfer. A
// transfer can be reversed only once, and only while the money is there, so the same money is never both paid out and
// reversed.

// notPaidHere is the processor code of a payout that is declined because the account is not a connected account.
const notPaidHere = "account_without_platform"

// payoutDeclines maps Stripe's codes to decline codes; any other is [processor.PayoutDeclined].
var payoutDeclines = map[sdk.ErrorCode]string{
	sdk.ErrorCodeBalanceInsufficient: processor.BalanceTooLow,
	sdk.ErrorCodeInsufficientFunds:   processor.BalanceTooLow,
}

func payoutDeclined(code, raw string) processor.Answer {
	return processor.Answer{DeclineCode: cmp.Or(code, processor.PayoutDeclined), RawCode: cmp.Or(raw, code, "unknown")}
}

// Payout implements [processor.Payouts]. It pays only to the bank account of the request, which the connected account
// must have on file.
func (a *Adapter) Payout(ctx context.Context, p processor.Payout) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	k, err := a.keysAt(ctx, p.Account)
	switch {
	case err != nil:
		return processor.Answer{}, err
	case k.platform == "":
		return payoutDeclined("", notPaidHere), nil
	}
	platform := a.client(k.secret)
	bank, refusal, err := destination(ctx, platform, p)
	if err != nil || refusal.DeclineCode != "" {
		return refusal, err
	}
	transfer, err := platform.V1Transfers.Create(ctx, transferParams(p, k.id))
	if err != nil {
		e, ok := final(err)
		if !ok {
			return processor.Answer{}, problem("create transfer", err)
		}
		return payoutDeclined(payoutDeclines[e.Code], string(e.Code)), nil
	}
	if transfer.LastResponse.Header.Get("Idempotent-Replayed") != "" { // it may have been reversed since
		return a.repeated(ctx, p, k)
	}
	paid, err := a.clientAt(p.Account, k).V1Payouts.Create(ctx, payoutParams(p, k.id, bank))
	switch e, ok := final(err); {
	case err == nil && paid.ID != "":
		return processor.Answer{Approved: true, ExternalID: paid.ID}, nil
	case !ok:
		return processor.Answer{}, problem("create payout", err)
	default:
		if err := reverse(ctx, platform, transfer); err != nil {
			return processor.Answer{}, err
		}
		return payoutDeclined(payoutDeclines[e.Code], string(e.Code)), nil
	}
}

// repeated returns the outcome of a payout whose reference was used before.
func (a *Adapter) repeated(ctx context.Context, p processor.Payout, k keys) (processor.Answer, error) {
	s, err := parse(ctx, p.Reference)
	if err != nil {
		return processor.Answer{}, err
	}
	answer, err := a.findPayout(ctx, p.Account, k, s)
	if errors.Is(err, processor.ErrNotFound) {
		return payoutDeclined("", "reversed"), nil
	}
	return answer, err
}

// destination returns Stripe's ID of the bank account to pay, or the refusal of a payout that can't be made.
func destination(ctx context.Context, platform *sdk.Client, p processor.Payout) (id string, refusal processor.Answer,
	_ error) {
	account, err := platform.V1Accounts.GetByID(ctx, p.Account.External, nil)
	if err != nil {
		return "", refusal, problem("retrieve account", err)
	}
	if why := unpayable(account); why != "" {
		return "", payoutDeclined("", why), nil
	}
	bank, err := onFile(ctx, platform, p.Account, p.Bank, p.Currency)
	if errors.Is(err, processor.ErrNotFound) {
		return "", payoutDeclined(processor.BankMismatch, ""), nil
	}
	return bank, refusal, err
}

// onFile returns Stripe's ID of a bank account, or ErrNotFound if Stripe does not have it on file.
func onFile(ctx context.Context, platform *sdk.Client, at processor.Account, bank processor.Bank,
	currency money.Currency) (string, error) {
	found, err := first(ctx,
		platform.V1BankAccounts.List(ctx, &sdk.BankAccountListParams{Account: sdk.String(at.External)}),
		"list external_accounts", func(b *sdk.BankAccount) bool { return same(b, bank, currency) })
	if err != nil {
		return "", err
	}
	return found.ID, nil
}

// HasBankAccount implements [processor.BankAccounts].
func (a *Adapter) HasBankAccount(ctx context.Context, account processor.Account, bank processor.Bank,
	currency money.Currency) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	k, err := a.keysAt(ctx, account)
	if err != nil || k.platform == "" {
		return false, err
	}
	_, err = onFile(ctx, a.client(k.secret), account, bank, currency)
	if errors.Is(err, processor.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// same reports whether a bank account at Stripe matches ours. Stripe shows only the routing number and the last four
// digits of the account number. It writes a Canadian routing number with a dash between transit and institution number.
func same(theirs *sdk.BankAccount, ours processor.Bank, currency money.Currency) bool {
	return string(theirs.Currency) == string(currency) && theirs.Last4 != "" && theirs.Last4 == ours.Number.Last4() &&
		strings.ReplaceAll(theirs.RoutingNumber, "-", "") == ours.Routing
}

func transferParams(p processor.Payout, id string) *sdk.TransferCreateParams {
	t := &sdk.TransferCreateParams{Amount: sdk.Int64(int64(p.Amount)), Currency: sdk.String(string(p.Currency)),
		Destination: sdk.String(p.Account.External), TransferGroup: sdk.String(p.Reference),
		Metadata: marked(p.Reference, id)}
	t.SetIdempotencyKey(p.Reference)
	return t
}

// descriptorLength is the longest descriptor of a payout.
const descriptorLength = 22

func payoutParams(p processor.Payout, id, bank string) *sdk.PayoutCreateParams {
	out := &sdk.PayoutCreateParams{Amount: sdk.Int64(int64(p.Amount)), Currency: sdk.String(string(p.Currency)),
		Destination: sdk.String(bank),
		Metadata:    marked(p.Reference, id)}
	if text := processor.Cut(plain(p.Descriptor), descriptorLength); strings.ContainsFunc(text, isLetter) {
		out.StatementDescriptor = sdk.String(text)
	}
	out.SetIdempotencyKey(p.Reference + ":payout")
	return out
}

// reverse reverses a full transfer. Stripe refuses to do so twice. The request has no idempotency key: with one, Stripe
// would repeat the refusal of a first attempt for a day, although the money may have arrived since.
func reverse(ctx context.Context, platform *sdk.Client, t *sdk.Transfer) error {
	r := &sdk.TransferReversalCreateParams{ID: sdk.String(t.ID), Amount: sdk.Int64(t.Amount)}
	if _, err := platform.V1TransferReversals.Create(ctx, r); err != nil {
		return problem("reverse transfer", err)
	}
	return nil
}

// transferOf finds the transfer of a payout.
func transferOf(ctx context.Context, platform *sdk.Client, account processor.Account,
	reference string) (*sdk.Transfer, error) {
	return first(ctx, platform.V1Transfers.List(ctx, &sdk.TransferListParams{TransferGroup: sdk.String(reference)}),
		"list transfers", func(t *sdk.Transfer) bool {
			return t.Metadata[ourReference] == reference && t.Destination != nil && t.Destination.ID == account.External
		})
}

// findPayout finds a payout. If only its transfer exists and its call has ended, findPayout reverses the transfer and
// returns ErrNotFound: without the money, the payout can no longer be created.
func (a *Adapter) findPayout(ctx context.Context, account processor.Account, k keys,
	s submission) (processor.Answer, error) {
	platform, merchant := a.client(k.secret), a.clientAt(account, k)
	transfer, err := transferOf(ctx, platform, account, s.reference)
	if err != nil {
		return processor.Answer{}, err
	}
	answer, err := madePayout(ctx, merchant, s)
	switch {
	case !errors.Is(err, processor.ErrNotFound), transfer.Reversed:
		return answer, err
	case a.config.Now().Sub(s.at) < a.config.Times.Fence:
		return answer, fmt.Errorf("stripe: %s may still be paid out", transfer.ID)
	}
	if err := reverse(ctx, platform, transfer); err != nil {
		return answer, err // the next look-up finds the outcome
	}
	return madePayout(ctx, merchant, s)
}

// madePayout finds the Stripe payout.
func madePayout(ctx context.Context, merchant *sdk.Client, s submission) (processor.Answer, error) {
	p := &sdk.PayoutListParams{CreatedRange: s.created()}
	p.Limit = sdk.Int64(pageSize)
	found, err := first(ctx, merchant.V1Payouts.List(ctx, p), "list payouts",
		func(p *sdk.Payout) bool { return p.Metadata[ourReference] == s.reference })
	if err != nil {
		return processor.Answer{}, err
	}
	return processor.Answer{Approved: true, ExternalID: found.ID}, nil
}

// takeBack reverses the transfer of a failed payout. Stripe returns the money to the connected account, but it belongs
// to the platform until the next payout.
func (a *Adapter) takeBack(ctx context.Context, account processor.Account, reference string) error {
	k, err := a.keysAt(ctx, account)
	if err != nil {
		return err
	}
	platform := a.client(k.secret)
	transfer, err := transferOf(ctx, platform, account, reference)
	switch {
	case errors.Is(err, processor.ErrNotFound):
		return fmt.Errorf("stripe: the payout %s failed, and its transfer is not found", reference)
	case err != nil || transfer.Reversed:
		return err
	}
	return reverse(ctx, platform, transfer)
}

// readPayout reads a payout. If it failed after an event reported it as paid, the bank returned it.
func readPayout(ctx context.Context, c *sdk.Client, b body) (processor.Event, error) {
	p, err := c.V1Payouts.Retrieve(ctx, b.Object, nil)
	if err != nil {
		return processor.Event{}, problem("retrieve payout", err)
	}
	e := processor.Event{Reference: referenceIn(p.Metadata, b.account)}
	switch {
	case e.Reference == "":
	case b.Type == sdk.EventTypePayoutPaid:
		e.Kind = processor.PayoutPaid
	case p.Status == sdk.PayoutStatusFailed, p.Status == sdk.PayoutStatusCanceled:
		e.Kind, e.ReturnCode, e.RawCode = processor.PayoutFailed, returnCode(p), string(p.FailureCode)
		arrived, err := wasPaid(ctx, c, p)
		if err != nil {
			return processor.Event{}, err
		}
		if arrived {
			e.Kind = processor.PayoutReturned
		}
	}
	return e, nil
}

// wasPaid reports whether an event reported a payout as paid.
func wasPaid(ctx context.Context, c *sdk.Client, p *sdk.Payout) (bool, error) {
	list := &sdk.EventListParams{CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: p.Created},
		Types: sdk.StringSlice([]string{string(sdk.EventTypePayoutPaid)})}
	list.Limit = sdk.Int64(pageSize)
	_, err := first(ctx, c.V1Events.List(ctx, list), "list events",
		func(e *sdk.Event) bool { return member(e, "id") == p.ID })
	if errors.Is(err, processor.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// returnCodes maps Stripe's failure codes to the return codes of Nacha and Payments Canada. Other failure codes have
// none.
var returnCodes = map[sdk.PayoutFailureCode][2]string{
	sdk.PayoutFailureCodeAccountClosed:        {"R02", "905"},
	sdk.PayoutFailureCodeNoAccount:            {"R03", "902"},
	sdk.PayoutFailureCodeInvalidAccountNumber: {"R04", "912"},
	sdk.PayoutFailureCodeAccountFrozen:        {"R16", "911"},
}

func returnCode(p *sdk.Payout) string {
	codes := returnCodes[p.FailureCode]
	if string(p.Currency) == string(money.CAD) {
		return codes[1]
	}
	return codes[0]
}

// readPaidOut reads the line of a payout. A failed payout has no second line, because an event reports the failure.
func readPaidOut(t *sdk.BalanceTransaction, id string) (l processor.BookLine) {
	if t.Source == nil || t.Source.Payout == nil {
		return l
	}
	p := t.Source.Payout
	l.Kind, l.Reference = "payout", referenceIn(p.Metadata, id)
	l.Amount, l.Currency = moved(t, p.Amount, p.Currency)
	return l
}
