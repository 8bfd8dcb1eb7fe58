package listen_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"svcpay/internal/devtools/listen"
)

// A server with too many who wait, or about to stop, answers at once.
func TestALogThatDoesNotWaitIsNotAskedWithoutPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		place, err := listen.Open(t.TempDir(), target)
		if err != nil {
			t.Fatal(err)
		}
		defer place.Close()
		asked := 0
		f := &listen.Relay{
			Place: place, Read: func(context.Context, int64) ([]listen.Event, error) { asked++; return nil, nil }}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := f.Follow(ctx); err != nil || asked < 5 || asked > 15 {
			t.Errorf("asked %d times in ten seconds, %v", asked, err)
		}
	})
}
