package identity

import (
	"context"
	"strconv"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// unrepeated is how many of a person's passwords, the current one among them, can't be chosen again (PCI DSS 8.3.7).
const unrepeated = 4

// checkUnrepeated checks that a password is none of a person's last ones. Fault: parameter_invalid.
func (s *Service) checkUnrepeated(ctx context.Context, p Person, password string) error {
	hashes, err := pg.Value[[]string](ctx, s.pool, `
		SELECT array_agg(password_hash) FROM (SELECT password_hash FROM people WHERE id = @person
			UNION ALL (SELECT password_hash FROM former_passwords WHERE person_id = @person
				ORDER BY id DESC LIMIT @former)) AS used`,
		pg.Args{"person": p.ID, "former": unrepeated - 1})
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		is, err := checkPassword(ctx, hash, password, true)
		if err != nil {
			return err
		}
		if is.right {
			var fs fault.Fields
			fs.Add("password", "parameter_invalid",
				"You used this password recently. Choose one that isn’t among your last "+strconv.Itoa(unrepeated)+".")
			return fs.Err()
		}
	}
	return nil
}

// keepFormerTx queues that a person's current password is kept as a former one, before another is set.
func (s *Service) keepFormerTx(tx *pg.Tx, personID int64) {
	tx.Later(`INSERT INTO former_passwords (person_id, password_hash, replaced_at)
		SELECT id, password_hash, @now FROM people WHERE id = @person FOR UPDATE`,
		pg.Args{"person": personID, "now": s.now()})
	tx.Later(`DELETE FROM former_passwords WHERE person_id = @person AND id NOT IN (
		SELECT id FROM former_passwords WHERE person_id = @person ORDER BY id DESC LIMIT @former)`,
		pg.Args{"person": personID, "former": unrepeated - 1})
}
