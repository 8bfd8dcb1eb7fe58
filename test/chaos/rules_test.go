package chaos

import (
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/processor"
)

// blockedByRule is the answer to payments that the moving merchant's rule blocks.
const blockedByRule = "402 blocked_by_rule"

// blockWrongCodes gives a merchant a rule: amounts are held first, and voided where the security code was wrong.
func (r *run) blockWrongCodes(merchantID int64) {
	yes := true
	if _, err := r.services.CardRules.Set(r.t.Context(), authz.Actor{Role: authz.RoleSecretKey,
		ApplicationID: r.site.Application}, merchantID, rule.Proposal{CVCMismatch: &yes}, nil); err != nil {
		r.t.Fatal(err)
	}
}

// auditRules checks that payers have all amounts back that the rule blocked: each hold with a wrong security code was
// voided, and nothing was captured from it.
func (r *run) auditRules() {
	for _, c := range r.counterparties {
		book := c.acquirer.lines()
		for _, hold := range book {
			if !c.acquirer.blocks[hold.Account] || !hold.Approved || hold.answer.Checks.CVC != processor.Fail {
				continue
			}
			r.counts.add("holds that the rule blocked")
			followed := func(kind string) bool {
				return slices.ContainsFunc(book, func(l line) bool {
					return l.original == hold.Reference && l.Kind == kind && l.Approved
				})
			}
			if hold.captured || followed("capture") || !followed("void") {
				r.found.add("the rule had to block %s at %s: captured %t, voided %t", hold.Reference, c.acquirer.name,
					hold.captured || followed("capture"), followed("void"))
			}
		}
	}
}
