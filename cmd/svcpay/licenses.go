package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"svcpay/static"
)

type licensesCommand struct {
	Text bool `help:"Print the text of each license." xor:"form"`
	SBOM bool `name:"sbom" help:"Print a bill of materials (CycloneDX, JSON)." xor:"form"`
}

// Help explains the list.
func (licensesCommand) Help() string {
	return "Prints the Go modules and npm packages in this program, with their versions and licenses."
}

// componentsFile is the bill of materials that a build writes next to the front end.
const componentsFile = "components.json"

// bill is the part of a CycloneDX document that the command shows.
type bill struct {
	Components []component `json:"components"`
}

type component struct {
	PURL     string `json:"purl"` // package URL, such as pkg:golang/golang.org/x/text@v0.43.0
	Licenses []struct {
		License struct {
			ID   string `json:"id"` // of SPDX
			Text struct {
				Content string `json:"content"` // of all licenses of the component, on the first of them
			} `json:"text"`
		} `json:"license"`
	} `json:"licenses"`
}

// name is a component with its kind and version, such as golang golang.org/x/text v0.43.0.
func (c component) name() (kind, name, version string) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(c.PURL, "pkg:"), "/")
	at := max(strings.LastIndex(rest, "@"), 0)
	return kind, strings.Replace(rest[:at], "%40", "@", 1), strings.TrimPrefix(rest[at:], "@")
}

func (c component) ids() string {
	all := make([]string, len(c.Licenses))
	for i, l := range c.Licenses {
		all[i] = l.License.ID
	}
	return strings.Join(all, ", ")
}

// Run prints the components.
func (l licensesCommand) Run(w *world) error {
	document, err := fs.ReadFile(static.FS(), componentsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("this program was built without its list of components: build it with make build")
	}
	if err == nil && l.SBOM {
		_, err = w.stdout.Write(document)
	}
	if err != nil || l.SBOM {
		return err
	}
	var b bill
	if err := json.Unmarshal(document, &b); err != nil {
		return err
	}
	if l.Text {
		return printTexts(w.stdout, b)
	}
	table := newTable(w.stdout, "")
	for _, c := range b.Components {
		kind, name, version := c.name()
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", kind, name, version, c.ids())
	}
	return table.Flush()
}

// printTexts prints the licenses of each component.
func printTexts(out io.Writer, b bill) error {
	for _, c := range b.Components {
		_, name, version := c.name()
		text := fmt.Sprintf("%s %s (%s)\n\n", name, version, c.ids())
		for _, l := range c.Licenses {
			if content := l.License.Text.Content; content != "" {
				text += content + "\n\n"
			}
		}
		if _, err := fmt.Fprint(out, text); err != nil {
			return err
		}
	}
	return nil
}
