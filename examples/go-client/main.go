// Command go-client shows the Go client against a running svcpay dev.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/api/client"
)

// credentials are what svcpay dev writes down.
type credentials struct {
	BaseURL   string `json:"base_url"`
	AppID     int64  `json:"app_id"`
	SecretKey string `json:"secret_key"`
	Merchants struct {
		US int64 `json:"us"`
	} `json:"merchants"`
}

func main() {
	text, err := os.ReadFile(os.Getenv("SVCPAY_CREDENTIALS"))
	if err != nil {
		log.Fatal(err)
	}
	var mine credentials
	if err := json.Unmarshal(text, &mine); err != nil {
		log.Fatal(err)
	}
	c, err := client.New(mine.BaseURL, mine.AppID, mine.SecretKey, client.WithUserAgent("example/1.0"))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	charge, err := chargeAndRefund(ctx, c, mine.Merchants.US)
	if err == nil {
		err = errors.Join(decline(ctx, c, mine.Merchants.US), lateAnswer(ctx, c, mine.Merchants.US), receive(charge))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// order charges a payer whose card behaves like one of the sandbox's test cases. On a page, svcpay.js makes the token.
func order(ctx context.Context, c *client.Client, merchant int64, testCase client.TokenTestCase,
	options ...client.Option) (*client.Charge, error) {
	token, err := c.Tokens.CreateTestToken(ctx, client.CreateTestToken{MerchantID: merchant, TestCase: testCase})
	if err != nil {
		return nil, err
	}
	return c.Charges.Create(ctx, client.CreateCharge{
		MerchantID: merchant, Amount: 12500, Token: token.ID, Description: "Spring appeal",
		Metadata: map[string]string{"campaign": "spring"},
	}, options...)
}

func chargeAndRefund(ctx context.Context, c *client.Client, merchant int64) (*client.Charge, error) {
	// A key of your own, written down before it is sent, survives a crash of your program.
	charge, err := order(ctx, c, merchant, "approved", client.IdempotencyKey("order-"+rand.Text()), client.UntilKnown())
	if err != nil {
		return nil, err
	}
	fmt.Printf("charged %s: %s, %d %s\n", charge.ID, charge.Status, charge.Amount, charge.Currency)

	refund, err := c.Refunds.Create(ctx,
		client.CreateRefund{ChargeID: charge.ID, Amount: new(int64(4000)), Reason: client.RefundReasonRequestedByPayer})
	if err != nil {
		return nil, err
	}
	fmt.Printf("refunded %d: %s\n", refund.Amount, refund.Status)

	for refund, err := range c.Refunds.List(ctx, client.ListRefundsParams{ChargeID: charge.ID}) {
		if err != nil {
			return nil, err
		}
		fmt.Printf("listed a refund of %d\n", refund.Amount)
	}

	_, err = c.Refunds.Create(ctx, client.CreateRefund{ChargeID: charge.ID, Amount: new(int64(12500))})
	if e, ok := errors.AsType[*client.Error](err); ok && e.Code == client.ErrorCodeRefundExceedsRemaining {
		fmt.Printf("refused: %s, %d is left\n", e.Code, *e.Remaining)
		err = nil
	}
	return charge, err
}

// decline shows the outcome of a card without money.
func decline(ctx context.Context, c *client.Client, merchant int64) error {
	_, err := order(ctx, c, merchant, "declined_insufficient_funds")
	if e, ok := errors.AsType[*client.Error](err); ok && e.Type == client.ErrorTypeCardError {
		fmt.Printf("declined: %s, %s\n", e.DeclineCode, e.Advice)
		return nil
	}
	return err
}

// lateAnswer charges a card whose processor loses its answer: the outcome is known some seconds later.
func lateAnswer(ctx context.Context, c *client.Client, merchant int64) error {
	charge, err := order(ctx, c, merchant, "timeout")
	if err != nil {
		return err
	}
	fmt.Printf("at first: %s\n", charge.Status)
	charge, err = client.Until(ctx,
		func(ctx context.Context) (*client.Charge, error) {
			return c.Charges.Get(ctx, charge.ID, client.GetChargeParams{})
		},
		func(charge *client.Charge) bool { return charge.Status != client.ChargeStatusProcessing })
	if err != nil {
		return err
	}
	fmt.Printf("later: %s\n", charge.Status)
	return nil
}

// receive verifies a delivery, which it signs itself here, and reads it.
func receive(charge *client.Charge) error {
	secret := "whsec_" + rand.Text() + rand.Text()
	body, err := json.Marshal(map[string]any{"id": "evt_1", "type": "charge.captured", "timestamp": time.Now(),
		"data": map[string]any{"object": charge}})
	if err != nil {
		return err
	}
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	now := time.Now()
	signature, err := signer.Sign("evt_1", now, body)
	if err != nil {
		return err
	}
	header := http.Header{}
	header.Set("Webhook-Id", "evt_1")
	header.Set("Webhook-Timestamp", fmt.Sprint(now.Unix()))
	header.Set("Webhook-Signature", signature)

	event, err := client.VerifyWebhook([]string{secret}, header, body, client.DefaultTolerance)
	if err != nil {
		return err // answer 400
	}
	told, err := client.ObjectOf[client.Charge](event)
	if err != nil {
		return err
	}
	fmt.Printf("webhook: %s of %s\n", event.Type, told.ID)
	return nil
}
