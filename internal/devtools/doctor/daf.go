package doctor

import (
	"context"
	"fmt"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// dafProvider checks the connection to the provider of donor-advised funds with the provider.
func dafProvider(ctx context.Context, p Patient) (Finding, error) {
	if p.DAF == nil {
		return good("donor-advised funds: the sandbox's provider needs no connection"), nil
	}
	c, err := p.DAF.Ask(ctx)
	f, known := fault.As(err)
	switch {
	case fault.HasCode(err, "resource_missing"):
		return doubtful("no provider of donor-advised funds is connected, so no gifts come from donor-advised funds",
			"if you want them, see docs/processors/chariot.md"), nil
	case known && f.Kind != fault.KindInternal:
		return wrong(p.Funds+": "+f.Message, "connect again with svcpay daf connect"), nil
	case err != nil:
		return Finding{}, err
	case len(c.Needs)+len(c.Optional) == 0:
		return good("the provider of donor-advised funds accepts the key, and nothing is missing"), nil
	case len(c.Needs) == 0:
		var codes []string
		for _, n := range c.Optional {
			codes = append(codes, n.Code)
		}
		return good("the provider of donor-advised funds accepts the key, and only these optional parts are missing: " +
			strings.Join(codes, ", ")), nil
	}
	var texts []string
	for _, n := range c.Needs {
		texts = append(texts, n.Text)
	}
	return doubtful("the provider of donor-advised funds is connected, but something is missing",
		strings.Join(texts, " ")), nil
}

// enrollments looks for merchants that are enrolled at another provider than the deployment's: no gift to them can be
// made.
func enrollments(ctx context.Context, p Patient) (Finding, error) {
	n, err := pg.Value[int](ctx, p.Pool, `SELECT count(*)::int FROM daf_enrollments
		WHERE state IN ('processing', 'enrolled') AND provider <> @name`, pg.Args{"name": p.Funds})
	if n > 0 {
		return wrong(fmt.Sprintf("%d merchants are enrolled at another provider of donor-advised funds than %s",
			n, p.Funds),
			"set SVCPAY_DAF_PROVIDER to their provider, or have their organizations leave and enroll again"), err
	}
	return good("every enrolled merchant is enrolled at the provider of this deployment"), err
}
