package conformance

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor/conformance"
)

const day = 24 * time.Hour

func grants(t *testing.T, h Harness) {
	visitID := h.authorized(t, h.Account, amount)
	g := provider.Grant{Reference: h.reference(), VisitID: visitID, Amount: amount}
	if answer, err := h.Open().Lookup(t.Context(), g.Reference); !isUnknown(err) {
		t.Errorf("before: %+v, %v", answer, err)
	}
	answer, err := h.Open().Grant(t.Context(), g)
	if err != nil || !answer.Approved || len(answer.TrackingID) != 10 || answer.DeclineCode != "" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if again, err := h.Open().Grant(t.Context(), g); err != nil || again != answer {
		t.Errorf("again: %+v, %v", again, err)
	}
	if found, err := h.Open().Lookup(t.Context(), g.Reference); err != nil || found != answer {
		t.Errorf("looked up: %+v, %v", found, err)
	}
	_, open := h.visit(t, h.Account)
	for name, bad := range map[string]provider.Grant{
		"a second of one visit":  {VisitID: visitID, Amount: amount},
		"another amount":         {VisitID: h.authorized(t, h.Account, amount), Amount: amount + 100},
		"nothing was authorized": {VisitID: h.authorized(t, h.Account, 0), Amount: amount},
		"not authorized yet":     {VisitID: open.VisitID, Amount: amount},
		"no visit":               {VisitID: "unheard", Amount: amount},
	} {
		bad.Reference = h.reference()
		refused, err := h.Open().Grant(t.Context(), bad)
		if err != nil || refused.Approved || refused.DeclineCode == "" || refused.TrackingID != "" {
			t.Errorf("%s: %+v, %v", name, refused, err)
		}
		if found, err := h.Open().Lookup(t.Context(), bad.Reference); err != nil || found != refused {
			t.Errorf("%s, looked up: %+v, %v", name, found, err)
		}
	}
}

func races(t *testing.T, h Harness) {
	visitID := h.authorized(t, h.Account, amount)
	same := h.reference()
	var approved counted
	var wg sync.WaitGroup
	for i := range 8 {
		reference := same
		if i%2 == 0 {
			reference = h.reference()
		}
		wg.Go(func() {
			answer, err := h.Open().Grant(t.Context(),
				provider.Grant{Reference: reference, VisitID: visitID, Amount: amount})
			if err != nil {
				t.Error(err)
			}
			if answer.Approved {
				approved.add(answer.TrackingID)
			}
		})
	}
	wg.Wait()
	if len(approved.by) != 1 {
		t.Errorf("one visit gave %v", approved.by)
	}
}

// feed reads all events after one, some at a time.
func (h Harness) feed(t *testing.T, after string) (all []provider.Event) {
	t.Helper()
	for {
		page, err := conformance.Events(t.Context(), h.Open(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all, after = append(all, page...), page[len(page)-1].ID
	}
}

func feeds(t *testing.T, h Harness) {
	of := map[string]string{}
	for i := range 5 {
		account := []string{h.Account, h.Other}[i%2]
		reference, tracking := h.granted(t, account)
		of[reference] = account + " " + tracking
	}
	if early := h.feed(t, ""); len(early) > 0 {
		t.Errorf("at once: %+v", early)
	}
	h.Advance(14 * day)
	var told counted
	var wg sync.WaitGroup
	for range 3 { // readers at once see the same
		wg.Go(func() {
			for _, e := range h.feed(t, "") {
				told.add(e.ID)
			}
		})
	}
	wg.Wait()
	all := h.feed(t, "")
	if len(all) != len(of) || !slices.IsSortedFunc(all, func(a, b provider.Event) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	}) {
		t.Fatalf("%+v", all)
	}
	for _, e := range all {
		if e.Kind != provider.GrantCompleted || of[e.Reference] != e.Account+" "+e.TrackingID || e.At.After(h.Now()) ||
			told.by[e.ID] != 3 {
			t.Errorf("%+v, seen %d times", e, told.by[e.ID])
		}
	}
	if rest := h.feed(t, all[1].ID); !slices.Equal(rest, all[2:]) {
		t.Errorf("after the second: %+v", rest)
	}
	if e, err := conformance.Events(t.Context(), h.Open(), "unheard", 5); err == nil {
		t.Errorf("after what is no event: %+v", e)
	}
}

func notices(t *testing.T, h Harness) {
	h.granted(t, h.Account)
	h.Advance(14 * day)
	e := h.feed(t, "")[0]
	header, body := h.Notice(t, e)
	messages, err := h.Open().Notice(t.Context(), header, body)
	if err != nil || len(messages) != 1 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if got, err := h.Open().Events(t.Context(), messages[0]); err != nil || len(got) != 1 || got[0] != e ||
		messages[0].ID != e.ID {
		t.Errorf("%+v, %v, want %+v", got, err, e)
	}
	without := func(name string) http.Header {
		c := http.Header(header).Clone()
		c.Del(name)
		return c
	}
	with := func(name, value string) http.Header {
		c := http.Header(header).Clone()
		c.Set(name, value)
		return c
	}
	refused := func(what string, header http.Header, body []byte) {
		t.Helper()
		if got, err := h.Open().Notice(t.Context(), header, body); !errors.Is(err, notice.ErrSignature) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	refused("nothing signed", http.Header{}, body)
	refused("another body", header, append(slices.Clone(body), ' '))
	refused("an empty body", header, nil)
	if len(h.Signed) == 0 {
		t.Error("nothing is signed")
	}
	for name, values := range h.Signed {
		refused("no "+name, without(name), body)
		for _, value := range values {
			refused(name+": "+value, with(name, value), body)
		}
	}
	h.Advance(6 * time.Minute)
	refused("an old one", header, body)
}

func books(t *testing.T, h Harness) {
	reference, tracking := h.granted(t, h.Account)
	other, _ := h.granted(t, h.Other)
	if _, err := h.Open().Grant(t.Context(),
		provider.Grant{Reference: h.reference(), VisitID: "unheard", Amount: amount}); err != nil {
		t.Fatal(err)
	}
	book := func(after int64, limit int) []provider.Line {
		lines, err := h.Open().Book(t.Context(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	h.Advance(time.Hour)
	lines := book(0, 10)
	if len(lines) != 2 || lines[0].Reference != reference || lines[0].TrackingID != tracking ||
		lines[0].Amount != amount || lines[0].State != "" ||
		lines[0].Account != h.Account || lines[0].ConnectID == "" || lines[1].Reference != other ||
		lines[1].Number <= lines[0].Number {
		t.Fatalf("%+v", lines)
	}
	if first := book(0, 1); len(first) != 1 || first[0] != lines[0] {
		t.Errorf("%+v", first)
	}
	h.Advance(14 * day)
	h.feed(t, "")
	if rest := book(lines[0].Number, 10); len(rest) != 1 || rest[0].Reference != other ||
		rest[0].State != provider.GrantCompleted {
		t.Errorf("%+v", rest)
	}
}
