package signature

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// envelope is the order in which a webhook's body has an event's members.
var envelope = []string{"id", "object", "type", "timestamp", "sequence", "application_id", "merchant_id", "livemode", "api_version", "request", "data"}

// parts are the orders in the members of an event.
var parts = map[string][]string{"request": {"id", "source"}, "data": {"object", "previous_attributes"}}

// node is a JSON value with the order of its members.
type node struct {
	open    json.Delim // { or [; 0 for a plain value
	members []member   // of an object and a list
	plain   any
}

type member struct {
	name  string
	value node
}

// nodeOf reads one JSON value.
func nodeOf(text []byte) (node, error) {
	if !json.Valid(text) { // its nesting is bounded then, too
		return node{}, errors.New("not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return next(d)
}

func next(d *json.Decoder) (node, error) {
	t, err := d.Token()
	if err != nil {
		return node{}, err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return node{plain: t}, nil
	}
	n := node{open: open}
	for d.More() {
		var m member
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return n, err
			}
			m.name, _ = name.(string)
		}
		if m.value, err = next(d); err != nil {
			return n, err
		}
		n.members = append(n.members, m)
	}
	_, err = d.Token() // what closes it
	return n, err
}

// member finds a member of an object.
func (n node) member(name string) (node, bool) {
	i := slices.IndexFunc(n.members, func(m member) bool { return n.open == '{' && m.name == name })
	if i < 0 {
		return node{}, false
	}
	return n.members[i].value, true
}

// text writes a value without white space, its texts as Go's encoder has them; html escapes <, > and & besides.
func (n node) text(html bool) []byte {
	var b bytes.Buffer
	n.write(&b, html)
	return b.Bytes()
}

func (n node) write(b *bytes.Buffer, html bool) {
	if n.open == 0 {
		e := json.NewEncoder(b)
		e.SetEscapeHTML(html)
		if err := e.Encode(n.plain); err != nil {
			panic(err) // it was read from JSON
		}
		b.Truncate(b.Len() - 1) // the encoder's line end
		return
	}
	b.WriteByte(byte(n.open))
	for i, m := range n.members {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			node{plain: m.name}.write(b, html)
			b.WriteByte(':')
		}
		m.value.write(b, html)
	}
	b.WriteByte(byte(n.open + 2)) // } is two after {, and ] after [
}

// sent is the text of an event as webhooks have it, whatever became of its form since: its members in their order,
// no white space, <, > and & escaped. The order in its object is taken to be the one that was sent.
func (n node) sent() []byte { return n.inOrder(envelope, parts).text(true) }

// inOrder orders members by names, those that are not among them last, and by inner what is within them.
func (n node) inOrder(names []string, inner map[string][]string) node {
	out := node{open: n.open, plain: n.plain, members: slices.Clone(n.members)}
	for i, m := range out.members {
		if within := inner[m.name]; within != nil {
			out.members[i].value = m.value.inOrder(within, nil)
		}
	}
	if n.open != '{' {
		return out
	}
	place := func(m member) int {
		if i := slices.Index(names, m.name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(out.members, func(a, b member) int { return cmp.Compare(place(a), place(b)) })
	return out
}

// form is a text that may have been sent in a body's place, and what then happened to it.
type form struct {
	text []byte
	was  string
}

// forms lists what may have been sent before others wrote body anew, which itself is not among them.
func forms(body []byte) (out []form) {
	add := func(text []byte, was string) {
		if !bytes.Equal(text, body) && !slices.ContainsFunc(out, func(f form) bool { return bytes.Equal(f.text, text) }) {
			out = append(out, form{text, was})
		}
	}
	add(bytes.TrimSpace(body), "white space was added around it")
	n, err := nodeOf(body)
	if err != nil {
		return out
	}
	var tight bytes.Buffer
	if json.Compact(&tight, body) == nil {
		add(tight.Bytes(), "white space was put between its members")
	}
	add(n.text(true), "characters are escaped in another way")
	add(n.text(false), "characters are escaped in another way")
	add(n.sent(), "its members are in another order")
	return out
}

// differs names the first member in which two events differ; "" if they say the same.
func (n node) differs(other node, path string) string {
	if n.open != other.open || n.open == 0 && n.plain != other.plain || n.open == '[' && len(n.members) != len(other.members) {
		return cmp.Or(path, "everything")
	}
	for i, m := range n.members {
		its, theirs, name := m.value, node{}, fmt.Sprint(i)
		if n.open == '[' {
			theirs = other.members[i].value
		} else {
			var ok bool
			if theirs, ok = other.member(m.name); !ok {
				return join(path, m.name)
			}
			name = m.name
		}
		if where := its.differs(theirs, join(path, name)); where != "" {
			return where
		}
	}
	for _, m := range other.members {
		if _, ok := n.member(m.name); n.open == '{' && !ok {
			return join(path, m.name)
		}
	}
	return ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
