package vault_test

import (
	"slices"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
)

func TestExamineGoesThroughTheVaultInPages(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var made []string
	for _, number := range []string{"4242424242424242", "5555555555554444", "378282246310005"} {
		made = append(made, w.Token(number))
	}
	made = append(made, w.BankToken(w.App.Merchants.US, w.USBank("000123456789")))
	for _, most := range []int{1, 2, 4, 5, 100} {
		opened, pages := 0, 0
		for after := (ids.Token{}); ; pages++ {
			seen, err := vault.New(w.Keys).Examine(t.Context(), w.Pool, after, most)
			if err != nil || len(seen.Sealed) > 0 || seen.Opened > most {
				t.Fatalf("%+v, %v", seen, err)
			}
			opened += seen.Opened
			if after = seen.Last; after.IsZero() {
				break
			}
		}
		if opened != len(made) || pages != len(made)/most {
			t.Errorf("%d at a time: %d rows in %d pages", most, opened, pages+1)
		}
	}
	seen, err := vault.New(newKeys(t)).Examine(t.Context(), w.Pool, ids.Token{}, 100)
	var sealed []string
	for _, token := range seen.Sealed {
		sealed = append(sealed, token.String())
	}
	slices.Sort(sealed)
	slices.Sort(made)
	if err != nil || seen.Opened != 0 || !slices.Equal(sealed, made) {
		t.Errorf("by other keys: %+v, %v", seen, err)
	}
}
