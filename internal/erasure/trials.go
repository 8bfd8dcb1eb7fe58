package erasure

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// trialBatch is how many test events one statement looks into: each may be as long as a request.
const trialBatch = 500

// selectTrials finds all test events of an application: of events that have no number, which has an index, there are
// few others.
const selectTrials = `SELECT id AS value FROM events WHERE application_id = @application_id
	AND sequence IS NULL AND test`

// findTrialsTx finds the test events that someone made of the payer's objects, or put the address into. A test event
// reports no object but itself.
func (p *payer) findTrialsTx(ctx context.Context, tx *pg.Tx) error {
	all, err := pg.Column[[16]byte](ctx, tx, selectTrials, pg.Args{"application_id": p.applicationID})
	if err != nil {
		return err
	}
	var addresses []string
	for _, address := range p.addresses() {
		written, err := json.Marshal(address)
		if err != nil {
			return err
		}
		addresses = append(addresses, strings.Trim(string(written), `"`))
	}
	objects := numbers(p.objects())
	for some := range slices.Chunk(all, trialBatch) {
		found, err := pg.Column[[16]byte](ctx, tx, `
			SELECT id AS value FROM events WHERE application_id = @application_id AND id = ANY (@some)
				AND (split_part(object->>'id', '_', 2) = ANY (@objects) OR EXISTS (SELECT
					FROM unnest(@addresses::text[]) a WHERE position(lower(a) IN lower(object::text)) > 0))`,
			pg.Args{"application_id": p.applicationID, "some": some, "objects": objects, "addresses": addresses})
		if err != nil {
			return err
		}
		p.others = append(p.others, found...)
	}
	return nil
}

// numbers are ids as they are printed behind the prefixes of their kinds.
func numbers(objects [][16]byte) []string {
	out := make([]string, len(objects))
	for i, id := range objects {
		_, out[i], _ = strings.Cut(ids.TokenFrom(id).String(), "_")
	}
	return out
}
