package doctor

import (
	"context"
	"fmt"

	"svcpay/internal/processor/accounts"
)

// accounts asks the processors about each account. It returns one finding for each thing that an account lacks.
func (p Patient) accounts(ctx context.Context) (found []Finding) {
	all, err := accounts.Examine(ctx, p.Keyring, p.Pool, p.Processors, p.BaseURL)
	if err != nil {
		found = append(found, unseen(err))
	}
	for _, e := range all {
		name := fmt.Sprintf("%s %s of application %d", e.Processor, e.External, e.ApplicationID)
		if e.Err != nil {
			found = append(found, doubtful(name+" could not be checked: "+e.Err.Error(),
				"see whether the processor is up and the credentials are valid, then run svcpay processors test "+
					e.ID.String()))
		}
		for _, l := range e.Lacks {
			found = append(found, doubtful(name+" lacks "+l.Code, l.Remedy))
		}
	}
	if len(found) == 0 {
		found = append(found, good("the processors confirm every processor account"))
	}
	for i := range found {
		found[i].Check = "accounts"
	}
	return found
}
