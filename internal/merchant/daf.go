package merchant

import (
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// EnrollTx notes of a locked merchant that its provider of donor-advised funds has taken it in: as which
// organization, and under which id. A merchant of which that is known keeps its version.
func (s *Service) EnrollTx(tx *pg.Tx, m instant.Moment, locked Merchant, ein, connectID string,
	c Cause) (Merchant, error) {
	if deref(locked.DAFProviderConnectID) == connectID && deref(locked.EIN) == ein {
		return locked, nil
	}
	after := locked
	after.EIN, after.DAFProviderConnectID = &ein, &connectID
	return s.changeTx(tx, m, locked, after, c)
}

// LeaveTx ends the enrollment of a locked merchant in DAF Pay. One that is not enrolled keeps its version.
func (s *Service) LeaveTx(tx *pg.Tx, m instant.Moment, locked Merchant, c Cause) (Merchant, error) {
	if locked.DAFProviderConnectID == nil {
		return locked, nil
	}
	after := locked
	after.DAFProviderConnectID = nil
	return s.changeTx(tx, m, locked, after, c)
}
