package audit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/audit"
)

// write adds entries to the chain of an application.
func (w world) write(n int) {
	for i := range n {
		w.do(person(1, 7), thing{Name: "a"}, thing{Name: "b", Count: i + 1})
	}
}

// exported are the lines of the chains that have grown.
func (w world) exported() []string {
	w.t.Helper()
	lines, broken, err := w.ExportHeads(w.t.Context())
	if err != nil || len(broken) > 0 {
		w.t.Fatalf("%v, %v", broken, err)
	}
	return lines
}

// against inspects the chain of an application with exported heads.
func (w world) against(lines ...string) audit.Chain {
	w.t.Helper()
	heads, err := w.ReadHeads(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := w.InspectWith(w.t.Context(), 7, heads)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// cut removes the entries after a position, and moves the head there.
const cut = `DELETE FROM audit_entries WHERE position > %[1]d; UPDATE audit_chains SET position = %[1]d,
	hash = (SELECT hash FROM audit_entries WHERE position = %[1]d)`

// The owner of the tables can cut the end of a chain so that nothing in the database says so. Exported heads do; and
// entries in place of those that were cut have another hash.
func TestExportedHeadsShowWhatWasCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(6)
	lines := w.exported()
	if len(lines) != 1 || len(w.exported()) != 0 {
		t.Fatalf("%q", lines)
	}
	w.write(2)
	lines = append(lines, w.exported()...)
	if c := w.against(lines...); c.Flaw != "" || c.Entries != 8 || c.Plain != 0 {
		t.Errorf("in order: %+v", c)
	}
	w.tamper(fmt.Sprintf(cut, 5))
	if c := w.inspect(7); c.Flaw != "" {
		t.Errorf("the database says so itself: %+v", c)
	}
	if c := w.against(lines...); c.Flaw != audit.CutOff || c.Position != 6 {
		t.Errorf("cut: %+v", c)
	}
	if _, broken, err := w.ExportHeads(t.Context()); err != nil || len(broken) != 1 || broken[0].Flaw != audit.CutOff {
		t.Errorf("the next export: %+v, %v", broken, err)
	}
	w.write(3)
	if c := w.against(lines...); c.Flaw != audit.Rewritten || c.Position != 6 {
		t.Errorf("rewritten: %+v", c)
	}
	w.tamper(`DELETE FROM audit_entries; DELETE FROM audit_chains`)
	heads, err := w.ReadHeads(strings.NewReader(lines[0]))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := w.Applications(t.Context(), heads); err != nil || fmt.Sprint(all) != "[7]" {
		t.Errorf("applications: %v, %v", all, err)
	}
	if c := w.against(lines[0]); c.Flaw != audit.CutOff || c.Position != 1 {
		t.Errorf("a chain that is gone: %+v", c)
	}
}

// Once a day a chain is inspected from its first entry on.
func TestExportsFindChangesInOldEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(3)
	w.exported()
	w.tamper(`UPDATE audit_entries SET actor_name = 'Kim' WHERE position = 2`)
	w.clock.Advance(24 * time.Hour)
	lines, broken, err := w.ExportHeads(t.Context())
	if err != nil || len(lines) != 0 || len(broken) != 1 || broken[0].Flaw != audit.Altered || broken[0].Position != 2 {
		t.Errorf("%q, %+v, %v", lines, broken, err)
	}
}

// A chain of which all entries were replaced by others, or removed, does not match the head that was exported last,
// whether the export inspects all of it or only what is new.
func TestExportsFindReplacedChains(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Hour, 25 * time.Hour} {
		w := newWorld(t)
		w.write(2)
		w.exported()
		w.clock.Advance(after)
		w.tamper(`DELETE FROM audit_entries; DELETE FROM audit_chains`)
		for what, replace := range map[string]func(){"removed": func() {}, "replaced": func() { w.write(3) }} {
			replace()
			lines, broken, err := w.ExportHeads(t.Context())
			if err != nil || len(lines) != 0 || len(broken) != 1 || broken[0].Flaw == "" {
				t.Errorf("%s, %s later: %q, %+v, %v", what, after, lines, broken, err)
			}
		}
	}
}

// Entries of servers and commands without the key have plain hashes, and stay in the chain.
func TestPlainAndKeyedEntriesShareAChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := w
	plain.Log = w.plain
	plain.write(2)
	w.write(2)
	plain.write(1)
	if c := w.inspect(7); c.Flaw != "" || c.Entries != 5 || c.Plain != 3 {
		t.Errorf("%+v", c)
	}
	if _, err := w.plain.Inspect(t.Context(), 7); !errors.Is(err, audit.ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	if _, _, err := w.plain.ExportHeads(t.Context()); !errors.Is(err, audit.ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	if _, err := w.plain.ReadHeads(strings.NewReader("")); !errors.Is(err, audit.ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	for _, key := range []string{"NULL", "-1", "1"} {
		w.tamper(`UPDATE audit_entries SET mac_key = ` + key + ` WHERE position = 4`)
		if c := w.inspect(7); c.Flaw != audit.Altered || c.Position != 4 {
			t.Errorf("another key (%s): %+v", key, c)
		}
	}
}

// Only lines that the deployment signed are heads; a server's log may be around them.
func TestHeadsAreSigned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(1)
	line := w.exported()[0]
	if c := w.against("", `{"msg":"request","status":200}`, `{"msg":"audit head","head":"`+line+`"}`); c.Flaw != "" {
		t.Errorf("of a log: %+v", c)
	}
	other := newWorld(t)
	other.write(1)
	fields := strings.Fields(line)
	for name, text := range map[string]string{
		"another chain": strings.Replace(line, " 7 ", " 8 ", 1), "no head": "hello", "half": fields[0] + " 7",
		"another position": strings.Replace(line, " 1 ", " 2 ", 1), "of another deployment": other.exported()[0],
		"no JSON": "{", "without a signature": strings.Join(fields[:5], " ") + " 00",
		"no hexadecimal digits": strings.Replace(line, fields[3], "zz", 1),
	} {
		if _, err := w.ReadHeads(strings.NewReader(line + "\n" + text)); !errors.Is(err, audit.ErrHead) ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.tamper(fmt.Sprintf(`DELETE FROM audit_entries; DELETE FROM audit_chains; SELECT %d`, 1))
	w.do(person(1, 7), thing{Name: "a"}, thing{Name: "another"})
	others, broken, err := w.again.ExportHeads(t.Context()) // by a server that does not know the first head
	if err != nil || len(broken) > 0 || len(others) != 1 {
		t.Fatalf("%q, %+v, %v", others, broken, err)
	}
	if heads, err := w.ReadHeads(strings.NewReader(line + "\n" + others[0])); !errors.Is(err, audit.ErrHead) ||
		len(heads) != 1 {
		t.Errorf("contradicting lines: %v, %v", heads, err)
	}
}
