package simulate

import (
	"context"

	"svcpay/internal/authz"
)

// TestCase is something that the sandbox treats in a known way, for people to choose from.
type TestCase struct {
	Name string `json:"name"`
	// For is what it is a test case of: tokens, daf_sessions, or payouts, which go to the merchant's own bank account.
	For string `json:"for"`
	// Method is card, ach, acss or daf.
	Method string `json:"method"`
	Effect string `json:"effect"` // what happens
}

// CasesFor are the names of the test cases for tokens, daf_sessions or payouts.
func CasesFor(cases []TestCase, what string) (names []string) {
	for _, c := range cases {
		if c.For == what {
			names = append(names, c.Name)
		}
	}
	return names
}

// TestCases is all of them.
type TestCases struct {
	Object   string     `json:"object"` // test_cases
	Livemode bool       `json:"livemode"`
	Data     []TestCase `json:"data"`
}

// TestCases lists what can be tried out.
func (s *Service) TestCases(_ context.Context, actor authz.Actor) (TestCases, error) {
	if err := s.deps.Check.Check(actor, authz.SandboxClock); err != nil {
		return TestCases{}, err
	}
	return TestCases{Object: "test_cases", Data: s.deps.Cases}, nil
}
