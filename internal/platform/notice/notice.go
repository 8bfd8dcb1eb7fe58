// Package notice is what counterparties report, before anything is made of it.
package notice

import (
	"encoding/json"
	"errors"
)

// Message is one report of a counterparty, sent to us or read from its feed. Both have the same id and body, so that a
// report that comes twice is known by its id.
type Message struct {
	ID      string          // the counterparty's, unique within its account
	Kind    string          // in the counterparty's words
	Account string          // the counterparty's id of the account that it is about
	Body    json.RawMessage // JSON; an adapter for another format puts the text into a string
}

// The reasons why a request that reports something is refused.
var (
	ErrSignature  = errors.New("notice: the signature is missing or wrong")
	ErrUnreadable = errors.New("notice: the signed request cannot be read")
	ErrNoSender   = errors.New("notice: this deployment has no such sender")
)
