package ui

import "github.com/a-h/templ"

// Elements that a fragment of a page replaces when htmx asks for it. A page draws each in a fragment of the
// same name, see templ.Fragment.
const (
	ResultsID = "results"         // what a list's filters select
	DialogID  = "dialog"          // the dialog of every page
	FoundID   = "palette-results" // what the palette has found
	EarlierID = "earlier"         // the end of a timeline that goes on
	NoticeID  = "notice"          // where an error is told that no form can show
)

// into are the attributes of a link whose page is shown inside of an element of this one, where there is a
// script: a dialog.
func into(target, href string) templ.OrderedAttributes {
	if target == "" {
		return nil
	}
	return templ.OrderedAttributes{{Key: "hx-get", Value: href}, {Key: "hx-target", Value: "#" + target}}
}

// instead are the attributes of a link whose page replaces an element of this one, where there is a script.
func instead(target, href string) templ.OrderedAttributes {
	return swapped(target, href, "outerHTML")
}

// turned are those of a link to the next or the former page of a list, which is then read from its top.
func turned(target, href string) templ.OrderedAttributes {
	return swapped(target, href, "outerHTML show:#"+target+":top")
}

// swapped are those of a link whose page replaces an element. The address moves with it: a list's state is its address.
func swapped(target, href, how string) templ.OrderedAttributes {
	if target == "" {
		return nil
	}
	return append(into(target, href),
		templ.OrderedAttributes{{Key: "hx-push-url", Value: "true"}, {Key: "hx-swap", Value: how},
			{Key: "hx-sync", Value: latest(target)}}...)
}

// latest gives up what was asked for an element before: the answer to the last click is shown, not the slowest.
func latest(target string) string { return "#" + target + ":replace" }
