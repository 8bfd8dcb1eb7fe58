package search_test

import (
	"strings"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/report/search"
)

// A card number is no query, in one term or in several, whatever is between its digits; a reference may look like one.
func TestCardNumbersAreNotSearchedFor(t *testing.T) {
	t.Parallel()
	for query, refused := range map[string]bool{
		"4242424242424242": true, "4242 4242 4242 4242": true, "dana 4242-4242-4242-4242": true,
		`"4242  4242 4242.4242"`: true, "４２４２424242424242": true,
		"-4242424242424242": true, "metadata.order:4242424242424242": true, "metadata.4242424242424242:x": true,
		"email:4242424242424242@x.example": true,
		"external_id:4242424242424242":     false, `external_id:"4242 4242 4242 4242"`: false, "4242 last4:4242": false,
		"1234567812345670": false,
	} {
		_, err := search.Parse(query)
		told, ok := fault.As(err)
		if (err != nil) != refused || refused && (!ok || !strings.Contains(told.Message, "looks like a card number") ||
			strings.Contains(told.Message, "4242")) {
			t.Errorf("%q: %v", query, err)
		}
	}
}
