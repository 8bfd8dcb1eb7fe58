package merchant_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"svcpay/internal/merchant"
)

func TestWhatAWebsiteAnsweredIsKept(t *testing.T) {
	t.Parallel()
	names := []string{"good.localhost", "gone.localhost", "moved.localhost", "other.localhost", "long.localhost"}
	s := build(t, names...)
	s.host["gone.localhost"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<html>\n\t<h1>Not  here\x00\x1b[31m\xff</h1>"))
	}
	s.host["moved.localhost"] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://www.example.org/login", http.StatusFound)
	}
	s.host["other.localhost"] = says(http.StatusOK, "")
	s.host["long.localhost"] = says(http.StatusOK, strings.Repeat("é", 5000))
	if _, err := s.verify(t, nil); err != nil {
		t.Fatal(err)
	}
	seen := func() (out []merchant.Sighting) {
		ds, err := s.Merchants.Domains(t.Context(), s.Actor(), s.App.Merchants.US)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			if d.Seen == nil {
				t.Fatalf("nothing was seen of %s", d.Domain)
			}
			out = append(out, *d.Seen)
		}
		return out
	}
	got := seen()
	want := []merchant.Sighting{
		{Status: 200, Type: "text/plain; charset=utf-8", Start: strings.TrimSpace(file)},
		{Status: 404, Type: "text/html", Start: "<html> <h1>Not here··[31m·</h1>"},
		{Status: 302, Location: "https://www.example.org/login", Type: "text/html; charset=utf-8", Start: got[2].Start},
		{Status: 200},
		{Status: 200, Type: "text/plain; charset=utf-8", Start: strings.Repeat("é", 120) + "…"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("seen: %+v", got)
	}
	if at := s.service.AssociationURL("give.example.org"); at != "https://give.example.org"+merchant.AssociationPath {
		t.Errorf("the file is at %s", at)
	}
	s.set(t, "nobody.localhost", "good.localhost")
	s.host["good.localhost"] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	ds, err := s.verify(t, nil)
	if err != nil || ds[1].Seen != nil || ds[1].Status != merchant.DomainFailed {
		t.Errorf("who does not answer was seen: %+v, %v", ds, err)
	}
}
