// Package static holds the built front end: the browser library with its frames, and the portal's
// styles and scripts. It is empty until the front end has been built.
package static

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// FS returns the built files, rooted at the build directory: the browser library is in "svcpay", its published patches
// are in "released".
func FS() fs.FS {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("static: " + err.Error()) // "dist" is a valid path, so Sub cannot refuse it.
	}
	return root
}
