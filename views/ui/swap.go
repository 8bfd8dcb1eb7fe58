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

// into are the attributes of a link whose page replaces one part of this one, where there is a script. The
// address moves with it if that is kept: a list's state is its address.
func into(target, href string, keep bool) templ.OrderedAttributes {
	if target == "" {
		return nil
	}
	attributes := templ.OrderedAttributes{{Key: "hx-get", Value: href}, {Key: "hx-target", Value: "#" + target}}
	if keep {
		return append(attributes, templ.KeyValue[string, any]{Key: "hx-push-url", Value: "true"}, templ.KeyValue[string, any]{Key: "hx-swap", Value: "outerHTML"})
	}
	return attributes
}
