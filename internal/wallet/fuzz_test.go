package wallet_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/wallet"
	"svcpay/internal/wallet/sandbox"
)

const visa = "4242424242424242"

// FuzzOpen demands that nothing but what was sealed opens, and that no error tells a number.
func FuzzOpen(f *testing.F) {
	i, err := sandbox.Create(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	card, sale := sandbox.Card{Number: sensitive.NewPAN(visa), ExpMonth: 8, ExpYear: 2031}, sandbox.Sale{
		Amount: 5, Currency: money.USD, Bound: "merchant:7"}
	a, _ := i.SealA(card, sale)
	b, _ := i.SealB(card, sale, time.Now())
	f.Add(a)
	f.Add(b)
	f.Fuzz(func(t *testing.T, token []byte) {
		for _, open := range []func() (wallet.Payment, error){
			func() (wallet.Payment, error) { return i.A().Open(token, []byte(sale.Bound), time.Now()) },
			func() (wallet.Payment, error) { return i.B().Open(token, sale.Bound, time.Now()) },
		} {
			p, err := open()
			if err == nil && p.Number.Reveal() != visa {
				t.Errorf("%q holds another card", token)
			}
			if text, _ := json.Marshal(err); bytes.Contains(text, []byte(visa)) {
				t.Error("an error tells the number")
			}
		}
	})
}
