// Command components lists what the program is built from: the Go modules that it imports, Go's standard library, and
// the npm packages of its front end, each with its licenses. It prints a CycloneDX document, which is the same for the
// same go.mod and package-lock.json. It fails if a component has no license that it knows.
package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: components ROOT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "components:", err)
		os.Exit(1)
	}
}

// source is a component and the directory of its license.
type source struct{ kind, name, version, dir, integrity string }

func run(root string) error {
	modules, err := goModules(root)
	if err != nil {
		return err
	}
	packages, err := npmPackages(filepath.Join(root, "static"))
	if err != nil {
		return err
	}
	all := append(modules, packages...)
	slices.SortFunc(all, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	})
	all = slices.CompactFunc(all, func(a, b source) bool { return a.purl() == b.purl() })
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: "svcpay", Type: cdx.ComponentTypeApplication,
		Name: "svcpay"}}
	components := make([]cdx.Component, len(all))
	for i, s := range all {
		if components[i], err = s.component(); err != nil {
			return err
		}
	}
	bom.Components = &components
	return cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).EncodeVersion(bom, cdx.SpecVersion1_6)
}

// goModules are the modules that the program imports, for every platform of a release, and the standard library.
func goModules(root string) (all []source, err error) {
	for _, arch := range []string{"amd64", "arm64"} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/svcpay")
		list.Dir, list.Env, list.Stderr = root, append(os.Environ(), "GOOS=linux", "GOARCH="+arch), os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
				all = append(all, source{kind: "golang", name: f[0], version: f[1], dir: f[2]})
			}
		}
	}
	env := exec.Command("go", "env", "GOVERSION", "GOROOT")
	env.Dir = root
	out, err := env.Output()
	f := strings.Fields(string(out))
	if err != nil || len(f) != 2 {
		return nil, fmt.Errorf("go env: %q, %w", out, err)
	}
	return append(all, source{kind: "golang", name: "std", version: strings.TrimPrefix(f[0], "go"), dir: f[1]}), nil
}

// partOfBundles is a package that package-lock.json marks as needed for the build alone, and whose text is in bundles.
const partOfBundles = "node_modules/tailwindcss"

// npmPackages are the packages that the front end can be bundled from.
func npmPackages(dir string) (all []source, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity string
			Dev, Optional      bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	for path, p := range lock.Packages {
		if path == "" || (p.Dev || p.Optional) && path != partOfBundles {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		all = append(all, source{"npm", name, p.Version, filepath.Join(dir, path), p.Integrity})
	}
	return all, nil
}

func (s source) purl() string {
	return fmt.Sprintf("pkg:%s/%s@%s", s.kind, strings.Replace(s.name, "@", "%40", 1), s.version)
}

func (s source) component() (cdx.Component, error) {
	licenses, err := s.licenses()
	c := cdx.Component{BOMRef: s.purl(), Type: cdx.ComponentTypeLibrary, Name: s.name, Version: s.version,
		PackageURL: s.purl(), Licenses: &licenses}
	if sum, ok := strings.CutPrefix(s.integrity, "sha512-"); ok {
		raw, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return c, fmt.Errorf("%s: %w", s.name, err)
		}
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(raw)}}
	}
	return c, err
}

// licenseFile matches the files that packages keep their licenses in; notices belong to them.
var licenseFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice)([-.].*)?$`)

// licenses are the one that a component's package.json names, or those of the files in its directory.
func (s source) licenses() (cdx.Licenses, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	var ids []string
	var text bytes.Buffer
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if err != nil {
			return nil, err
		}
		for _, m := range licensecheck.Scan(content).Match {
			ids = append(ids, m.ID)
		}
		text.Write(bytes.TrimSpace(content))
		text.WriteString("\n\n")
	}
	if id := s.declared(); id != "" && !strings.Contains(id, " ") { // an expression with several of them is no ID
		ids = []string{id}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s %s: no license found in %s", s.name, s.version, s.dir)
	}
	slices.Sort(ids)
	var all cdx.Licenses
	for i, id := range slices.Compact(ids) {
		l := &cdx.License{ID: id}
		if i == 0 && text.Len() > 0 { // with the text of all
			l.Text = &cdx.AttachedText{ContentType: "text/plain", Content: strings.TrimSpace(text.String())}
		}
		all = append(all, cdx.LicenseChoice{License: l})
	}
	return all, nil
}

// declared is the license that a package.json names, or "".
func (s source) declared() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "package.json"))
	var p struct{ License string }
	if err != nil || json.Unmarshal(text, &p) != nil {
		return ""
	}
	return p.License
}
