package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"svcpay/internal/testing/pgtest"
)

const clientsDocument = "../../docs/clients.md"

// block is a fenced part of a document.
var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocks returns the parts of the document in a language.
func blocks(t *testing.T, text []byte, language string) (found []string) {
	t.Helper()
	for _, m := range block.FindAllSubmatch(text, -1) {
		if string(m[1]) == language {
			found = append(found, string(m[2]))
		}
	}
	return found
}

var chargeID = regexp.MustCompile(`ch_[0-9a-z]{26}`)

// TestClientExamples runs the clients' examples by the commands of the document against `svcpay dev`, and holds the
// document to what they print and to their code.
func TestClientExamples(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(root, "api/client/typescript/dist/index.js")); err != nil {
		t.Fatal("the TypeScript client is not built: make build")
	}
	text, err := os.ReadFile(clientsDocument)
	if err != nil {
		t.Fatal(err)
	}
	for language, file := range map[string]string{"go": "examples/go-client/main.go",
		"ts": "examples/ts-client/main.ts"} {
		text = showsCode(t, text, language, file)
	}
	commands, printed := blocks(t, text, "sh"), blocks(t, text, "text")
	if len(commands) != 2 || len(printed) != 1 {
		t.Fatalf("the document has %d blocks of commands and %d of what they print", len(commands), len(printed))
	}
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	want := chargeID.ReplaceAllString(printed[0], "ch_…")
	for i, script := range commands {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-euc", script)
			cmd.Dir, cmd.Env = root, append(foreignEnv(), "SVCPAY_CREDENTIALS="+d.file, "CGO_ENABLED=0")
			var complaints bytes.Buffer
			cmd.Stderr = &complaints
			out, err := cmd.Output()
			if got := chargeID.ReplaceAllString(string(out), "ch_…"); err != nil || got != want {
				t.Errorf("%v\n%s%s\nwant\n%s", err, got, complaints.String(), want)
			}
			if ids := chargeID.FindAllString(string(out), -1); len(ids) == 2 && ids[0] != ids[1] {
				t.Errorf("the webhook tells of another charge: %v", ids)
			}
		})
	}
	d.stop(t, syscall.SIGINT)
}

// showsCode checks that the document shows a file, or puts it there.
func showsCode(t *testing.T, text []byte, language, file string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if shown := blocks(t, text, language); len(shown) == 1 && shown[0] == string(code) {
		return text
	}
	if !*updateDocs {
		t.Errorf("docs/clients.md does not show %s as it is: go test ./test/e2e -run TestClientExamples -update", file)
		return text
	}
	before, rest, _ := bytes.Cut(text, []byte("\n```"+language+"\n"))
	_, after, _ := strings.Cut("\n"+string(rest), "\n```\n")
	text = fmt.Appendf(nil, "%s\n```%s\n%s```\n%s", before, language, code, after)
	if err := os.WriteFile(clientsDocument, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return text
}
