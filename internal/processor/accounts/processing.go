package accounts

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Processing says where new payments of a merchant go.
type Processing struct {
	Object     string  `json:"object"`
	Livemode   bool    `json:"livemode"`
	MerchantID int64   `json:"merchant_id"`
	Methods    []Serve `json:"methods"` // every method, in a fixed order
}

// Serve says what serves a method of a merchant.
type Serve struct {
	Method processor.Method `json:"method"`
	// Processor and External name the account; nil if no account serves the method.
	Processor *string `json:"processor"`
	External  *string `json:"external_account"`
	// Source is whose account it is; nil if there is none.
	Source     *Source               `json:"source"`
	Onboarding *processor.Onboarding `json:"onboarding"` // nil of an account that was not connected
}

// Source is whose account serves a merchant.
type Source string

// The sources.
const (
	OfMerchant    Source = "merchant"
	OfApplication Source = "application" // the default
	OfSandbox     Source = "sandbox"     // which serves merchants without a connection
)

// Sources lists every source.
func Sources() []Source { return []Source{OfMerchant, OfApplication, OfSandbox} }

type routed struct {
	Currency money.Currency `db:"currency"`
	Routes   Routes         `db:"routes"`
}

// Processing says where the new payments of a merchant would go now.
func (s *Service) Processing(ctx context.Context, actor authz.Actor, merchantID int64) (Processing, error) {
	if err := s.allow(actor, authz.ProcessingRead, &merchantID); err != nil {
		return Processing{}, err
	}
	m, err := pg.Find[routed](ctx, s.deps.Pool, `
		SELECT m.currency, `+Column+` FROM merchants m WHERE m.application_id = @application_id AND m.id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": merchantID})
	if err != nil {
		return Processing{}, err
	}
	out := Processing{Object: "processing", Livemode: s.deps.Livemode, MerchantID: merchantID}
	for _, method := range processor.Methods() {
		served, err := s.serve(ctx, m, Want{actor.ApplicationID, merchantID, method, m.Currency})
		if err != nil {
			return out, err
		}
		out.Methods = append(out.Methods, served)
	}
	return out, nil
}

// serve says what serves one method.
func (s *Service) serve(ctx context.Context, m routed, w Want) (Serve, error) {
	out := Serve{Method: w.Method}
	at, ok := m.Routes.Choose(s.deps.Processors, w, s.deps.Processors.Down)
	if !ok {
		return out, nil
	}
	out.Processor, out.External = &at.Adapter, &at.External
	a, err := find(ctx, s.deps.Pool, at)
	source := OfSandbox
	if a != nil {
		out.Onboarding, source = &a.Onboarding, OfApplication
		if a.MerchantID != nil {
			source = OfMerchant
		}
	}
	out.Source = &source
	return out, err
}

// merchantRow is an active merchant with its routes.
type merchantRow struct {
	ApplicationID int64          `db:"application_id"`
	ID            int64          `db:"id"`
	Currency      money.Currency `db:"currency"`
	Routes        Routes         `db:"routes"`
}

// Unserved are the active merchants of a deployment that can take no card or get no payout, once each, with the method.
func Unserved(ctx context.Context, q pg.Querier, r *processor.Registry) (out []Want, err error) {
	rows, err := pg.All[merchantRow](ctx, q, `
		SELECT m.application_id, m.id, m.currency, `+Column+` FROM merchants m WHERE m.status = 'active'
		ORDER BY m.application_id, m.id`, pg.Args{})
	for _, m := range rows {
		for _, method := range []processor.Method{processor.MethodCard, processor.MethodPayout} {
			w := Want{m.ApplicationID, m.ID, method, m.Currency}
			if _, ok := m.Routes.Choose(r, w, nil); !ok {
				out = append(out, w)
				break
			}
		}
	}
	return out, err
}
