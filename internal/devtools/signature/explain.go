package signature

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// theory is a way in which the signature may have come about.
type theory struct {
	by   signer
	id   string
	body form // its was is "" if the body is as it came
	// changed: the event says something else than the body.
	changed bool
	cost    int
}

// explain finds the theory that asks for least and under which the signature is right, and tells what it means. It
// is false if there is none.
func (c *examination) explain() bool {
	theories := c.theories()
	slices.SortStableFunc(theories, func(a, b theory) int { return cmp.Compare(a.cost, b.cost) })
	for _, t := range theories {
		if c.matches(t.by.Secret, t.id, c.at, t.body.text) {
			c.tell(t)
			return true
		}
	}
	return c.shifted()
}

// theories lists what may have been.
func (c *examination) theories() (out []theory) {
	bodies := append([]form{{text: c.delivery.Body}}, forms(c.delivery.Body)...)
	original := -1
	if n, err := nodeOf(c.expected.Original); err == nil {
		original, bodies = len(bodies), append(bodies, form{n.sent(), "it was written anew"})
	}
	ids := []string{c.id}
	if own := c.told().ID; own != "" && own != c.id {
		ids = append(ids, own)
	}
	for _, s := range c.signers {
		for i, b := range bodies {
			for j, id := range ids {
				t := theory{by: s, id: id, body: b, changed: i == original && c.saysOther() != ""}
				t.cost = i + 10*j
				if s.number == 0 {
					t.cost += 100
				}
				out = append(out, t)
			}
		}
	}
	return out
}

const (
	// window is how far from the header's time others are tried, in seconds.
	window = 10 * 60
	// shiftable is how long a body may be for that.
	shiftable = 64 << 10
)

// shifted looks for a time close to the header's at which the delivery, else as it came, was signed.
func (c *examination) shifted() bool {
	if len(c.delivery.Body) > shiftable {
		return false
	}
	for _, s := range c.signers {
		for n := int64(1); n <= window; n++ {
			for _, at := range []time.Time{time.Unix(c.at.Unix()-n, 0), time.Unix(c.at.Unix()+n, 0)} {
				if !c.matches(s.Secret, c.id, at, c.delivery.Body) {
					continue
				}
				c.add(HeaderWrong, "%s is not the one that was signed, %d: something between SvcPay and you wrote it anew. Verify with the header as it comes.",
					HeaderTimestamp, at.Unix())
				c.at = at
				c.tell(theory{by: s, id: c.id})
				return true
			}
		}
	}
	return false
}

// tell says what a theory under which the signature is right means.
func (c *examination) tell(t theory) {
	c.Secret = t.by.number
	switch {
	case t.by.number == 0 && t.by.other.Foreign:
		c.add(Environment, "It was signed with the secret of %s: give the secret that belongs to where it comes from.", t.by.other.Name)
	case t.by.number == 0:
		c.add(SecretWrong, "It was signed with the secret of %s, not with one of yours.", t.by.other.Name)
	}
	if t.id != c.id {
		c.add(HeaderWrong, "%s is not the one that was signed, which is the event's own id. Verify with the header as it comes.", HeaderID)
	}
	switch {
	case t.changed:
		c.add(BodyChanged, "The body is not what was sent: %s differs from the event.", c.saysOther())
	case t.body.was != "":
		c.add(BodyReserialized, "The body was read and written again: %s. Verify the bytes as they came, before anything parses them.", t.body.was)
	}
}

// saysOther names what the body and the original tell differently; "" for nothing, or if one is not known.
func (c *examination) saysOther() string {
	original, err := nodeOf(c.expected.Original)
	if err != nil {
		return ""
	}
	body, err := nodeOf(c.delivery.Body)
	if err != nil {
		return "everything"
	}
	return original.differs(body, "")
}

// guess tells what follows when no theory fits: no secret that is known signed this.
func (c *examination) guess() {
	body := c.delivery.Body
	n, err := nodeOf(body)
	switch {
	case len(body) == 0:
		c.add(BodyChanged, "The body is empty: something has read it before. Keep the bytes of the request as they come.")
		return
	case err != nil:
		c.add(BodyChanged, "The body is not JSON, which every event is: it was decoded, cut short or is another request's.")
		return
	case c.saysOther() != "":
		c.add(BodyChanged, "The body is not what was sent: %s differs from the event.", c.saysOther())
	case !bytes.Equal(body, n.sent()) && c.told().isEvent():
		c.add(BodyReserialized, "The body was read and written again. Verify the bytes as they came, before anything parses them.")
	}
	switch {
	case !c.told().isEvent():
		c.add(SecretWrong, "No secret that was given signed it, unless the body was changed: it is no event, so that cannot be told.")
	case c.expected.Original == nil && c.Has(BodyReserialized):
		c.add(SecretWrong, "No secret that was given signed it, as far as the form in which it was sent can be told without the event.")
	case c.expected.Original == nil:
		c.add(SecretWrong, "The body has the form in which it is sent, so another secret signed it, unless something in it was changed or moved: endpoints and environments have a secret each, and so has svcpay listen.")
	default:
		c.add(SecretWrong, "No secret that was given signed what was sent. An endpoint's is shown when it is made and when it is rotated.")
	}
}

// told is what the body says of itself; nothing if it is no event.
func (c *examination) told() told {
	var t told
	_ = json.Unmarshal(c.delivery.Body, &t) // what it has of it
	return t
}

type told struct {
	ID            string `json:"id"`
	Object        string `json:"object"`
	Type          string `json:"type"`
	ApplicationID int64  `json:"application_id"`
	Livemode      *bool  `json:"livemode"`
}

func (t told) isEvent() bool { return t.Object == "event" && t.Livemode != nil }

func (t told) environment() string {
	if *t.Livemode {
		return "production"
	}
	return "sandbox"
}

// environment compares where an event comes from with where it should.
func (c *examination) environment() {
	t := c.told()
	if !t.isEvent() {
		return
	}
	if want := c.expected.Environment; want != "" && want != t.environment() {
		c.add(Environment, "The event is of %s, and %s was expected: each has endpoints and secrets of its own.", t.environment(), want)
	}
	if want := c.expected.ApplicationID; want != 0 && want != t.ApplicationID {
		c.add(Environment, "The event is of application %d, and %d was expected.", t.ApplicationID, want)
	}
}
