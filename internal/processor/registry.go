package processor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/sensitive"
)

// ErrUnsupported is returned for a call that was not made, because the deployment has no adapter of that name or the
// adapter cannot do it.
var ErrUnsupported = errors.New("processor: no adapter can do this")

// Registry is the adapters of a deployment. Each call goes to the one that serves its account; nothing is sent anywhere
// else.
type Registry struct {
	adapters  map[string]Adapter
	directory Directory
	open      string // the name of the adapter whose accounts need no connection; "" if there is none
	observe   Observer
	breakers  map[string]*breaker // by adapter; nil unless someone watches
	now       func() time.Time    // the machine's time, if someone watches
}

// Observer is called after every call to an adapter, with its kind, such as authorize or lookup, and its result. answer
// is nil for reads of a feed or a book.
type Observer func(adapter, kind string, answer *Answer, err error)

// Observe sets the observer, before the registry is used.
func (r *Registry) Observe(o Observer) { r.observe = o }

// NewRegistry makes a registry. Cards and banks are looked up in the directory. Merchants without a connected account
// are served by the first adapter that is [Open], if any. Two adapters of one name are a mistake of the program:
// references, feeds and books are kept by it.
func NewRegistry(directory Directory, adapters ...Adapter) *Registry {
	r := &Registry{adapters: make(map[string]Adapter, len(adapters)), directory: directory,
		observe: func(string, string, *Answer, error) {}}
	for _, a := range adapters {
		if r.adapters[a.Name()] != nil {
			panic("processor: two adapters are named " + a.Name())
		}
		r.adapters[a.Name()] = a
		if _, ok := a.(Open); ok && r.open == "" {
			r.open = a.Name()
		}
	}
	return r
}

// Only is the registry of one processor that can do everything.
func Only(p Processor) *Registry { return NewRegistry(p, p) }

// Unconnected returns the account of a merchant that has no connected one. It returns false if no adapter is [Open].
func (r *Registry) Unconnected(applicationID, merchantID int64) (Account, bool) {
	open, ok := r.adapters[r.open].(Open)
	if !ok {
		return Account{}, false
	}
	return Account{Adapter: r.open, External: open.AccountOf(applicationID, merchantID)}, true
}

// Methods are those that the adapter of that name serves; none if there is no such adapter.
func (r *Registry) Methods(adapter string) (methods []Method) {
	a := r.adapters[adapter]
	if _, ok := a.(Payments); ok {
		methods = append(methods, MethodCard)
	}
	if _, ok := a.(Debits); ok {
		methods = append(methods, MethodACH, MethodACSS)
	}
	if _, ok := a.(Payouts); ok {
		methods = append(methods, MethodPayout)
	}
	return methods
}

// MethodsOf returns an adapter's methods that an account with these credentials can serve (see [Limited]).
func (r *Registry) MethodsOf(adapter string, credentials sensitive.Credentials) []Method {
	methods := r.Methods(adapter)
	if l, ok := r.adapters[adapter].(Limited); ok {
		methods = l.MethodsOf(credentials, methods)
	}
	return methods
}

// Connectable are the names of the adapters whose accounts can be connected, in order.
func (r *Registry) Connectable() []string { return with[Connector](r) }

// with returns the names of the adapters that have the capability C, in order.
func with[C any](r *Registry) (names []string) {
	for _, name := range r.Names() {
		if _, ok := r.adapters[name].(C); ok {
			names = append(names, name)
		}
	}
	return names
}

// Check asks the counterparty about an account that is to be connected (see [Connector]).
func (r *Registry) Check(ctx context.Context, account Account, credentials sensitive.Credentials) (Onboarding, error) {
	return ask(r, "check", account, func(c Connector) (Onboarding, error) { return c.Check(ctx, account, credentials) })
}

// Names are those of all adapters, in order.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.adapters)) }

// Windows are the adapters' settle windows by name (see [Adapter.SettleWindow]).
func (r *Registry) Windows() map[string]time.Duration {
	windows := make(map[string]time.Duration, len(r.adapters))
	for name, a := range r.adapters {
		windows[name] = a.SettleWindow()
	}
	return windows
}

// Terms are those of the adapter of that name; [StandardTerms] if there is none.
func (r *Registry) Terms(adapter string) Terms {
	if a, ok := r.adapters[adapter]; ok {
		return a.Terms()
	}
	return StandardTerms()
}

// Feeds are the feeds of the adapters that have one, by name.
func (r *Registry) Feeds() map[string]Feed {
	found := make(map[string]Feed)
	for name, a := range r.adapters {
		if f, ok := a.(Feed); ok {
			found[name] = feed{f, r, name}
		}
	}
	return found
}

// Books are the books of the adapters that keep one, by name.
func (r *Registry) Books() map[string]Book {
	found := make(map[string]Book)
	for name, a := range r.adapters {
		if b, ok := a.(Book); ok {
			found[name] = book{b, r, name}
		}
	}
	return found
}

// feed is the feed of an adapter, observed; book, its book.
type (
	feed struct {
		of   Feed
		r    *Registry
		name string
	}
	book struct {
		of   Book
		r    *Registry
		name string
	}
)

// Messages implements [Feed].
func (f feed) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	messages, err := f.of.Messages(ctx, after, limit)
	f.r.seen(f.name, "events", nil, err)
	return messages, err
}

// Events implements [Feed]. Its events name the adapter.
func (f feed) Events(ctx context.Context, m notice.Message) ([]Event, error) {
	events, err := f.of.Events(ctx, m)
	for i := range events {
		events[i].Adapter = f.name
	}
	return events, err
}

// Book implements [Book].
func (b book) Book(ctx context.Context, after int64, limit int) ([]BookLine, error) {
	lines, err := b.of.Book(ctx, after, limit)
	b.r.seen(b.name, "book", nil, err)
	return lines, err
}

// can returns the adapter of an account as the capability C, or [ErrUnsupported].
func can[C any](r *Registry, of Account) (C, error) {
	c, ok := r.adapters[of.Adapter].(C)
	if !ok {
		return c, fmt.Errorf("%w: %q", ErrUnsupported, of.Adapter)
	}
	return c, nil
}

// ask makes a call at the adapter of an account whose result is no [Answer].
func ask[C, Out any](r *Registry, kind string, of Account, method func(C) (Out, error)) (out Out, err error) {
	c, err := can[C](r, of)
	if err != nil {
		return out, err
	}
	out, err = method(c)
	r.seen(of.Adapter, kind, nil, err)
	return out, err
}

// call makes a call at the adapter of an account.
func call[C, In any](ctx context.Context, r *Registry, kind string, of Account, in In,
	method func(C, context.Context, In) (Answer, error)) (Answer, error) {
	c, err := can[C](r, of)
	if err != nil {
		return Answer{}, err
	}
	answer, err := method(c, ctx, in)
	r.seen(of.Adapter, kind, &answer, err)
	return answer, err
}

// Lookup tells the outcome of a reference that was used on an account (see [Adapter]).
func (r *Registry) Lookup(ctx context.Context, account Account, reference string) (Answer, error) {
	a, err := can[Adapter](r, account)
	if err != nil {
		return Answer{}, err
	}
	answer, err := a.Lookup(ctx, account, reference)
	r.seen(account.Adapter, "lookup", &answer, err)
	return answer, err
}

// Authorize implements [Payments].
func (r *Registry) Authorize(ctx context.Context, a Authorization) (Answer, error) {
	return call(ctx, r, "authorize", a.Account, a, Payments.Authorize)
}

// Capture implements [Payments].
func (r *Registry) Capture(ctx context.Context, f FollowUp) (Answer, error) {
	return call(ctx, r, "capture", f.Account, f, Payments.Capture)
}

// Void implements [Payments].
func (r *Registry) Void(ctx context.Context, f FollowUp) (Answer, error) {
	return call(ctx, r, "void", f.Account, f, Payments.Void)
}

// Refund implements [Payments].
func (r *Registry) Refund(ctx context.Context, f FollowUp) (Answer, error) {
	return call(ctx, r, "refund", f.Account, f, Payments.Refund)
}

// Debit implements [Debits].
func (r *Registry) Debit(ctx context.Context, d Debit) (Answer, error) {
	return call(ctx, r, "debit", d.Account, d, Debits.Debit)
}

// Payout implements [Payouts].
func (r *Registry) Payout(ctx context.Context, p Payout) (Answer, error) {
	return call(ctx, r, "payout", p.Account, p, Payouts.Payout)
}

// WithBankAccounts returns the names of the adapters that implement [BankAccounts], in order.
func (r *Registry) WithBankAccounts() []string { return with[BankAccounts](r) }

// HasBankAccount implements [BankAccounts].
func (r *Registry) HasBankAccount(ctx context.Context, account Account, bank Bank,
	currency money.Currency) (bool, error) {
	return ask(r, "bank_account", account,
		func(b BankAccounts) (bool, error) { return b.HasBankAccount(ctx, account, bank, currency) })
}

// Respond implements [Disputes].
func (r *Registry) Respond(ctx context.Context, a Response) (Answer, error) {
	return call(ctx, r, "respond", a.Account, a, Disputes.Respond)
}

// Notice implements [Notices].
func (r *Registry) Notice(ctx context.Context, account Account, header http.Header,
	body []byte) ([]notice.Message, error) {
	n, err := can[Notices](r, account)
	if err != nil {
		return nil, err
	}
	return n.Notice(ctx, account, header, body)
}

// Profile implements [Directory].
func (r *Registry) Profile(ctx context.Context, bin string) (Profile, error) {
	return r.directory.Profile(ctx, bin)
}

// BankName implements [Directory].
func (r *Registry) BankName(ctx context.Context, scheme Scheme, routing string) (string, error) {
	return r.directory.BankName(ctx, scheme, routing)
}
