// Package trigger causes events in a sandbox by the actions that cause them in production: it creates charges, refunds
// them, advances the application's clock. It uses the partner API only, as any application could.
//
// Invariant: a request is refused before it changes anything, or an event of its type is returned.
package trigger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/api/client"
	"svcpay/internal/event"
)

// Order says what is to happen.
type Order struct {
	Type string
	// On is the object that it happens to; "" has one made. Which kind, [On] tells.
	On string
	// Members is a JSON object with members for the object that is made; nil for none.
	Members []byte
	// Merchant is whose objects are made; 0 takes the application's first active one.
	Merchant int64
	// MoveClock allows to move the application's clock ahead, where nothing else makes it happen.
	MoveClock bool
}

// Maker fulfills orders of one application.
type Maker struct {
	API *client.Client
	// Told is called with what an order leaves behind, next to objects.
	Told func(string)
}

// step does something to the run's object, or makes another one the run's.
type step func(context.Context, *run) error

// recipe is how a type of events is made to happen.
type recipe struct {
	// why there is no way.
	why string
	// on is the kind of object that make makes and do takes; "" if none can be given.
	on   string
	make []step
	// do makes the event happen, to the object that it is about; nil if make does.
	do step
	// members go into what is created by that step; "" if nothing is.
	members string
	// clock is moved by that step; "" if it is not.
	clock string
	// unnumbered: the object is the event itself, which is in no list.
	unnumbered bool
	// ofMerchant: the object is named by its merchant.
	ofMerchant bool
}

// The steps of a recipe.
const (
	inMake = "make"
	inDo   = "do"
)

// On says what kind of object an event of a type can be made to happen to; "" if none can be given.
func On(name string) string { return recipes[name].on }

// Moves reports whether the clock is moved for an event of a type, of an object that is given or made.
func Moves(name string, given bool) bool {
	c := recipes[name].clock
	return c == inDo || c == inMake && !given
}

// Why says why a type of events cannot be made to happen; "" if it can.
func Why(name string) string {
	if r, ok := recipes[name]; ok {
		return r.why
	}
	return fmt.Sprintf("there is no type of events %q: the types are %s", name, strings.Join(event.Names(), ", "))
}

// Takes reports whether members can be given for the object that an order creates.
func Takes(name string, given bool) bool {
	m := recipes[name].members
	return m == inDo || m == inMake && !given
}

// check refuses what cannot be done.
func (o Order) check() error {
	given := o.On != ""
	switch {
	case Why(o.Type) != "":
		return errors.New(Why(o.Type))
	case given && On(o.Type) == "":
		return fmt.Errorf("%s happens to what is made for it: it cannot be told on what", o.Type)
	case !given && recipes[o.Type].make == nil && recipes[o.Type].on != "":
		return fmt.Errorf("say on which %s %s is to happen", o.words(), o.Type)
	case o.Members != nil && !Takes(o.Type, given):
		return fmt.Errorf("%s creates nothing that members could be given for", o.Type)
	case !o.MoveClock && Moves(o.Type, given):
		return fmt.Errorf(
			"%s happens when time has passed: allow the application's clock to be moved ahead, which is for good",
			o.Type)
	}
	return nil
}

func (o Order) words() string { return strings.ReplaceAll(On(o.Type), "_", " ") }

// run is an order in progress.
type run struct {
	Order
	*Maker
	// id is of the object that the steps have come to.
	id string
	// after is done when the event has happened.
	after []func(context.Context) error
}

// patience is how long an event may take until it can be read: a list waits as long at most.
const patience = 20 * time.Second

// Make fulfills an order, and returns the event that it came to. What was made stays.
func (m *Maker) Make(ctx context.Context, o Order) (_ *client.Event, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	newest, err := m.newest(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{Order: o, Maker: m}
	defer func() {
		for _, tidy := range slices.Backward(r.after) {
			err = errors.Join(err, tidy(context.WithoutCancel(ctx)))
		}
	}()
	if err := r.happen(ctx); err != nil {
		return nil, err
	}
	if recipes[o.Type].unnumbered {
		return m.API.Events.Get(ctx, r.id)
	}
	return r.await(ctx, newest)
}

// happen makes the object, unless one is given, and does to it what is to be done.
func (r *run) happen(ctx context.Context) error {
	recipe := recipes[r.Type]
	steps := slices.Clone(recipe.make)
	if r.On != "" {
		r.id, steps = r.On, nil
	}
	if recipe.do != nil {
		steps = append(steps, recipe.do)
	}
	for _, do := range steps {
		if err := do(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// merchantID is the id of the run's object, which is a merchant.
func (r *run) merchantID() (int64, error) {
	n, err := strconv.ParseInt(r.id, 10, 64)
	if err != nil {
		return 0, errors.New("the id of a merchant is a number")
	}
	return n, nil
}

// newest is the sequence of the last event there is.
func (m *Maker) newest(ctx context.Context) (int64, error) {
	p, err := m.API.Events.ListPage(ctx, client.ListEventsParams{Limit: new(1)})
	if err != nil || len(p.Data) == 0 || p.Data[0].Sequence == nil {
		return 0, err
	}
	return *p.Data[0].Sequence, nil
}

// await waits for the event of the run's object after a sequence.
func (r *run) await(ctx context.Context, after int64) (*client.Event, error) {
	wait := int(patience / time.Second)
	in := client.ListEventsParams{Limit: new(1), Type: []string{r.Type}, ObjectID: r.id, AfterSequence: &after,
		Wait: &wait}
	if recipes[r.Type].ofMerchant {
		n, err := r.merchantID()
		if err != nil {
			return nil, err
		}
		in.ObjectID, in.MerchantID = "", []int64{n}
	}
	p, err := r.API.Events.ListPage(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(p.Data) == 0 {
		return nil, fmt.Errorf("%s of %s did not come within %s: it may not be possible in its state", r.Type, r.id,
			patience)
	}
	return &p.Data[0], nil
}

// fill puts the order's members into the body of a creation, if that is the kind of object that the event is about.
func fill[T any](r *run, kind string, body *T) error {
	about := func(t event.Type) bool { return t.Name == r.Type && t.Object == kind }
	if r.Members == nil || !slices.ContainsFunc(event.Types(), about) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(r.Members))
	d.DisallowUnknownFields()
	if err := d.Decode(body); err != nil {
		return fmt.Errorf("the members are no JSON object for this creation: %w", err)
	}
	if d.More() {
		return errors.New("the members are more than one JSON object")
	}
	return nil
}

// ours is the merchant that objects are made for.
func (r *run) ours(ctx context.Context) (int64, error) {
	if r.Merchant != 0 {
		return r.Merchant, nil
	}
	p, err := r.API.Merchants.ListPage(ctx,
		client.ListMerchantsParams{Limit: new(1), Order: client.OrderAsc,
			Status: []client.MerchantStatus{client.MerchantStatusActive}})
	if err != nil {
		return 0, err
	}
	if len(p.Data) == 0 {
		return 0, errors.New("the application has no active merchant")
	}
	r.Merchant = p.Data[0].ID
	return r.Merchant, nil
}
