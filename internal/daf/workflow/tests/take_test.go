package workflow_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf/workflow"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// take takes an id as workflowSessionId or grantId for a merchant and makes a donation of it if it
// is unused.
func take(t *testing.T, w *fixture.World, applicationID, merchantID int64, session,
	grant string) (out workflow.Authorized, err error) {
	t.Helper()
	err = pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		out, err = w.Workflows.TakeTx(t.Context(), tx, applicationID, merchantID, session, grant)
		if err != nil || !out.DonationID.IsZero() {
			return err
		}
		return workflow.UsedTx(t.Context(), tx, out, ids.NewDonation(w.Clock.Now()))
	})
	return out, err
}

func TestWhatWasAuthorizedIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	app, merchant := w.App.AppID, w.App.Merchants.US
	session := w.Authorized(w.App, merchant, workflow.Integrated, 12_500)
	grant := w.Authorized(w.App, merchant, workflow.Nonintegrated, 700)
	a, err := take(t, w, app, merchant, session, "")
	if err != nil || a.Kind != workflow.Integrated || a.Amount != 12_500 || a.VisitID == "" || a.FundName == "" ||
		a.Donor != fixture.Donor ||
		!a.DonationID.IsZero() || !a.ExpiresAt.Equal(w.Clock.Now().Add(15*time.Minute)) {
		t.Errorf("%+v, %v", a, err)
	}
	if b, err := take(t, w, app, merchant, "", grant); err != nil || b.Kind != workflow.Nonintegrated ||
		b.Amount != 700 || b.VisitID != "" {
		t.Errorf("%+v, %v", b, err)
	}
	again, err := take(t, w, app, merchant, session, "")
	if err != nil || again.DonationID.IsZero() {
		t.Errorf("again: %+v, %v", again, err)
	}
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		return workflow.UsedTx(t.Context(), tx, again, ids.NewDonation(w.Clock.Now()))
	}); err == nil {
		t.Error("one id became two donations")
	}
}

func TestIdsOfOthersAreUnknown(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session := w.Authorized(w.App, w.App.Merchants.US, workflow.Integrated, 100)
	grant := w.Authorized(w.App, w.App.Merchants.US, workflow.Nonintegrated, 100)
	for name, tt := range map[string]struct {
		application, merchant int64
		session, grant        string
	}{
		"none":                {w.App.AppID, w.App.Merchants.US, "", ""},
		"both":                {w.App.AppID, w.App.Merchants.US, session, grant},
		"forged":              {w.App.AppID, w.App.Merchants.US, session + "x", ""},
		"forged grant":        {w.App.AppID, w.App.Merchants.US, "", "gr_"},
		"in the other place":  {w.App.AppID, w.App.Merchants.US, grant, ""},
		"in the other place,": {w.App.AppID, w.App.Merchants.US, "", session},
		"another merchant":    {w.App.AppID, w.App.Merchants.CA, session, ""},
		"another application": {w.Other.AppID, w.Other.Merchants.US, session, ""},
		"its merchant alone":  {w.Other.AppID, w.App.Merchants.US, "", grant},
	} {
		if a, err := take(t, w, tt.application, tt.merchant, tt.session, tt.grant); !errors.Is(err,
			workflow.ErrUnknown) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestTwoTakersOfOneIdMakeOneDonation(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session := w.Authorized(w.App, w.App.Merchants.US, workflow.Integrated, 100)
	const takers = 8
	var wg sync.WaitGroup
	fresh := make(chan bool, takers)
	for range takers {
		wg.Go(func() {
			a, err := take(t, w, w.App.AppID, w.App.Merchants.US, session, "")
			if err != nil {
				t.Error(err)
			}
			fresh <- a.DonationID.IsZero()
		})
	}
	wg.Wait()
	close(fresh)
	n := 0
	for first := range fresh {
		if first {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of %d found it unused", n, takers)
	}
}
