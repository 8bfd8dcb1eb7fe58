package webhook

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"svcpay/internal/check"
	"svcpay/internal/check/patch"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/platform/safehttp"
)

const (
	maxURL    = 2048 // characters
	maxEvents = 50
)

// CreateInput is the body of an endpoint's creation. Without events it gets all of them.
type CreateInput struct {
	URL         *string           `json:"url"`
	Events      []string          `json:"events" absent:"all" default:"[\"*\"]"`
	Description *string           `json:"description"`
	Metadata    map[string]string `json:"metadata" default:"{}"`
}

// Validate returns every mistake that can be seen without looking at the URL's host.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "url", in.URL != nil)
	filters(&fs, in.Events)
	check.Text(&fs, "description", in.Description, 0, check.MaxDescription)
	check.Metadata(&fs, in.Metadata)
	return fs
}

// UpdateInput is the body of an endpoint's update; what is not sent stays. Events and metadata are
// replaced as a whole.
type UpdateInput struct {
	URL         *string                         `json:"url"`
	Events      []string                        `json:"events"`
	Description patch.Member[string]            `json:"description"`
	Metadata    patch.Member[map[string]string] `json:"metadata"`
	// IfVersion is the version that the endpoint must have; nil for any.
	IfVersion *int `json:"-"`
}

// Validate returns every mistake that can be seen without looking at the URL's host.
func (in UpdateInput) Validate() fault.Fields {
	var fs fault.Fields
	filters(&fs, in.Events)
	check.Text(&fs, "description", in.Description.Value, 0, check.MaxDescription)
	if in.Metadata.Value != nil {
		check.Metadata(&fs, *in.Metadata.Value)
	}
	return fs
}

func filters(fs *fault.Fields, events []string) {
	switch {
	case events == nil:
	case len(events) == 0 || len(events) > maxEvents:
		fs.Add("events", "parameter_invalid", fmt.Sprintf("Enter 1 to %d event types.", maxEvents))
	case slices.ContainsFunc(events, func(f string) bool { return !event.IsFilter(f) }):
		fs.Add("events", "parameter_invalid",
			"One of these is not an event. Enter event types, groups such as charge.*, or *.")
	}
}

// hosts is what a refused URL is told.
var hosts = map[safehttp.Reason]string{
	safehttp.SchemeNotAllowed: "Enter a URL that starts with https://.",
	safehttp.HostNotAllowed:   "The host must be a public DNS name.",
	safehttp.PortNotAllowed:   "Use port 443.",
}

// isPort reports whether a text is the number of a port, or none.
func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && n > 0
}

// checkURL adds what is wrong with a URL, before its name is looked up.
func (s *Service) checkURL(fs *fault.Fields, text *string) {
	before := len(*fs)
	check.Text(fs, "url", text, 1, maxURL)
	if text == nil || len(*fs) > before {
		return
	}
	u, err := url.Parse(*text)
	if err != nil || u.Hostname() == "" || u.Fragment != "" || !isPort(u.Port()) {
		fs.Add("url", "parameter_invalid",
			fmt.Sprintf("An absolute URL of at most %d characters without a fragment.", maxURL))
		return
	}
	reason := safehttp.ReasonOf(s.deps.Client.Check(u))
	switch {
	case reason != "":
		fs.Add("url", "parameter_invalid", hosts[reason])
	case u.Scheme == "http" && !safehttp.IsHere(u.Hostname()): // whose delivery would fail
		fs.Add("url", "parameter_invalid",
			"Use https. Only a program on this machine, such as http://localhost:3000, can be called over http.")
	}
}
