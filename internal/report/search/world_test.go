package search_test

import (
	"testing"

	"svcpay/internal/testing/fixture"
)

// place is a world with the first application's US merchant.
type place struct {
	*fixture.World
	us int64
}

func open(t *testing.T) place {
	t.Helper()
	w := fixture.New(t)
	return place{w, w.App.Merchants.US}
}
