package text

import (
	"strings"
	"unicode"
)

// Parts are the texts of the kit's own components.
type Parts struct {
	// forms
	Error, Optional string
	Cancel, Undo    string
	Copied          string
	Copy            func(what string) string
	// lists
	SelectAll, Selection                    string
	SelectRow                               func(what string) string
	SelectedSome, SelectedOne, SelectedMore string // in the last, {n} is the number
	Previous, Next, Pages                   string
	Export                                  string
	TooLong                                 func(rows string) string // of a list, for a file
	NothingMatches, NothingMatchesText      string
	NoRight                                 string
	NoRightText                             func(right, who string) string
	// filters
	Search, Filters, Apply, Clear, Any string
	Remove                             func(filter string) string
	AtLeast, AtMost, From, Until       string
	BadDay                             string // of a filter
	MerchantByID                       string
	OrMore, OrLess, Since, Through     func(value string) string
	Or                                 func(values []string) string
	AndMore                            func(value string, others int) string
	Today                              string
	LastDays                           func(n int) string
	// places, pages, the palette
	Breadcrumbs                  string
	Switch, FindPlace, AllPlaces string
	Palette, PaletteHint         string
	NoneFound                    string
	FoundCount                   func(n int) string
	// what is shown
	Close, Dismiss, Details string
	Loading, Earlier        string
	Was, Is, Nothing        string
	Rose, Fell              string
	Table                   string
	ChartText               func(highest, on, lowest, at string) string
}

var partsEnglish = Parts{
	Error: "Error:", Optional: "optional",
	Cancel: "Cancel", Undo: "Undo",
	Copied: "Copied",
	Copy:   func(what string) string { return "Copy: " + what },

	SelectAll: "Select all on this page", Selection: "Bulk actions",
	SelectRow:    func(what string) string { return "Select " + what },
	SelectedSome: "Selected:", SelectedOne: "1 selected", SelectedMore: "{n} selected",
	Previous: "Previous", Next: "Next", Pages: "Pages of this list",
	Export: "Export CSV",
	TooLong: func(rows string) string {
		return "A CSV file holds up to " + rows +
			" rows, and this list has more. Choose fewer days or add a filter, then export each part."
	},
	NothingMatches: "No results", NothingMatchesText: "Change your search or remove filters.",
	NoRight: "You don’t have access",
	NoRightText: func(right, who string) string {
		return "You need the permission " + right + ". Ask " + who + " for it."
	},

	Search: "Search", Filters: "Filters", Apply: "Apply", Clear: "Clear filters", Any: "Any",
	Remove:  func(filter string) string { return "Remove filter: " + filter },
	BadDay:  "Enter a date, such as 2026-01-31.",
	AtLeast: "At least", AtMost: "At most", From: "From", Until: "Until",
	MerchantByID: "Enter a merchant ID. You can find it on the Merchants page.",
	OrMore:       func(value string) string { return value + " or more" },
	OrLess:       func(value string) string { return value + " or less" },
	Since:        func(day string) string { return "since " + day },
	Through:      func(day string) string { return "until " + day },
	Or:           func(values []string) string { return strings.Join(values, " or ") },
	AndMore:      func(value string, others int) string { return value + " or " + group(int64(others), ",") + " more" },
	Today:        "Today",
	LastDays:     func(n int) string { return "Last " + group(int64(n), ",") + " days" },

	Breadcrumbs: "Above this page",
	Switch:      "Switch account",
	FindPlace:   "Search", AllPlaces: "Show all",
	Palette: "Search or go to", PaletteHint: "Search by amount, last 4, email, or ID",
	NoneFound:  "No results. Try an amount, last 4 digits, email, or ID.",
	FoundCount: func(n int) string { return plural(n, "result", "results") },

	Close: "Close", Dismiss: "Dismiss", Details: "Details",
	Loading: "Loading…", Earlier: "Show earlier entries",
	Was: "was", Is: "becomes", Nothing: "nothing",
	Rose: "up", Fell: "down",
	Table: "View as table",
	ChartText: func(highest, on, lowest, at string) string {
		return "The highest is " + highest + " (" + on + "), the lowest " + lowest + " (" + at + ")."
	},
}

// onPage says how much of a list is on the page that is shown.
func onPage(n int, one, more string) string { return plural(n, one, more) + " on this page" }

// indefinite is a noun in English with its article, by its first letter: no noun of the catalogue sounds otherwise.
func indefinite(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", unicode.ToLower(rune(noun[0]))) {
		return "an " + noun
	}
	return "a " + noun
}

// plural writes a number in English and the word that goes with it.
func plural(n int, one, more string) string {
	word := more
	if n == 1 {
		word = one
	}
	return group(int64(n), ",") + " " + word
}
