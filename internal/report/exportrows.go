package report

import (
	"context"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// exportBatch is how many objects are read at once.
const exportBatch = 1000

// maxExportColumns bounds the columns that may be asked for.
const maxExportColumns = 200

// resource is a kind of objects that can be exported.
type resource struct {
	read     authz.Permission
	statuses []string // nil: it has no status
	columns  []string // of CSV, when none are asked for
	// rows are the next objects as JSON, oldest first, and whether there are more.
	rows func(context.Context, *Service, authz.Actor, Export) ([]json.RawMessage, bool, error)
}

// ExportResources lists what can be exported.
func ExportResources() []string {
	return []string{"charges", "refunds", "disputes", "payouts", "daf_donations", "balance_entries", "merchants", "tokens"}
}

var resources = map[string]resource{
	"charges": {authz.ChargeRead, charge.Statuses(), columnsOf(reflect.TypeFor[charge.Charge](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseCharge, func(p page.Input[ids.Charge]) (page.Of[charge.Charge], error) {
				return s.deps.Charges.List(ctx, actor, charge.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"refunds": {authz.RefundRead, refund.Statuses(), columnsOf(reflect.TypeFor[refund.Refund](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseRefund, func(p page.Input[ids.Refund]) (page.Of[refund.Refund], error) {
				return s.deps.Refunds.List(ctx, actor, refund.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"disputes": {authz.DisputeRead, dispute.Statuses(), columnsOf(reflect.TypeFor[dispute.Dispute](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseDispute, func(p page.Input[ids.Dispute]) (page.Of[dispute.Dispute], error) {
				return s.deps.Disputes.List(ctx, actor, dispute.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"payouts": {authz.PayoutRead, payout.Statuses(), columnsOf(reflect.TypeFor[payout.Payout](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParsePayout, func(p page.Input[ids.Payout]) (page.Of[payout.Payout], error) {
				return s.deps.Payouts.List(ctx, actor, payout.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"daf_donations": {authz.DonationRead, daf.Statuses(), columnsOf(reflect.TypeFor[daf.Donation](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseDonation, func(p page.Input[ids.Donation]) (page.Of[daf.Donation], error) {
				return s.deps.Donations.List(ctx, actor, daf.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"balance_entries": {authz.BalanceRead, nil, columnsOf(reflect.TypeFor[ledger.Entry](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseEntry, func(p page.Input[ids.Entry]) (page.Of[ledger.Entry], error) {
				return s.deps.Ledger.List(ctx, actor, ledger.ListInput{Page: p, Created: e.Filters.times()})
			})
		}},
	"merchants": {authz.MerchantRead, merchantStatuses(), columnsOf(reflect.TypeFor[merchant.Merchant](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			parse := func(text string) (int64, error) { n, _ := number(text); return n, nil }
			return next(e, parse, func(p page.Input[int64]) (page.Of[merchant.Merchant], error) {
				return s.deps.Merchants.List(ctx, actor, merchant.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
	"tokens": {authz.TokenRead, token.Statuses(), columnsOf(reflect.TypeFor[token.Token](), ""),
		func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
			return next(e, ids.ParseToken, func(p page.Input[ids.Token]) (page.Of[token.Token], error) {
				return s.deps.Tokens.List(ctx, actor, token.ListInput{Page: p, Created: e.Filters.times(), Statuses: e.Filters.Status})
			})
		}},
}

// next reads the objects after an export's cursor.
func next[T any, ID comparable](e Export, parse func(string) (ID, error), list func(page.Input[ID]) (page.Of[T], error)) ([]json.RawMessage, bool, error) {
	in := page.Input[ID]{Limit: exportBatch, Ascending: true}
	if e.Cursor != "" {
		var err error
		if in.After, err = parse(e.Cursor); err != nil {
			return nil, false, err
		}
	}
	p, err := list(in)
	if err != nil {
		return nil, false, err
	}
	out := make([]json.RawMessage, len(p.Items))
	for i, item := range p.Items {
		if out[i], err = json.Marshal(item); err != nil {
			return nil, false, err
		}
	}
	return out, p.HasMore, nil
}

// columnsOf lists the members of a record as CSV has them: those of objects with a point, lists and
// objects of free keys as they are.
func columnsOf(t reflect.Type, prefix string) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch whole := isValue(inner); {
		case name == "-":
		case name == "" && f.Anonymous:
			out = append(out, columnsOf(inner, prefix)...)
		case inner.Kind() == reflect.Struct && !whole:
			out = append(out, columnsOf(inner, prefix+name+".")...)
		default:
			out = append(out, prefix+name)
		}
	}
	return out
}

func isValue(t reflect.Type) bool {
	_, asJSON := reflect.New(t).Interface().(json.Marshaler)
	_, asText := reflect.New(t).Interface().(encoding.TextMarshaler)
	return asJSON || asText
}

// has tells whether columns can be asked for: those that there are, and single metadata.
func (r resource) has(columns []string) bool {
	if len(columns) == 0 || len(columns) > maxExportColumns || len(slices.Compact(slices.Sorted(slices.Values(columns)))) < len(columns) {
		return false
	}
	return !slices.ContainsFunc(columns, func(c string) bool {
		key, ok := strings.CutPrefix(c, "metadata.")
		single := ok && key != "" && len([]rune(key)) <= 40 && slices.Contains(r.columns, "metadata") && !strings.ContainsFunc(key, func(c rune) bool { return c < ' ' })
		return !single && !slices.Contains(r.columns, c)
	})
}

// cells are an object's values in the order of columns: texts as they are, null as nothing, lists and
// objects as JSON.
func cells(record json.RawMessage, columns []string) ([]string, error) {
	members := map[string]json.RawMessage{}
	if err := open(members, "", record, columns); err != nil {
		return nil, err
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		switch value := members[c]; {
		case len(value) == 0 || string(value) == "null":
		case value[0] == '"':
			var t string
			if err := json.Unmarshal(value, &t); err != nil {
				return nil, err
			}
			out[i] = text(&t)
		default:
			out[i] = string(value)
		}
	}
	return out, nil
}

// open takes objects apart of which columns name members.
func open(into map[string]json.RawMessage, prefix string, object json.RawMessage, columns []string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return err
	}
	for name, value := range members {
		into[prefix+name] = value
		below := prefix + name + "."
		if len(value) > 0 && value[0] == '{' && slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(c, below) }) {
			if err := open(into, below, value, columns); err != nil {
				return err
			}
		}
	}
	return nil
}
