package money

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// another is a server of its own over the site's database, whose clock runs, and is ahead.
func (s *site) another(ahead time.Duration) *assembly.Services {
	now := func() time.Time { return time.Now().Add(ahead) }
	return assembly.New(assembly.Deps{Pool: s.Pool, Vault: vault.New(s.Keys), Secrets: s.Keys.Secrets,
		Clock: clock.New(s.Pool, now), Processors: processor.Only(s.Processor),
		DAF: s.Funds, Banks: s.Banks, Check: s.Gate, Environment: apikey.Sandbox, Now: now})
}

// changeFees changes fees on a server in one of the ways that there are: a merchant's at once, in some milliseconds,
// its daf_percentage, the service's own; or cancels what is scheduled.
func (s *site) changeFees(on *assembly.Services, id int64, n int) error {
	ctx := s.ctx()
	now, err := on.Fees.Current(ctx, s.admin(), id)
	if err != nil {
		return err
	}
	rates := now.Rates
	rates.AuthorizationFee, rates.CaptureFee = money.Amount(100+n), money.Amount(500+n)
	c := fee.Change{Rates: rates, Reason: "Under load", Base: now.Latest}
	switch n % 5 {
	case 0, 1:
		_, err = on.Fees.Schedule(ctx, s.admin(), id, c)
	case 2:
		c.EffectiveAt = ptr(now.EffectiveAt.Add(time.Since(now.EffectiveAt.Time) +
			time.Duration(20+rand.IntN(60))*time.Millisecond))
		_, err = on.Fees.Schedule(ctx, s.admin(), id, c)
	case 3:
		_, err = on.Fees.SetDAFPercentage(ctx, s.server(), id, fee.DAFChange{Percent: money.Percent(1000 + n)}, nil)
	default:
		own, lost := on.Fees.ServiceRates(ctx, s.admin(), s.app.AppID)
		if lost != nil {
			return lost
		}
		_, err = on.Fees.ScheduleServiceRates(ctx, s.admin(), s.app.AppID,
			fee.Change{Rates: fee.Rates{AuthorizationFee: money.Amount(n), CaptureFee: money.Amount(2 * n)},
				Reason: "Under load", Base: own.Latest})
	}
	if len(now.Scheduled) > 0 && n%2 == 1 {
		_, lost := on.Fees.CancelScheduled(ctx, s.admin(), id, now.Scheduled[0].ID)
		if lost != nil && !fault.HasCode(lost, "fee_schedule_begun") {
			return lost
		}
	}
	// the other server was first, or it is past
	if fault.HasCode(err, "object_changed") || fault.HasCode(err, "parameter_invalid") {
		return nil
	}
	return err
}

// While two servers with different clocks charge and both change fees, each line is what the schedule costs that is in
// effect when the event happens: recomputed from the schedules alone, by the times that the charges show.
func TestLinesFollowFromTheSchedulesInEffectUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const workers, each = 4, 40
	servers := []*assembly.Services{s.another(0), s.another(25 * time.Millisecond)}
	id := s.merchant(fee.Rates{AuthorizationFee: 1, CaptureFee: 2})
	tokens := make(chan string, len(servers)*workers*each)
	for range cap(tokens) {
		tokens <- s.token(id, "approved")
	}
	close(tokens)
	time.Sleep(30 * time.Millisecond) // all clocks are past the merchant's first schedule
	var charging, changing sync.WaitGroup
	var done atomic.Bool
	for i, on := range servers {
		for range workers {
			charging.Go(func() {
				for token := range tokens {
					amount := money.Amount(10_000)
					_, err := on.Charges.Create(s.ctx(), s.server(),
						charge.CreateInput{MerchantID: &id, Amount: &amount, Token: &token}, nil)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		changing.Go(func() {
			for n := i; !done.Load(); n += len(servers) {
				if err := s.changeFees(on, id, n); err != nil {
					t.Error(n, err)
					return
				}
			}
		})
	}
	charging.Wait()
	done.Store(true)
	changing.Wait()
	s.manySchedules(t, id, len(servers)*workers*each)
	const inEffect = `(SELECT f.id FROM %s f WHERE f.application_id = e.application_id AND %s AND f.canceled_at IS NULL
		AND f.effective_at <= CASE e.kind WHEN 'authorized' THEN c.authorized_at ELSE c.captured_at END
			ORDER BY f.effective_at DESC, f.version DESC LIMIT 1)`
	s.none("lines of a schedule that was not in effect", `
		SELECT e.kind || ' of ' || c.id || ' at ' || c.authorized_at || ' by the schedule of ' ||
			f.effective_at AS wrong
		FROM fee_events e JOIN charges c ON c.id = e.source_id JOIN fee_schedules f ON f.id = e.schedule_id
		WHERE e.application_id = @app
			AND (e.schedule_id <> `+fmt.Sprintf(inEffect, "fee_schedules", "f.merchant_id = e.merchant_id")+`
			OR e.service_schedule_id IS DISTINCT FROM `+fmt.Sprintf(inEffect, "service_fee_schedules", "true")+`)`)
	s.auditFees()
}

// manySchedules fails unless a merchant has that many captured charges by at least three schedules.
func (s *site) manySchedules(t *testing.T, id int64, want int) {
	t.Helper()
	type counts struct {
		Charges   int `db:"charges"`
		Schedules int `db:"schedules"`
	}
	got := rows[counts](s, fmt.Sprintf(`SELECT count(*) AS charges, count(DISTINCT schedule_id) AS schedules
		FROM fee_events WHERE application_id = @app AND kind = 'captured' AND merchant_id = %d`, id))[0]
	if got.Charges != want || got.Schedules < 3 {
		t.Errorf("%+v, want %d charges by several schedules", got, want)
	}
}
