package portal

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views/text"
)

// ask runs a handler for an address as someone in New York.
func (w *world) ask(t *testing.T, handler echo.HandlerFunc) answer {
	t.Helper()
	w.echo.GET("/portal/_asked", func(c echo.Context) error {
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			return err
		}
		r := c.Request()
		c.SetRequest(r.WithContext(text.With(r.Context(), text.Viewer{Zone: zone})))
		return handler(c)
	})
	return w.send("/portal/_asked?at_from=2026-03-08&at_until=2026-03-08&sum_min=1,250&sum_max=$2000.5&bad_min=ten",
		nil)
}

// A day is the viewer's, which is shorter where clocks go forward; amounts are read as people write them.
func TestFiltersAreReadAsTheViewerMeansThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.ask(t, func(c echo.Context) error {
		query := c.QueryParams()
		span := web.Days(c, query, "at")
		if span.From == nil || span.Until == nil || span.Until.Sub(*span.From) != 23*time.Hour ||
			span.From.UTC().Hour() != 5 {
			t.Errorf("the day is %v", span)
		}
		if none := web.Days(c, query, "never"); none.From != nil || none.Until != nil {
			t.Errorf("no day is %v", none)
		}
		sum := web.Amounts(query, "sum")
		if sum.Least == nil || sum.Most == nil || *sum.Least != 125_000 || *sum.Most != 200_050 {
			t.Errorf("the amounts are %v", sum)
		}
		if bad := web.Amounts(query, "bad"); bad.Least != nil || bad.Most != nil {
			t.Errorf("%q is an amount", query.Get("bad_min"))
		}
		return c.NoContent(http.StatusNoContent)
	}).wants(t, http.StatusNoContent, "")
}

func TestCursorsAreIdsOrTheBeginning(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]page.Input[int64]{
		"": {Limit: 50}, "after=7": {Limit: 50, After: 7}, "before=9": {Limit: 50, Before: 9},
		"after=x&before=9": {Limit: 50, Before: 9}, "after=7&before=9": {Limit: 50, After: 7}, "after=-1": {Limit: 50},
	} {
		q, err := url.ParseQuery(query)
		if got := web.Cursors(q, web.Number); err != nil || got != want {
			t.Errorf("%s is %+v", query, got)
		}
	}
}

func TestASheetHasEveryPageAndNoFormula(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	all := make([]int, 450)
	for i := range all {
		all[i] = i + 1
	}
	read := func(in page.Input[int]) (page.Of[int], error) {
		from := slices.Index(all, in.After) + 1
		return page.Cut(in, all[from:min(len(all), from+in.Rows())]), nil
	}
	a := w.ask(t, func(c echo.Context) error {
		return web.Sheet(c, "numbers", []string{"n", "said"}, func(write func(...string) error) error {
			return web.EveryPage(page.Input[int]{After: 400}, read, func(n int) int { return n }, func(n int) error {
				return write("-12", []string{"=1+1", "+1", "@a", "-a", "plain, \"quoted\""}[n%5])
			})
		})
	})
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	if a.StatusCode != 200 || len(lines) != 451 || lines[0] != "\ufeffn,said" ||
		!strings.Contains(a.Header.Get("Content-Disposition"), `"numbers.csv"`) {
		t.Fatalf("%d, %d lines: %s", a.StatusCode, len(lines), a.body[:60])
	}
	want := []string{"-12,'+1", "-12,'@a", "-12,'-a", `-12,"plain, ""quoted"""`, "-12,'=1+1"}
	if !slices.Equal(lines[1:6], want) {
		t.Errorf("the lines are %q", lines[1:6])
	}
}

// What fails before the first line is an error like any other; a sheet of nothing has its head.
func TestASheetThatFailsIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.ask(t, func(c echo.Context) error {
		return web.Sheet(c, "numbers", []string{"n"}, func(func(...string) error) error { return fault.Missing() })
	})
	a.wants(t, http.StatusNotFound, "")
	a = newWorld(t, nil).ask(t, func(c echo.Context) error {
		return web.Sheet(c, "numbers", []string{"n"}, func(func(...string) error) error { return nil })
	})
	if a.body != spreadsheet.BOM+"n\n" {
		t.Errorf("nothing is %q", a.body)
	}
	// More rows than a file may have make no file, and one that just fits is whole.
	for rows, want := range map[int]int{web.RowsPerSheet: http.StatusOK, web.RowsPerSheet + 1: http.StatusSeeOther} {
		read := func(in page.Input[int]) (page.Of[int], error) {
			next := make([]int, min(rows-in.After, in.Rows()))
			for i := range next {
				next[i] = in.After + i + 1
			}
			return page.Cut(in, next), nil
		}
		a = newWorld(t, nil).ask(t, func(c echo.Context) error {
			return web.Sheet(c, "numbers", []string{"n"}, func(write func(...string) error) error {
				return web.EveryPage(page.Input[int]{}, read, func(n int) int { return n },
					func(n int) error { return write(strconv.Itoa(n)) })
			})
		})
		whole := strings.HasSuffix(a.body, "\n10000\n") && a.Header.Get("Content-Disposition") != ""
		if a.StatusCode != want || whole != (want == http.StatusOK) {
			t.Errorf("%d rows answer %d", rows, a.StatusCode)
		}
	}
	_ = web.EveryPage(page.Input[int]{},
		func(page.Input[int]) (page.Of[int], error) { return page.Of[int]{}, errors.New("gone") },
		func(n int) int { return n }, func(int) error { t.Error("there is something"); return nil })
}

// A list that a file has no room for leads back to the list with its filters, which says so, whatever list it is.
func TestAnExportThatIsTooLongLeadsBackToTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	pages := map[string]bool{}
	for _, r := range w.routes() {
		pages[r.Path] = pages[r.Path] || r.Method == http.MethodGet
	}
	lists := 0
	for path := range pages {
		if strings.HasSuffix(path, ".csv") &&
			!slices.Contains([]string{web.BalancesPath + "/:id/statement.csv",
				web.BalancesPath + "/:id/daf_invoice.csv", web.PayoutsPath + "/:id/entries.csv"}, path) {
			if lists++; !pages[web.ListOfSheet(path)] {
				t.Errorf("%s leads back to %s, which is no page", path, web.ListOfSheet(path))
			}
		}
	}
	if lists < 12 {
		t.Errorf("%d lists", lists)
	}
	w.echo.GET(web.ChargesPath+"/long.csv", func(c echo.Context) error {
		return web.Sheet(c, "numbers", []string{"n"}, func(func(...string) error) error { return web.ErrLong })
	})
	cookie := w.as(authz.RoleApplicationAdmin)
	a := w.send(web.ChargesPath+"/long.csv?status=failed&q=dana", nil, "Cookie", cookie)
	a.wants(t, http.StatusSeeOther, web.ChargesPath+"/long?q=dana&status=failed")
	if a.Header.Get("Content-Disposition") != "" {
		t.Error("the answer is a file")
	}
	w.send(web.ChargesPath+"?q=dana&status=failed", nil, "Cookie",
		cookie+"; "+web.FlashCookie+"="+a.cookie(t, web.FlashCookie).Value).
		says(t, "A CSV file holds up to 10,000 rows, and this list has more.")
}

// The ready-made days of a list are those of the viewer, by the clock that its records are written by.
func TestReadyMadeDaysAreTheViewers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	w.pass(w.Clock.Now().Truncate(24 * time.Hour).Add(28 * time.Hour).Sub(w.Clock.Now())) // four in the morning, UTC
	address := "https://hooks.example.org/in"
	e, err := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &address, Events: []string{"*"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	admin := w.as(authz.RoleApplicationAdmin)
	w.send("/portal/settings/looks", url.Values{"theme": {"dark"}, "zone": {"America/Los_Angeles"}}, "Cookie",
		admin).wants(t, http.StatusSeeOther, web.SettingsPath)
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 5*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	machine := w.Clock.Now().In(zone)
	application := machine.AddDate(0, 0, 5)
	for path, want := range map[string]time.Time{
		web.ChargesPath: application, web.RefundsPath: application, web.DisputesPath: application,
		web.DonationsPath: application, web.PayoutsPath: application,
		web.MerchantsPath: application, web.EventsPath: application, web.AuditPath: machine, web.LogsPath: machine,
		web.WebhooksPath + "/" + e.Object.ID.String(): machine,
	} {
		name := "created"
		if want.Equal(machine) || path == web.EventsPath {
			name = "at"
		}
		day := want.Format(time.DateOnly)
		a := w.send(path+"?"+name+"_from=2020-01-01&"+name+"_until=2020-01-02", nil, "Cookie", admin)
		if !strings.Contains(a.body, name+"_from="+day+"&amp;"+name+"_until="+day+`"`) {
			t.Errorf("%s (%d) does not offer %s", path, a.StatusCode, day)
		}
	}
}

// Every list that people download begins with the mark without which Excel garbles names.
func TestDownloadsBeginWithABOM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, seen := w.as(authz.RoleApplicationAdmin), 0
	for _, r := range w.echo.Routes() {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.Path, ".csv") || strings.Contains(r.Path, ":") {
			continue
		}
		a := w.send(r.Path, nil, "Cookie", cookie)
		if a.StatusCode == http.StatusForbidden {
			continue
		}
		if seen++; a.StatusCode != http.StatusOK || !strings.HasPrefix(a.body, spreadsheet.BOM) {
			t.Errorf("%s: %d %.40q", r.Path, a.StatusCode, a.body)
		}
	}
	if seen < 5 {
		t.Errorf("%d downloads", seen)
	}
}

// TestFiltersOfDaysSayWhatIsNoDate in each list that has one.
func TestFiltersOfDaysSayWhatIsNoDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	for path, names := range map[string][]string{
		web.ChargesPath: {"created"}, web.RefundsPath: {"created"}, web.DisputesPath: {"created", "due"},
		web.PayoutsPath: {"created", "arrives"}, web.DonationsPath: {"created"}, web.MerchantsPath: {"created"},
		web.EventsPath: {"at"}, web.LogsPath: {"at"}, web.AuditPath: {"at"},
	} {
		for _, name := range names {
			for _, query := range []string{name + "_from=yesterday", name + "_until=2026-02-30"} {
				if a := w.send(path+"?"+query, nil, "Cookie", cookie); !strings.Contains(a.body,
					"Enter a date, such as") {
					t.Errorf("%s?%s says nothing", path, query)
				}
			}
			if a := w.send(path+"?"+name+"_from=2026-02-28", nil, "Cookie", cookie); strings.Contains(a.body,
				"Enter a date") {
				t.Errorf("%s: 2026-02-28 is a date", path)
			}
		}
	}
}
