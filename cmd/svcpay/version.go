package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the number of a release, which `make release` sets; other builds have none.
var version = "dev"

type versionCommand struct{}

// Help names the parts of what is printed.
func (versionCommand) Help() string {
	return "Prints the version, the commit with its date, the Go release and the platform. A commit ends in +changes if files differed from it."
}

// Run prints which program this is.
func (versionCommand) Run(w *world) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err := fmt.Fprintln(w.stdout, describe(version, info))
	return err
}

// describe is one line about a build.
func describe(version string, info *debug.BuildInfo) string {
	commit, date, changes := "unknown commit", "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.time":
			date = " of " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return fmt.Sprintf("svcpay %s, %s%s%s, %s, %s/%s", version, commit, changes, date, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
