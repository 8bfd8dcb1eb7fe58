package assembly

import (
	"context"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider"
	"svcpay/internal/identity"
)

// DAFContact finds the contact that a DAF provider is given for a merchant's organization: the person who enrolls it
// or, for 0, the first one who may.
func DAFContact(people *identity.Service) func(ctx context.Context, applicationID, merchantID, personID int64) (
	provider.Contact, error) {
	return func(ctx context.Context, applicationID, merchantID, personID int64) (provider.Contact, error) {
		of := identity.Concern{Permission: authz.DAFEnrollmentManage, ApplicationID: applicationID,
			MerchantID: merchantID}
		found, err := people.ContactOf(ctx, of, personID)
		name := strings.TrimSpace(found.Name)
		c := provider.Contact{LastName: name, Email: found.Email}
		if at := strings.LastIndex(name, " "); at > 0 {
			c.FirstName, c.LastName = name[:at], name[at+1:]
		}
		return c, err
	}
}
