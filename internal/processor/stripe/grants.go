package stripe

import (
	"context"
	"fmt"
	"slices"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Stripe accepts some parameters from accounts only for which its support turned them on. They are not in its public
// API specification.

// Names of parameters that need a grant.
const (
	exemption    = "payment_method_options[card][mit_exemption]"
	networkToken = "payment_method_options[card][network_token]"
	walletCard   = "payment_method_data[card]"
)

// probes are the grants, each with a parameter that an account without it may not send.
var probes = []struct {
	grant            processor.Grant
	parameter, value string
}{
	{processor.GrantNetworkTransactionID, exemption + "[claim_without_transaction_id]", "true"},
	{processor.GrantWalletTokens, networkToken + "[electronic_commerce_indicator]", "05"},
}

// addGrants adds to a report what Stripe granted to the account of a client, and what it did not. For each grant it
// creates a PaymentIntent that has no card, and cancels it, so that it can't be confirmed. Only what Stripe accepted is
// granted: after any other refusal than that of the parameter, it is not known whether payments would work.
func addGrants(ctx context.Context, c *sdk.Client, report *processor.Report) error {
	for _, probe := range probes {
		p := &sdk.PaymentIntentCreateParams{Amount: sdk.Int64(100), Currency: sdk.String("usd"),
			PaymentMethodTypes: sdk.StringSlice([]string{"card"}), CaptureMethod: sdk.String("manual")}
		p.AddExtra(probe.parameter, probe.value)
		intent, err := c.V1PaymentIntents.Create(ctx, p)
		if _, refused := final(err); refused || isForbidden(err) {
			report.Lacks = append(report.Lacks, lack(string(probe.grant)))
			continue
		}
		if err != nil {
			return problem("create payment_intent", err)
		}
		if _, err := c.V1PaymentIntents.Cancel(ctx, intent.ID,
			&sdk.PaymentIntentCancelParams{CancellationReason: sdk.String(string(fenced))}); err != nil {
			return problem("cancel payment_intent", err)
		}
		report.Grants = append(report.Grants, probe.grant)
	}
	return nil
}

// granted reports whether an account has a grant.
func (a *Adapter) granted(ctx context.Context, account processor.Account, grant processor.Grant) (bool, error) {
	all, err := a.config.Accounts.Grants(ctx, account)
	if err != nil {
		return false, fmt.Errorf("stripe: the grants of %s: %w", account.External, err)
	}
	return slices.Contains(all, grant), nil
}

// linked has a confirmation of a merchant-initiated payment name the network transaction ID of its series.
func linked(p *sdk.PaymentIntentConfirmParams, in processor.Authorization) {
	use := "one_off"
	if in.Stored == processor.Recurring {
		use = "recurring"
	}
	p.OffSession = nil
	p.AddExtra("off_session", use)
	p.AddExtra(exemption+"[network_transaction_id]", in.NetworkTransactionID)
}

// tokenizations are Stripe's names of wallets, by ours.
var tokenizations = map[string]string{"wallet_a": "apple_pay", "wallet_b": "google_pay_dpan"}

// walletParams has a confirmation pay with the card of a wallet: the number of the payer's device, with its cryptogram.
func walletParams(p *sdk.PaymentIntentConfirmParams, c processor.Card) {
	number, month, year := c.PAN.Reveal(), fmt.Sprintf("%02d", c.ExpMonth), fmt.Sprint(c.ExpYear)
	p.PaymentMethod = nil
	p.AddExtra("payment_method_data[type]", "card")
	p.AddExtra(walletCard+"[last4]", number[len(number)-4:])
	p.AddExtra(walletCard+"[exp_month]", month)
	p.AddExtra(walletCard+"[exp_year]", year)
	p.AddExtra(walletCard+"[network_token][number]", number)
	p.AddExtra(walletCard+"[network_token][exp_month]", month)
	p.AddExtra(walletCard+"[network_token][exp_year]", year)
	p.AddExtra(walletCard+"[network_token][tokenization_method]", tokenizations[c.Wallet])
	p.AddExtra(networkToken+"[cryptogram]", c.Cryptogram.Reveal())
	if c.ECI != "" {
		p.AddExtra(networkToken+"[electronic_commerce_indicator]", fmt.Sprintf("%02s", c.ECI))
	}
	if c.Line1 != "" {
		p.AddExtra("payment_method_data[billing_details][address][line1]", c.Line1)
	}
	if c.Zip != "" {
		p.AddExtra("payment_method_data[billing_details][address][postal_code]", c.Zip)
	}
}
