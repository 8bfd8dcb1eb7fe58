package chaos

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"svcpay/test/rig"
)

// clients is how many programs use the service at once, and stripeClients how many others do that pay at Stripe only.
// A call to Stripe takes long to look up, so these wait most of the time, and would have the others wait.
const (
	clients       = 16
	stripeClients = 24
)

// client is one of them. What it wants is made of the seed; what it does next depends on the answers.
type client struct {
	*run
	number   int
	atStripe bool
	chance   *rand.Rand
	asked    int
	mine     []*request // that have a final answer which their keys keep
}

// work starts the clients. A short run has fewer at Stripe, so that it ends soon.
func (r *run) work() {
	all := clients + stripeClients
	if *lasts < longRun && *hunt == "" {
		all = clients + 12
	}
	for i := range all {
		r.lives.Go(func() { r.live(i) })
	}
	for i := range responders {
		r.lives.Go(func() { r.respond(i) })
	}
	r.lives.Go(r.payOut)
	for i := range donors {
		r.lives.Go(func() { r.donate(i) })
	}
}

func (r *run) live(i int) {
	c := &client{run: r, number: i, atStripe: i >= clients, chance: rand.New(rand.NewPCG(r.seed, uint64(100+i)))}
	for !r.over.Load() {
		switch n := c.chance.IntN(20); {
		case n < 9:
			c.pay()
		case n < 15:
			c.reserve()
		case n < 17:
			c.repeat()
		default:
			c.contradict()
		}
	}
}

// pay charges at once, and sometimes has several refunds at the same time, of more than there is.
func (c *client) pay() {
	q := c.want("charge", "/api/charges", c.order(true))
	if c.insist(q); q.final != nil && q.final.Status == http.StatusCreated && c.refunds(q) {
		c.refund(q.object, q.amount())
	}
}

// reserve authorizes, and then captures, voids, or tries both at once. In between the merchant may move to the other
// processor, which must not be asked about the payment.
func (c *client) reserve() {
	q := c.want("charge", "/api/charges", c.order(false))
	if c.insist(q); q.final == nil || q.final.Status != http.StatusCreated {
		return
	}
	authorizedAt := q.final.Text("processor", "name")
	moved := c.shopOf(q.Body).moves && c.chance.IntN(4) > 0 && c.leave(authorizedAt)
	capture := c.want("capture", "/api/charges/"+q.object+"/capture",
		map[string]any{"amount": 1 + c.chance.IntN(q.amount())})
	void := c.want("void", "/api/charges/"+q.object+"/void", map[string]any{"reason": "changed their mind"})
	switch n := c.chance.IntN(6); {
	case n < 2:
		c.insist(capture)
	case n < 3:
		c.insist(void)
	default:
		c.counts.add("capture against void")
		c.together(capture, void)
		if done(capture) && done(void) {
			c.found.add("%s was captured and voided", q.object)
		}
	}
	if done(capture) && moved {
		c.counts.add(capturedAfterMove + authorizedAt)
	}
	if done(capture) && c.refunds(q) {
		c.refund(q.object, capture.amount())
	}
}

// refunds chooses whether a captured charge is refunded.
func (c *client) refunds(q *request) bool {
	return c.shopOf(q.Body).refunds(q.Body["token"]) && c.chance.IntN(2) == 0
}

// capturedAfterMove is followed by the name of the processor where both calls were made.
const capturedAfterMove = "captures after the merchant had moved away from "

func done(q *request) bool { return q.final != nil && q.final.Status == http.StatusOK }

// refund asks for several refunds of a charge at once.
func (c *client) refund(charge string, captured int) {
	var all []*request
	for range 2 + c.chance.IntN(3) {
		all = append(all,
			c.want("refund", "/api/refunds",
				map[string]any{"charge_id": charge, "amount": 1 + c.chance.IntN(captured)}))
	}
	c.together(all...)
	back := 0
	for _, q := range all {
		if q.final != nil && q.final.Status == http.StatusCreated && q.final.Text("status") == "succeeded" {
			back += q.amount()
		}
	}
	if back > captured {
		c.found.add("%s: %d of %d was given back", charge, back, captured)
	}
}

// repeat asks again for what was answered.
func (c *client) repeat() {
	if len(c.mine) > 0 {
		c.again(c.mine[c.chance.IntN(len(c.mine))])
	}
}

// contradict uses a key again for something else.
func (c *client) contradict() {
	if len(c.mine) == 0 {
		return
	}
	q := c.mine[c.chance.IntN(len(c.mine))]
	other := *q
	other.Body = maps.Clone(q.Body)
	if q.Kind == "void" {
		other.Body["reason"] = "another one"
	} else {
		other.Body["amount"] = q.amount() + 1
	}
	for !c.journal.giveUp.Load() && !c.calm.Load() {
		a, err := c.try(&other)
		switch {
		case err != nil || a.Status == http.StatusServiceUnavailable:
			c.rest()
			continue
		case a.Status != http.StatusUnprocessableEntity || a.Text("error", "code") != "idempotency_key_reused":
			c.found.add("the key of a %s, with other parameters: %s", q.Kind, a)
		}
		c.counts.add("keys with other parameters, refused")
		return
	}
}

func (c *client) order(capture bool) map[string]any {
	shop := c.shop()
	body := c.at(shop.merchant).Order(shop.pick(c.chance, capture), 50+c.chance.IntN(50_000))
	body["capture"] = capture
	return body
}

// shop chooses a merchant.
func (c *client) shop() shop {
	for {
		if s := c.shops[c.chance.IntN(len(c.shops))]; s.atStripe == c.atStripe {
			return s
		}
	}
}

// want notes something that is to happen once.
func (c *client) want(kind, path string, body map[string]any) *request {
	c.asked++
	return &request{Client: c.number, Key: fmt.Sprintf("client-%d-%d", c.number, c.asked), Kind: kind, Path: path,
		Body: body}
}

// together insists on several requests at once.
func (c *client) together(all ...*request) {
	var under sync.WaitGroup
	for _, q := range all {
		one := *c // chance is no other goroutine's
		one.chance = rand.New(rand.NewPCG(c.chance.Uint64(), 0))
		one.mine = nil
		under.Go(func() { one.insist(q) })
	}
	under.Wait()
	for _, q := range all {
		c.keep(q)
	}
}

func (c *client) keep(q *request) {
	if q.kept() && !slices.Contains(c.mine, q) {
		c.mine = append(c.mine, q)
	}
}

// insist writes the request down and sends it with its key until the answer is final.
func (c *client) insist(q *request) {
	if err := c.journal.write(q); err != nil {
		c.found.add("the journal cannot be written: %v", err)
		return
	}
	q.called = time.Now()
	for !c.journal.giveUp.Load() {
		a, err := c.try(q)
		if err == nil && c.hear(q, a) {
			q.answered = time.Now()
			c.keep(q)
			return
		}
		c.rest()
	}
}

// try sends a request once.
func (c *client) try(q *request) (rig.Answer, error) {
	c.counts.add("requests")
	return c.site.API(http.MethodPost, q.Path, q.Key, q.Body)
}

func (c *client) rest() {
	pause := time.Duration(50+c.chance.IntN(300)) * time.Millisecond
	if c.atStripe {
		pause *= 6
	}
	time.Sleep(pause)
}

// expected are the final answers of each kind of request; 502 says that the processor was never reached.
var expected = map[string][]string{
	"charge":   {"201 ", "402 card_declined", "502 processor_error", blockedByRule},
	"debit":    {"201 ", "402 bank_account_unusable", "502 processor_error", "422 token_disabled"},
	"capture":  {"200 ", "409 charge_not_capturable", "502 processor_error"},
	"void":     {"200 ", "409 charge_not_voidable", "502 processor_error"},
	"refund":   {"201 ", "422 refund_exceeds_remaining", "409 charge_not_refundable"},
	"donation": {"201 ", "502 processor_error"},
	"evidence": {"200 ", "409 dispute_not_answerable", "502 processor_error"},
}

// waits are answers upon which the same is asked again.
var waits = []string{"202 ", "409 idempotency_key_in_use", "409 operation_in_progress", "503 overloaded",
	"503 internal_error"}

// hear takes an answer in, and reports whether it is final.
func (c *client) hear(q *request, a rig.Answer) bool {
	short := fmt.Sprintf("%d %s", a.Status, a.Text("error", "code"))
	id := a.Text("id")
	if q.Kind == "charge" && a.Text("error", "charge_id") != "" {
		id = a.Text("error", "charge_id")
	}
	if slices.Contains([]string{"charge", "refund", "donation"}, q.Kind) && id != "" {
		if q.object != "" && q.object != id {
			c.found.add("the key of %s answers with %s", q.object, id)
		}
		q.object = id
	}
	kind := q.Kind
	if c.shopOf(q.Body).banks[q.Body["token"]] != "" {
		kind = "debit"
	}
	switch {
	case slices.Contains(expected[kind], short):
	case slices.Contains(waits, short):
		return false
	default:
		c.found.add("a %s is answered %s", kind, a)
		return a.Status < 500
	}
	if short == blockedByRule && !c.shopOf(q.Body).moves {
		c.found.add("a payment of a merchant without rules is answered %s", a)
	}
	if q.Kind == "charge" && !c.shopOf(q.Body).expects(q.Body["token"], a.Status) {
		c.found.add("a %s is answered otherwise than by its number: %s", kind, a)
	}
	c.counts.add("answer: " + kind + " " + short)
	q.final = &a
	return true
}

// again asks for what was answered before: it is answered so again, in every byte.
func (c *client) again(q *request) {
	for !c.journal.giveUp.Load() {
		a, err := c.try(q)
		if err != nil || a.Status == http.StatusServiceUnavailable {
			c.rest()
			continue
		}
		c.counts.add("answers told again")
		if a.Status != q.final.Status || !bytes.Equal(a.Body, q.final.Body) || !a.Replayed() {
			c.found.add("an answer was taken back: %s, and then %s (replayed %v)", q.final, a, a.Replayed())
		}
		return
	}
}
