package stripe

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// signatureHeader has the time and the signatures of a notice, as t=SECONDS,v1=HEX.
const signatureHeader = "Stripe-Signature"

// tolerance is how old a notice may be, and how far ahead of our clock.
const tolerance = 5 * time.Minute

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
		return signed(header.Get(signatureHeader), secret, body, a.config.Now())
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

// signed reports whether a header has a signature of a body that is right and of now.
func signed(header, secret string, body []byte, now time.Time) bool {
	seconds, right := "", false
	var given [][]byte
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			seconds = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				given = append(given, sum)
			}
		}
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > tolerance {
		return false
	}
	want := hmac.New(sha256.New, []byte(secret))
	want.Write([]byte(seconds + "."))
	want.Write(body)
	sum := want.Sum(nil)
	for _, one := range given {
		right = right || hmac.Equal(one, sum)
	}
	return right
}
