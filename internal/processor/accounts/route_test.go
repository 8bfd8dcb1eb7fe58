package accounts_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/memory"
	"svcpay/internal/processor/unconnected"
)

// registry has two adapters that can be connected, of which the first serves merchants without a connection, too.
func registry() *processor.Registry {
	return processor.NewRegistry(unconnected.Directory{}, memory.New("first", 0), memory.New("second", 0))
}

func routes(t *rapid.T, merchantID int64) accounts.Routes {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) accounts.Route {
		r := accounts.Route{Processor: rapid.SampledFrom([]string{"first", "second", "removed"}).Draw(t, "processor"),
			External: rapid.StringMatching(`[a-z]{4}`).Draw(t, "external"),
			Methods: rapid.SliceOfNDistinct(rapid.SampledFrom(processor.Methods()), 1, 3, rapid.ID).Draw(t,
				"methods"),
			Currencies: rapid.SliceOfNDistinct(rapid.SampledFrom([]money.Currency{"usd", "cad"}), 0, 2,
				rapid.ID).Draw(t, "currencies"),
			Priority:   rapid.IntRange(1, 3).Draw(t, "priority"),
			Status:     rapid.SampledFrom([]accounts.Status{accounts.Active, accounts.Disabled}).Draw(t, "status"),
			Onboarding: rapid.SampledFrom(processor.Onboardings()).Draw(t, "onboarding")}
		if rapid.Bool().Draw(t, "own") {
			r.MerchantID = &merchantID
		}
		return r
	}), 0, 6).Draw(t, "routes")
}

// TestChoice compares the rule with what it says, one word at a time.
func TestChoice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rs, r := routes(t, 7), registry()
		w := accounts.Want{ApplicationID: 1, MerchantID: 7,
			Method:   rapid.SampledFrom(processor.Methods()).Draw(t, "method"),
			Currency: rapid.SampledFrom([]money.Currency{"usd", "cad"}).Draw(t, "currency")}
		fits := func(x accounts.Route) bool {
			return slices.Contains(x.Methods, w.Method) &&
				(len(x.Currencies) == 0 || slices.Contains(x.Currencies, w.Currency))
		}
		usable := func(x accounts.Route) bool {
			return fits(x) && x.Status == accounts.Active && x.Onboarding != processor.OnboardingRestricted &&
				x.Processor != "removed" &&
				(x.MerchantID != nil ||
					!slices.ContainsFunc(rs, func(own accounts.Route) bool {
						return own.MerchantID != nil &&
							fits(own)
					}))
		}
		got, ok := rs.Choose(r, w, nil)
		i := slices.IndexFunc(rs, func(x accounts.Route) bool {
			return got == processor.Account{Adapter: x.Processor, External: x.External} && usable(x)
		})
		switch {
		case !slices.ContainsFunc(rs, fits):
			if own := (processor.Account{Adapter: "first", External: processor.MerchantAccount(1, 7)}); !ok ||
				got != own {
				t.Fatalf("nothing was connected, and it goes to %v, %v", got, ok)
			}
		case !slices.ContainsFunc(rs, usable):
			if ok {
				t.Fatalf("it goes to %v", got)
			}
		case !ok || i < 0:
			t.Fatalf("it goes to %v, %v", got, ok)
		}
		if i < 0 {
			return
		}
		for n, x := range rs {
			better := cmp.Or(cmp.Compare(rank(x), rank(rs[i])), cmp.Compare(x.Priority, rs[i].Priority),
				cmp.Compare(n, i))
			if usable(x) && better < 0 {
				t.Fatalf("it goes to %+v before %+v", rs[i], x)
			}
		}
	})
}

// TestFailoverOnlyPassesOverProcessorsThatAreDown compares a choice with failover with the choice without it: it
// differs only if the application wants it, it stays with the same owner, and it refuses nothing and sends nothing to a
// processor that is down while another serves.
func TestFailoverOnlyPassesOverProcessorsThatAreDown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rs, r, failover := routes(t, 7), registry(), rapid.Bool().Draw(t, "failover")
		for i := range rs {
			rs[i].Failover = failover
			if rapid.IntRange(0, 3).Draw(t, "usable") > 0 { // few would be otherwise
				rs[i].Status, rs[i].Onboarding, rs[i].Methods, rs[i].Currencies = accounts.Active,
					processor.OnboardingComplete, processor.Methods(), nil
				rs[i].Processor = rapid.SampledFrom([]string{"first", "second"}).Draw(t, "processor")
			}
		}
		down := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"first", "second"}), rapid.ID).Draw(t, "down")
		w := accounts.Want{ApplicationID: 1, MerchantID: 7,
			Method:   rapid.SampledFrom(processor.Methods()).Draw(t, "method"),
			Currency: rapid.SampledFrom([]money.Currency{"usd", "cad"}).Draw(t, "currency")}
		owner := func(at processor.Account) int {
			return slices.IndexFunc(rs, func(x accounts.Route) bool {
				return at == processor.Account{Adapter: x.Processor, External: x.External}
			})
		}
		usual, served := rs.Choose(r, w, nil)
		got, ok := rs.Choose(r, w, func(adapter string) bool { return slices.Contains(down, adapter) })
		if ok != served {
			t.Fatalf("served: %v without failover, %v with it", served, ok)
		}
		if got == usual {
			up := func(x accounts.Route) bool { return !slices.Contains(down, x.Processor) }
			i := owner(usual)
			if failover && i >= 0 && w.Method != processor.MethodPayout && !up(rs[i]) &&
				slices.ContainsFunc(rs, func(x accounts.Route) bool {
					only, alone := (accounts.Routes{x}).Choose(r, w, nil)
					return up(x) && rank(x) == rank(rs[i]) && alone && only.External == x.External &&
						only.Adapter == x.Processor
				}) {
				t.Fatalf("it stays at %v, which is down", got)
			}
			return
		}
		i, j := owner(usual), owner(got)
		switch {
		case !failover || w.Method == processor.MethodPayout:
			t.Fatalf("failover is off, and it moves from %v to %v", usual, got)
		case i < 0 || j < 0 || rank(rs[i]) != rank(rs[j]):
			t.Fatalf("it moves from %v to %v, which is another owner's", usual, got)
		case !slices.Contains(down, usual.Adapter) || slices.Contains(down, got.Adapter):
			t.Fatalf("%v are down, and it moves from %v to %v", down, usual, got)
		}
	})
}

// rank is 0 for a merchant's own account, 1 for a default.
func rank(r accounts.Route) int {
	if r.MerchantID == nil {
		return 1
	}
	return 0
}

// A deployment without a sandbox takes payments at connected accounts alone.
func TestNothingGoesToAnAccountThatIsNotConnected(t *testing.T) {
	t.Parallel()
	w := accounts.Want{ApplicationID: 1, MerchantID: 7, Method: processor.MethodCard, Currency: "usd"}
	if at, ok := (accounts.Routes{}).Choose(processor.NewRegistry(unconnected.Directory{}), w, nil); ok {
		t.Errorf("a payment goes to %v", at)
	}
}

func TestPaymentsAreOnBehalfOfACapableAccountOnly(t *testing.T) {
	t.Parallel()
	merchant, platform, other, active, inactive := int64(1), "acct_platform", "acct_other", "active", "inactive"
	at := processor.Account{Adapter: "stripe", External: platform}
	route := func(change func(*accounts.Route)) accounts.Routes {
		r := accounts.Route{MerchantID: &merchant, Processor: "stripe", External: "acct_merchant",
			Status: accounts.Active, Platform: &platform, CardPayments: &active}
		change(&r)
		return accounts.Routes{{Processor: "stripe", External: platform, Status: accounts.Active}, r}
	}
	if got := route(func(*accounts.Route) {}).OnBehalfOf(at); got != "acct_merchant" {
		t.Errorf("%q", got)
	}
	for name, change := range map[string]func(*accounts.Route){
		"of the application": func(r *accounts.Route) { r.MerchantID = nil },
		"disabled":           func(r *accounts.Route) { r.Status = accounts.Disabled },
		"elsewhere":          func(r *accounts.Route) { r.Processor = "sandbox" },
		"of another":         func(r *accounts.Route) { r.Platform = &other },
		"of none":            func(r *accounts.Route) { r.Platform = nil },
		"not capable":        func(r *accounts.Route) { r.CardPayments = &inactive },
		"unknown":            func(r *accounts.Route) { r.CardPayments = nil },
	} {
		if got := route(change).OnBehalfOf(at); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
