package export

import (
	"context"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
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
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// batchSize is how many objects are read at once.
const batchSize = 1000

// maxColumns bounds the columns that may be asked for.
const maxColumns = 200

// resource is a kind of objects that can be exported.
type resource struct {
	object   string   // the kind of its objects, as [authz.Reads] knows it
	statuses []string // nil: it has no status
	columns  []string // of CSV, when none are asked for
	// rows are the next objects as JSON, oldest first, and whether there are more.
	rows func(context.Context, *Service, authz.Actor, Export) ([]json.RawMessage, bool, error)
}

// Resources lists what can be exported.
func Resources() []string {
	return []string{"charges", "refunds", "disputes", "payouts", "daf_donations", "balance_entries",
		"merchants", "tokens"}
}

var resources = map[string]resource{
	"charges": kind("charge", charge.Statuses(), ids.ParseCharge,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Charge],
			f Filters) (page.Of[charge.Charge], error) {
			return s.deps.Charges.List(ctx, actor, charge.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"refunds": kind("refund", refund.Statuses(), ids.ParseRefund,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Refund],
			f Filters) (page.Of[refund.Refund], error) {
			return s.deps.Refunds.List(ctx, actor, refund.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"disputes": kind("dispute", dispute.Statuses(), ids.ParseDispute,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Dispute],
			f Filters) (page.Of[dispute.Dispute], error) {
			return s.deps.Disputes.List(ctx, actor, dispute.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"payouts": kind("payout", payout.Statuses(), ids.ParsePayout,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Payout],
			f Filters) (page.Of[payout.Payout], error) {
			return s.deps.Payouts.List(ctx, actor, payout.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"daf_donations": kind("daf_donation", daf.Statuses(), ids.ParseDonation,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Donation],
			f Filters) (page.Of[daf.Donation], error) {
			return s.deps.Donations.List(ctx, actor, daf.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"balance_entries": kind("balance_entry", nil, ids.ParseEntry,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Entry],
			f Filters) (page.Of[ledger.Entry], error) {
			return s.deps.Ledger.List(ctx, actor, ledger.ListInput{Page: at, Created: f.times()})
		}),
	"merchants": kind("merchant", merchant.StatusNames(), parseMerchant,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[int64],
			f Filters) (page.Of[merchant.Merchant], error) {
			return s.deps.Merchants.List(ctx, actor,
				merchant.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
	"tokens": kind("token", token.Statuses(), ids.ParseToken,
		func(ctx context.Context, s *Service, actor authz.Actor, at page.Input[ids.Token],
			f Filters) (page.Of[token.Token], error) {
			return s.deps.Tokens.List(ctx, actor, token.ListInput{Page: at, Created: f.times(), Statuses: f.Status})
		}),
}

func parseMerchant(id string) (int64, error) { return strconv.ParseInt(id, 10, 64) }

// kind is a resource whose objects list reads, each after the one whose id parse reads.
func kind[T any, ID comparable](object string, statuses []string, parse func(string) (ID, error),
	list func(context.Context, *Service, authz.Actor, page.Input[ID], Filters) (page.Of[T], error)) resource {
	rows := func(ctx context.Context, s *Service, actor authz.Actor, e Export) ([]json.RawMessage, bool, error) {
		at := page.Input[ID]{Limit: batchSize, Ascending: true}
		if e.Cursor != "" {
			var err error
			if at.After, err = parse(e.Cursor); err != nil {
				return nil, false, err
			}
		}
		p, err := list(ctx, s, actor, at, e.Filters)
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
	return resource{object, statuses, columnsOf(reflect.TypeFor[T](), ""), rows}
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

// has reports whether columns can be asked for: those that there are, and single metadata.
func (r resource) has(columns []string) bool {
	if len(columns) == 0 || len(columns) > maxColumns ||
		len(slices.Compact(slices.Sorted(slices.Values(columns)))) < len(columns) {
		return false
	}
	return !slices.ContainsFunc(columns, func(c string) bool {
		key, ok := strings.CutPrefix(c, "metadata.")
		single := ok && key != "" && len([]rune(key)) <= 40 && slices.Contains(r.columns, "metadata") &&
			!strings.ContainsFunc(key, func(c rune) bool { return c < ' ' })
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
			out[i] = spreadsheet.Cell(t)
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
		if len(value) > 0 && value[0] == '{' &&
			slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(c, below) }) {
			if err := open(into, below, value, columns); err != nil {
				return err
			}
		}
	}
	return nil
}
