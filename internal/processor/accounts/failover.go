package accounts

import (
	"context"
	"slices"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

// Failover says whether new payments of an application pass over accounts whose processor is down.
type Failover struct {
	Enabled bool `db:"processor_failover" json:"processor_failover"`
}

// Failover returns the setting of the actor's application, for those who may see the application's default accounts.
func (s *Service) Failover(ctx context.Context, actor authz.Actor) (Failover, error) {
	if err := s.allow(actor, authz.ProcessingRead, nil); err != nil {
		return Failover{}, err
	}
	return pg.Find[Failover](ctx, s.deps.Pool, `SELECT processor_failover FROM applications WHERE id = @application_id`,
		pg.Args{"application_id": actor.ApplicationID})
}

// SetFailover turns failover on or off for new payments of the application. Nothing changes for payments that were
// made.
func (s *Service) SetFailover(ctx context.Context, actor authz.Actor, on bool) error {
	subject := audit.Of("application", strconv.FormatInt(actor.ApplicationID, 10), 0)
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage, subject); err != nil {
		return err
	}
	if err := s.allow(actor, authz.ProcessingManage, nil); err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		before, err := pg.Find[Failover](ctx, tx, `
			SELECT processor_failover FROM applications WHERE id = @application_id FOR NO KEY UPDATE`,
			pg.Args{"application_id": actor.ApplicationID})
		if err != nil || before.Enabled == on {
			return err
		}
		tx.Later(`UPDATE applications SET processor_failover = @enabled WHERE id = @application_id`,
			pg.Args{"application_id": actor.ApplicationID, "enabled": on})
		return s.audit.DoneTx(tx, actor, authz.ProcessingManage, subject, before, Failover{on})
	})
}

// DownProcessors are the adapters of the deployment that this process knows to be down, in order.
func (s *Service) DownProcessors() []string {
	all := s.deps.Processors
	return slices.DeleteFunc(all.Names(), func(name string) bool { return !all.Down(name) })
}
