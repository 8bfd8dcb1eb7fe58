package inbound

import (
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
)

// ToDonations hands the events of grants to the donations that they are of.
func (s *Service) ToDonations(d *daf.Service) {
	s.onGrant(provider.GrantCompleted, d.Completed)
	s.onGrant(provider.GrantCanceled, d.Canceled)
}
