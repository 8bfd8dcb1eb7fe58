package accounts

import (
	"context"

	"svcpay/internal/processor"
)

// Grants are what the last test of an account found that its counterparty granted it; none if it is not connected.
func (k Keyring) Grants(ctx context.Context, of processor.Account) ([]processor.Grant, error) {
	a, err := find(ctx, k.pool, of)
	if err != nil || a == nil || a.Report == nil {
		return nil, err
	}
	return a.Report.Grants, nil
}
