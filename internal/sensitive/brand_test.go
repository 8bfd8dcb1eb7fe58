package sensitive_test

import (
	"encoding/json"
	"os"
	"testing"

	"svcpay/internal/sensitive"
)

// TestBrandsOfExamples holds the service to the table that the library's card field is held to as well.
func TestBrandsOfExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cards.json")
	if err != nil {
		t.Fatal(err)
	}
	var cards map[string]string
	if err := json.Unmarshal(text, &cards); err != nil {
		t.Fatal(err)
	}
	for number, want := range cards {
		brand := sensitive.BrandOf(number)
		got := brand.Name
		if !brand.Fits(number) || !sensitive.Luhn(number) {
			got = ""
		}
		if got != want {
			t.Errorf("%s is taken for %q, want %q", number, got, want)
		}
	}
}
