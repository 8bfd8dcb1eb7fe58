package upload_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/upload"
)

// leave makes today's quota of the application have room for some bytes.
func leave(t *testing.T, w *fixture.World, bytes int) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO stored_bytes (application_id, kind, day, bytes, most) VALUES (@app, 'files', @day, @used, @most)
		ON CONFLICT (application_id, kind) DO UPDATE SET day = @day, bytes = @used`,
		pg.Args{"app": w.App.AppID, "day": w.Clock.Now().UTC(), "used": upload.Quota - int64(bytes),
			"most": upload.Quota}); err != nil {
		t.Fatal(err)
	}
}

// send uploads the small PDF.
func send(w *fixture.World, as authz.Actor) error {
	_, err := w.Uploads.Create(context.Background(), as, upload.CreateInput{Name: "a.pdf", Content: pdf()}, nil)
	return err
}

func TestUploadsHaveAQuotaOfTheDay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	leave(t, w, 2*len(pdf())+len(pdf())-1)
	for range 2 {
		if err := send(w, w.Actor()); err != nil {
			t.Fatal(err)
		}
	}
	f, ok := fault.As(send(w, w.Actor()))
	if !ok || f.Kind != fault.KindLimited || f.Code != "rate_limited" || f.RetryAfter <= 0 ||
		f.RetryAfter > 24*time.Hour {
		t.Fatalf("%v", f)
	}
	if err := send(w, w.ActorOf(w.Other)); err != nil {
		t.Errorf("another application: %v", err)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := send(w, w.Actor()); !fault.HasCode(err, "rate_limited") {
		t.Errorf("after the application's clock was moved: %v", err)
	}
	w.Clock.Advance(f.RetryAfter - time.Second)
	if err := send(w, w.Actor()); !fault.HasCode(err, "rate_limited") {
		t.Errorf("a second before: %v", err)
	}
	w.Clock.Advance(time.Second)
	if err := send(w, w.Actor()); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

func TestParallelUploadsNeverExceedTheQuota(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	leave(t, w, 3*len(pdf()))
	var wait sync.WaitGroup
	var kept, refused atomic.Int32
	for range 8 {
		wait.Go(func() {
			switch err := send(w, w.Actor()); {
			case err == nil:
				kept.Add(1)
			case fault.HasCode(err, "rate_limited"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	rows, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM files`, pg.Args{})
	if err != nil || rows != 3 || kept.Load() != 3 || refused.Load() != 5 {
		t.Errorf("%d rows, %d kept, %d refused, %v", rows, kept.Load(), refused.Load(), err)
	}
}

func TestRefusedFilesUseNoQuota(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	leave(t, w, len(pdf()))
	for name, content := range map[string][]byte{"a.pdf": []byte("hello"), "..": pdf()} {
		if _, err := w.Uploads.Create(t.Context(), w.Actor(), upload.CreateInput{Name: name, Content: content},
			nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	in := upload.CreateInput{Name: "a.pdf", Content: pdf()}
	for range 3 { // of which two are the answer to the first
		keep(t, w, in, claimOf(w, in.Content))
	}
	if err := send(w, w.Actor()); !fault.HasCode(err, "rate_limited") {
		t.Errorf("another one: %v", err)
	}
}

// purged purges all, and returns which of some files are left.
func purged(t *testing.T, w *fixture.World, files ...ids.File) (left []ids.File) {
	t.Helper()
	for n := int64(1); n > 0; {
		var err error
		if n, err = w.Uploads.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range files {
		if _, err := w.Uploads.Get(t.Context(), w.Actor(), id.String()); err == nil {
			left = append(left, id)
		} else if !fault.HasCode(err, "resource_missing") {
			t.Error(err)
		}
	}
	return left
}

func TestUnattachedFilesArePurged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := upload.CreateInput{Name: "a.pdf", Content: pdf()}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 240*time.Hour); err != nil {
		t.Fatal(err)
	}
	old := keep(t, w, in, nil).Object.ID
	w.Clock.Advance(time.Hour)
	young := keep(t, w, in, nil).Object.ID
	for _, step := range []struct {
		after time.Duration
		left  []ids.File
	}{{0, []ids.File{old, young}}, {7*24*time.Hour - time.Hour, []ids.File{old, young}}, {time.Second,
		[]ids.File{young}}, {time.Hour, nil}} {
		w.Clock.Advance(step.after)
		if left := purged(t, w, old, young); !slices.Equal(left, step.left) {
			t.Errorf("%s later %v are left, want %v", step.after, left, step.left)
		}
	}
}

// Files that a transaction is about to attach are kept; files that are being purged can no longer be attached.
func TestPurgeWaitsForFilesThatAreBeingAttached(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := upload.CreateInput{Name: "a.pdf", Content: pdf()}
	held, free := keep(t, w, in, nil).Object.ID, keep(t, w, in, nil).Object.ID
	w.Clock.Advance(8 * 24 * time.Hour)
	hold := func(tx *pg.Tx, application int64, files ...ids.File) bool {
		ok, err := upload.HoldTx(t.Context(), tx, application, files)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if !hold(tx, w.App.AppID, held) || !hold(tx, w.App.AppID) || hold(tx, w.Other.AppID, held) {
			t.Error("it is not known whose file it is")
		}
		if left := purged(t, w, held, free); !slices.Equal(left, []ids.File{held}) {
			t.Errorf("%v are left", left)
		}
		if hold(tx, w.App.AppID, held, free) {
			t.Error("a file that was purged is held")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if left := purged(t, w, held); len(left) != 0 {
		t.Errorf("%v are left, though no dispute attached it", left)
	}
}
