package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	built := func(settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	end := ", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	for want, info := range map[string]*debug.BuildInfo{
		"svcpay 0.2.0, 4f2d of 2026-11-27T10:00:00Z":         built("vcs.revision", "4f2d", "vcs.time", "2026-11-27T10:00:00Z", "vcs.modified", "false"),
		"svcpay 0.2.0, 4f2d+changes of 2026-11-27T10:00:00Z": built("vcs.revision", "4f2d", "vcs.time", "2026-11-27T10:00:00Z", "vcs.modified", "true"),
		"svcpay 0.2.0, unknown commit":                       built(),
	} {
		if got := describe("0.2.0", info); got != want+end {
			t.Errorf("got %q, want %q", got, want+end)
		}
	}
}

func TestVersionIsPrinted(t *testing.T) {
	t.Parallel()
	var out, complaints strings.Builder
	if status := run([]string{"version"}, nil, &out, &complaints); status != 0 ||
		!strings.HasPrefix(out.String(), "svcpay dev, ") {
		t.Errorf("status %d, %q, %q", status, out.String(), complaints.String())
	}
}
