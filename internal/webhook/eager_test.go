package webhook

import (
	"context"
	"net/url"
	"reflect"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/ids"
	"svcpay/internal/platform/safehttp"
)

// More is leased without a look to those that do not fail, and that took all that they had room for or had none.
func TestThereMayBeMoreWhereAllWasTaken(t *testing.T) {
	t.Parallel()
	full, empty, failing, without := ids.NewEndpoint(noon), ids.NewEndpoint(noon), ids.NewEndpoint(noon), ids.NewEndpoint(noon)
	due := []dueEndpoint{{ID: full}, {ID: empty}, {ID: failing, Failing: true}, {ID: without}}
	leased := []claimed{{EndpointID: full}, {EndpointID: failing}, {EndpointID: full}, {EndpointID: empty}}
	if more := withMore(due, []ids.Endpoint{full, empty, failing}, []int{2, 2, 1}, leased); !reflect.DeepEqual(more, []dueEndpoint{due[0], due[3]}) {
		t.Errorf("%+v", more)
	}
}

// Others are looked for every few times, when events were numbered, and when an attempt failed.
func TestOthersAreLookedForSoon(t *testing.T) {
	t.Parallel()
	c := safehttp.New(safehttp.Policy{})
	w := (&Service{deps: Deps{Client: c, Now: func() time.Time { return noon }}}).NewWorker()
	expect := func(what string, times int) {
		t.Helper()
		w.eager = []dueEndpoint{{}}
		for n := range times {
			if len(w.known()) != 1 {
				t.Fatalf("%s: others are looked for after %d times", what, n)
			}
		}
		if w.known() != nil {
			t.Errorf("%s: others are not looked for after %d times", what, times)
		}
		w.unlooked = 0
	}
	expect("by itself", mostUnlooked)
	w.news.Store(true)
	expect("after news", 0)
	hook, err := standardwebhooks.NewWebhookRaw([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	to := &target{at: &url.URL{Scheme: "gopher"}, signer: signer{current: hook}} // which no line speaks
	w.run(context.Background(), claimed{EndpointID: ids.NewEndpoint(noon), to: to})
	expect("after a failure", 0)
}
