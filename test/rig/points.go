package rig

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	crashCall = regexp.MustCompile(`crash\.Point\("([^"]+)"\)`)
	// crashFlow is where a flow gets its name, of which its own two points are made, and crashBox where an
	// inbox gets that of its two.
	crashFlow = regexp.MustCompile(`(?:operation\.Flow\[[^\]]+\]|= flow)\{Name: "(\w+)"`)
	crashBox  = regexp.MustCompile(`inbox\.NewBox\(.*, "(\w+)"\)`)
)

// ReadSources collects the crash points of the program of the module at root. Opening every file that the
// program is built from also tells `go test` what a cached result of the calling package depends on.
func ReadSources(root string) (points map[string]bool, err error) {
	points = map[string]bool{}
	for _, tree := range []string{"go.mod", "api", "cmd", "examples/shop", "internal", "migrations", "policy",
		"static/dist"} {
		err := filepath.WalkDir(filepath.Join(root, tree), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.HasSuffix(path, "_test.go") { // its points are not the program's
				return err
			}
			for _, point := range crashPoints(text) {
				points[point] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

// crashPoints are those that a source file names.
func crashPoints(source []byte) (points []string) {
	for _, call := range crashCall.FindAllSubmatch(source, -1) {
		points = append(points, string(call[1]))
	}
	for _, flow := range crashFlow.FindAllSubmatch(source, -1) {
		points = append(points, string(flow[1])+".called", string(flow[1])+".finished")
	}
	for _, box := range crashBox.FindAllSubmatch(source, -1) {
		points = append(points, string(box[1])+".pulled", string(box[1])+".handled")
	}
	return points
}
