package dispute_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/upload"
)

func (w *world) purgeFiles() {
	w.t.Helper()
	for n := int64(1); n > 0; {
		var err error
		if n, err = w.Uploads.Purge(context.Background()); err != nil {
			w.t.Error(err)
			return
		}
	}
}

// A file of evidence, be it a draft or submitted, is never purged. One that a draft no longer has is.
func TestFilesOfEvidenceAreNotPurged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	submitted, _ := w.opened(1000)
	drafted, _ := w.opened(1000)
	files := []ids.File{w.file("a.pdf"), w.file("b.pdf"), w.file("c.pdf"), w.file("d.pdf")}
	in := func(of ...ids.File) (in dispute.EvidenceInput) {
		in.Evidence = map[string]string{"access_log": "x"}
		for _, id := range of {
			in.Files = append(in.Files, id.String())
		}
		return in
	}
	if _, err := w.submit(submitted, in(files[0]), ""); err != nil {
		t.Fatal(err)
	}
	for _, draft := range [][]ids.File{{files[1], files[2]}, {files[1]}} {
		if _, err := w.Disputes.SaveDraft(t.Context(), w.Actor(), drafted.ID.String(), in(draft...)); err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(7*24*time.Hour + time.Second)
	w.purgeFiles()
	left, err := upload.Known(t.Context(), w.Pool, w.Actor(), files)
	if err != nil || len(left) != 2 || !slices.Contains(left, files[0]) || !slices.Contains(left, files[1]) {
		t.Errorf("%v are left of %v, %v", left, files, err)
	}
	_, err = w.Disputes.SaveDraft(t.Context(), w.Actor(), drafted.ID.String(), in(files[1], files[2]))
	if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Param != "files" {
		t.Errorf("a file that was purged: %v", err)
	}
}

// While files are purged, others attach them: each is attached and kept, or purged and refused.
func TestPurgeAndAttachInParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := make([]ids.File, 30)
	for i := range files {
		files[i] = w.file("a.pdf")
	}
	w.Clock.Advance(7*24*time.Hour - time.Second)
	d, _ := w.opened(1000)
	for range 3 {
		w.Clock.Advance(time.Second)
		var wait sync.WaitGroup
		wait.Go(w.purgeFiles)
		for _, id := range files {
			in := dispute.EvidenceInput{Files: []string{id.String()}}
			_, err := w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), in)
			if f, ok := fault.As(err); err != nil && (!ok || len(f.Fields) != 1 || f.Fields[0].Param != "files") {
				t.Fatal(err)
			}
			now, err := w.Disputes.Get(t.Context(), w.Actor(), d.ID.String())
			if err != nil {
				t.Fatal(err)
			}
			known, err := upload.Known(t.Context(), w.Pool, w.Actor(), now.EvidenceFiles)
			if err != nil || len(known) != len(now.EvidenceFiles) {
				t.Fatalf("attached are %v, kept %v, %v", now.EvidenceFiles, known, err)
			}
		}
		wait.Wait()
	}
}
