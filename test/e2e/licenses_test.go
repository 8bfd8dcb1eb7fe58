package e2e

import (
	"debug/buildinfo"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestEveryComponentIsListed compares what the program says it consists of with what the linker wrote into it.
func TestEveryComponentIsListed(t *testing.T) {
	t.Parallel()
	print := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(program, append([]string{"licenses"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	lines := map[string]string{} // name and version, with the licenses
	for line := range strings.Lines(print()) {
		f := strings.Fields(line)
		if len(f) < 4 {
			t.Fatalf("%q has no license", line)
		}
		lines[f[1]+" "+f[2]] = strings.Join(f[3:], " ")
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if lines[m.Path+" "+m.Version] == "" {
			t.Errorf("%s %s is not listed", m.Path, m.Version)
		}
	}
	if len(info.Deps) < 20 || lines["std "+strings.TrimPrefix(info.GoVersion, "go")] != "BSD-3-Clause" {
		t.Errorf("%d modules, and the standard library has %q", len(info.Deps), lines["std "+info.GoVersion])
	}
	var sbom struct {
		BOMFormat   string
		SpecVersion string
		Components  []struct {
			PURL string `json:"purl"`
		}
	}
	if err := json.Unmarshal([]byte(print("--sbom")), &sbom); err != nil || sbom.BOMFormat != "CycloneDX" ||
		sbom.SpecVersion != "1.6" || len(sbom.Components) != len(lines) {
		t.Errorf("%d components of %d: %v", len(sbom.Components), len(lines), err)
	}
	if text := print("--text"); strings.Count(text, "Permission is hereby granted") < 20 ||
		!strings.Contains(text, "Mozilla Public License") {
		t.Error("the texts are missing")
	}
}
