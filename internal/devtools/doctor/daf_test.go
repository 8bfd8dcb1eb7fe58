package doctor_test

import (
	"net/http/httptest"
	"testing"

	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/devtools/doctor"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

func TestTheConnectionToTheDAFProviderIsTested(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const check = "daf provider"
	wants(t, patient(w), check, doctor.Good, "the sandbox's provider")
	f := fake.New(w.Clock.Now())
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	p := patient(w)
	p.DAF = connection.New(connection.Deps{Pool: w.Pool, Check: w.Gate, Now: w.Clock.Now, Box: w.Keys.Secrets,
		Provider: chariot.New(chariot.Config{Pool: w.Pool, API: s.URL, Now: w.Clock.Now,
			PagesOrigin: "https://giving.example", Credentials: connection.NewKeyring(w.Pool,
				w.Keys.Secrets).Credentials(chariot.Name)})})
	wants(t, p, check, doctor.Doubtful, "no provider")
	if _, err := p.DAF.Connect(t.Context(), w.Admin(), sensitive.NewCredentials(f.Key+" "+f.Secret)); err != nil {
		t.Fatal(err)
	}
	wants(t, p, check, doctor.Good, "nothing is missing")
	f.NoDeposits(true)
	wants(t, p, check, doctor.Good, "optional parts are missing: deposits")
	f.Fail("GET /v1/events", fake.Forbidden)
	wants(t, p, check, doctor.Doubtful, "something is missing")
	f.Busy(true)
	wants(t, p, check, doctor.Wrong, "could not be reached")
	f.Busy(false)
	f.Key = "sk_test_another"
	wants(t, p, check, doctor.Wrong, "rejected the API key")
}

func TestEnrollmentsAtAnotherProviderAreFound(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	execute(t, w, `
		INSERT INTO daf_enrollments (id, application_id, merchant_id, ein, name, provider, state, created_at,
			finished_at)
		SELECT gen_random_uuid(), application_id, id, '20-2000001', 'A merchant', 'sandbox', 'enrolled', now(), now()
		FROM merchants WHERE id = @id`, pg.Args{"id": w.App.Merchants.US})
	p := patient(w)
	wants(t, p, "enrollments", doctor.Good, "every enrolled merchant")
	p.Funds = chariot.Name
	wants(t, p, "enrollments", doctor.Wrong, "1 merchants")
}
