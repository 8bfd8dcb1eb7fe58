package internal_test

import (
	"os"
	"slices"
	"testing"
)

// TestInternalHasFewEntries keeps the list of folders short enough to read at a glance.
func TestInternalHasFewEntries(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	folders := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() })
	if err != nil || len(folders) > 40 {
		t.Errorf("internal has %d folders: %v", len(folders), err)
	}
}
