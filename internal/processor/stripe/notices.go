package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// signatureHeader has the time and the signatures of a notice, as t=SECONDS,v1=HEX.
const signatureHeader = "Stripe-Signature"

// Notice implements [processor.Notices]. A notice is one event, signed with the secret of one of the account's webhook
// endpoints. A platform's endpoint also reports events of the accounts to which it pays out. The API version of the
// event does not matter: Notice reads only fields that are the same in all versions.
func (a *Adapter) Notice(ctx context.Context, account processor.Account, header http.Header,
	body []byte) ([]notice.Message, error) {
	credentials, err := a.config.Accounts.Credentials(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("stripe: the credentials of %s: %w", account.External, err)
	}
	k, ok := a.keysOf(credentials)
	if !ok || len(k.webhooks) == 0 {
		return nil, processor.ErrNoAccount
	}
	if !slices.ContainsFunc(k.webhooks, func(secret string) bool {
		return notice.Signed(header.Get(signatureHeader), secret, body, a.config.Now(), secondsOf)
	}) {
		return nil, notice.ErrSignature
	}
	e := &sdk.Event{}
	if err := json.Unmarshal(body, e); err != nil || e.ID == "" || e.Type == "" || e.Created < 1 || e.Data == nil {
		return nil, errors.Join(notice.ErrUnreadable, err)
	}
	about := account
	if e.Account != "" && e.Account != account.External {
		about.External = e.Account
		if ours, err := a.paidBy(ctx, account, about); err != nil || !ours || e.Livemode != a.config.Livemode {
			// a platform's endpoint gets events of all its connected accounts, and in live mode test events, too
			return nil, err
		}
	}
	if e.Livemode != a.config.Livemode {
		return nil, notice.ErrUnreadable
	}
	if !followed(e) {
		return nil, nil
	}
	m, err := message(about.External, e)
	if err != nil {
		return nil, err
	}
	return []notice.Message{m}, nil
}

// secondsOf reads a time that is written in seconds.
func secondsOf(text string) (time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err
}
