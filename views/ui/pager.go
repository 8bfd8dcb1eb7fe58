package ui

import "net/url"

// Pager leads from one page of a list to those next to it, by the first and last object on it rather than by
// numbers: what is added in the meantime moves nothing.
type Pager struct {
	Previous string // the address, "" on the first page
	Next     string // the address, "" on the last
	Said     string // what is on this page: "50 charges", "1 – 50 of 1,204"
	Target   string // the element that the other page replaces, where there is a script
}

// Around returns the pager of a page that the list at path shows for a query, whose parameters after and
// before are as in package page. first and last are the ids of the page's ends, "" if nothing is on it; more
// reports whether there is more beyond the end that was read toward.
func Around(path string, query url.Values, first, last string, more bool) Pager {
	start := without(query, "after", "before")
	at := func(name, id string) string {
		to := without(start)
		if id != "" {
			to.Set(name, id)
		}
		return address(path, to)
	}
	var p Pager
	switch {
	case query.Get("before") != "":
		if more {
			p.Previous = at("before", first)
		}
		if last == "" { // nothing is before it any more: what comes after is the whole list
			p.Next = at("", "")
		} else {
			p.Next = at("after", last)
		}
	case query.Get("after") != "":
		p.Previous = at("before", first)
		if more {
			p.Next = at("after", last)
		}
	case more:
		p.Next = at("after", last)
	}
	return p
}
