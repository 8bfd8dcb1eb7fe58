package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/report/search"
)

func (a *API) searchRoutes() []route {
	return []route{
		{http.MethodGet, "/api/search", "", authz.SearchRead, grows, lists(searchInput, a.Search.Find)},
	}
}

func searchInput(q *query) (in search.Input) {
	in.Page = pageOf(q, search.ParseRef)
	text, once := q.value("q")
	check.Required(&q.fs, "q", text != "" || len(q.values["q"]) > 1)
	if once && text != "" {
		var err error
		in.Query, err = search.Parse(text)
		q.fs.Check("q", err)
	}
	return in
}

// searchCodes are those of searches.
var searchCodes = []code{
	{Name: "search_too_broad", Kind: fault.KindRefused, Param: "q",
		Meaning: "So many objects had to be looked at that the search was stopped after two seconds.",
		Remedy:  "Add a term that fewer objects have, such as last4, external_id or a rarer word.",
		Message: "Too many objects had to be looked at. Add a term that fewer objects have, such as last4, external_id or a rarer word."},
}
