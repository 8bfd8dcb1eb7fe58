package doctor

import (
	"context"
	"fmt"

	"svcpay/internal/processor/accounts"
)

// accounts asks the processors about each account. It returns one finding for each thing that an account lacks.
func (p Patient) accounts(ctx context.Context) (found []Finding) {
	const check = "accounts"
	all, err := accounts.Examine(ctx, p.Keyring, p.Pool, p.Processors, p.BaseURL)
	if err != nil {
		return []Finding{p.look(ctx, checkOf(check, err))}
	}
	for _, e := range all {
		name := fmt.Sprintf("%s %s of application %d", e.Processor, e.External, e.ApplicationID)
		if e.Err != nil {
			f := doubtful(name+" could not be checked: "+e.Err.Error(),
				"see whether the processor is up and the credentials are valid, then run svcpay processors test "+
					e.ID.String())
			f.Check = check
			found = append(found, f)
		}
		for _, l := range e.Lacks {
			f := doubtful(name+" lacks "+l.Code, l.Remedy)
			f.Check = check
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		f := good("the processors confirm every processor account")
		f.Check = check
		found = append(found, f)
	}
	return found
}

// checkOf is a check that could not be made.
func checkOf(name string, err error) check {
	return check{name, func(context.Context, Patient) (Finding, error) { return Finding{}, err }}
}
