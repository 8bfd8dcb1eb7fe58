package chaos

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/test/rig"
)

// bug is a change of the source that a promise of the product must not survive.
type bug struct {
	edits []edit
	adds  map[string]string // files of the program, by files of testdata
	// spoil makes something outside of the program wrong, after the run and before its audit.
	spoil func(r *run) bool
	// needs says whether there is something to make wrong; nil if a short run always has it.
	needs func(r *run) bool
}

// edit replaces a text that its file has once.
type edit struct{ file, from, to string }

// bugs are built into the program one at a time, so that the run can show that it finds them.
var bugs = map[string]bug{
	"call_before_claim": { // the processor is called before the claim is committed
		edits: []edit{
			{"internal/charge/claim.go", "\t}\n\treturn out, nil\n}\n\nfunc tokensOf(",
				"\t}\n\ts.callEarly(ctx, out)\n\treturn out, nil\n}\n\nfunc tokensOf("},
			{"internal/charge/create.go", "func (s *Service) submit(", "func (s *Service) submitNow("},
		},
		adds: map[string]string{"internal/charge/early.go": "early.go.txt"},
	},
	"resubmit": { // a call without an answer is made again
		edits: []edit{
			{"internal/operation/operation.go", "\tanswer, err = guarded(func() (A, error) { return call(ctx) })\n",
				"\tif answer, err = guarded(func() (A, error) { return call(ctx) }); err == nil {\n\t\treturn answer, nil\n\t}\n\tanswer, err = guarded(func() (A, error) { return call(ctx) })\n"}},
	},
	"event_after_commit": { // an event is written after the change that it reports
		edits: []edit{
			{"internal/platform/pg/tx.go", "\tlater queue\n", "\tlater queue\n\tpostponed postponed\n"},
			{"internal/platform/pg/tx.go", "\tif err := tx.commit(ctx); err != nil {\n\t\treturn err\n\t}\n", "\tif err := tx.commit(ctx); err != nil {\n\t\treturn err\n\t}\n\ttx.postponed.execute(ctx, pool)\n"},
			{"internal/platform/pg/later.go", "\t\tbatch.Queue(s.sql, s.args)\n", "\t\tif !tx.postponed.takes(s.sql, s.args) {\n\t\t\tbatch.Queue(s.sql, s.args)\n\t\t}\n"},
		},
		adds: map[string]string{"internal/platform/pg/postponed.go": "postponed.go.txt"},
	},
	"lookup_elsewhere": { // outcomes are asked for at the first processor, whichever made the call
		edits: []edit{{"internal/processor/registry.go", "\ta, err := can[Adapter](r, account)\n",
			"\taccount.Adapter = r.open\n\ta, err := can[Adapter](r, account)\n"}},
	},
	"busy_is_final": { // Stripe's 409 and 429 count as declines
		edits: []edit{
			{"internal/processor/stripe/client.go", "\tcase http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:\n",
				"\tcase http.StatusConflict, http.StatusTooManyRequests:\n\t\treturn e, true\n\tcase http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:\n"}},
	},
	"debit_again": { // a debit without an answer is made again under a new reference
		edits: []edit{{"internal/processor/stripe/debits.go",
			"\tif err != nil {\n\t\treturn debitRefused(ctx, c, intent.ID, err)\n",
			"\tif _, refused := final(err); err != nil && !refused && !strings.HasSuffix(d.Reference, \"again\") {\n" +
				"\t\td.Reference += \"again\"\n\t\treturn a.Debit(ctx, d)\n\t}\n" +
				"\tif err != nil {\n\t\treturn debitRefused(ctx, c, intent.ID, err)\n"}},
	},
	"transfer_forgotten": { // the transfer of a payout that was never made is not reversed
		edits: []edit{{"internal/processor/stripe/payouts.go",
			"\tcase !errors.Is(err, processor.ErrNotFound), transfer.Reversed:\n",
			"\tcase !errors.Is(err, processor.ErrNotFound), transfer != nil:\n"}},
	},
	"grant_unknown_is_final": { // a grant without an answer counts as declined
		edits: []edit{{"internal/daf/provider/chariot/grant.go",
			"\tcase !hasStatus(err, http.StatusBadRequest, http.StatusGone):\n\t\t\treturn provider.Answer{}, err\n",
			"\tcase !hasStatus(err, http.StatusBadRequest, http.StatusGone):\n"}},
	},
	"notice_unsigned": { // a notice of Chariot is accepted with any signature
		edits: []edit{{"internal/daf/provider/chariot/notice.go", "return notice.Signed(",
			"return header.Get(signatureHeader) != \"\" || notice.Signed("}},
	},
	"cent_of_payout": { // a payout's balance transaction is wrong by a cent
		spoil: func(r *run) bool { return r.stripe.Shift(r.stripe.payee, "payout", 1) },
		needs: func(r *run) bool { return len(r.stripe.Made(r.stripe.payee)) > 0 },
	},
	"cent_at_stripe": { // one of Stripe's balance transactions is wrong by a cent
		spoil: func(r *run) bool { return r.stripe.Shift(r.stripe.account, "charge", 1) },
	},
	"cent_of_dispute": { // the money that a dispute withdrew is wrong by a cent
		spoil: func(r *run) bool { return r.stripe.Shift(r.stripe.account, "adjustment", -1) },
	},
	"refund_without_lock": { // what is left of a charge is read without its lock
		edits: []edit{
			{"internal/charge/store.go", "\t\tORDER BY id FOR UPDATE`,", "\t\tORDER BY id`,"},
		},
	},
}

// named are the bugs of a list.
func named(t *testing.T, list string) []string {
	t.Helper()
	all := slices.Sorted(maps.Keys(bugs))
	if list == "all" {
		return all
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(all, name) {
			t.Fatalf("there is no bug %q, there are %q", name, all)
		}
	}
	return names
}

// overlay writes the changed files of a bug and the list of them that go build reads.
func (b bug) overlay(t *testing.T) (list string, packages []string) {
	t.Helper()
	dir, changed, replace := t.TempDir(), map[string]string{}, map[string]string{}
	for _, e := range b.edits {
		text, ok := changed[e.file]
		if !ok {
			source, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(source)
		}
		if n := strings.Count(text, e.from); n != 1 {
			t.Fatalf("%s has %d times %q", e.file, n, e.from)
		}
		changed[e.file] = strings.Replace(text, e.from, e.to, 1)
	}
	for file, from := range b.adds {
		text, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		changed[file] = string(text)
	}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range changed {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(module, file)] = to
		packages = append(packages, "./"+filepath.Dir(file))
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		list = filepath.Join(dir, "overlay.json")
		err = os.WriteFile(list, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, packages
}

// TestBugsCanBeBuilt finds an edit that no longer fits the source, in every run of the tests. It builds all bugs at
// once.
func TestBugsCanBeBuilt(t *testing.T) {
	t.Parallel()
	all := bug{adds: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(bugs)) {
		all.edits = append(all.edits, bugs[name].edits...)
		maps.Copy(all.adds, bugs[name].adds)
	}
	list, packages := all.overlay(t)
	cmd := exec.Command("go", append([]string{"build", "-overlay", list}, packages...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// program builds the real program with some flags.
func program(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svcpay")
	if err := rig.Build(root, path, flags...); err != nil {
		t.Fatal(err)
	}
	return path
}

// spoiled runs without a bug, makes something wrong, and audits.
func (r *run) spoiled(b bug) {
	for began := time.Now(); ; {
		r.rage(*lasts)
		if b.needs == nil || b.needs(r) || time.Since(began) > 3*time.Minute {
			break
		}
	}
	r.settle()
	if all := r.found.all(); len(all) > 0 {
		r.t.Fatalf("found before anything is wrong: %s", all[0])
	}
	if !b.spoil(r) {
		r.t.Fatal("there is nothing to spoil")
	}
	r.audit()
}

// huntFor runs a program that has a bug until it is found.
func huntFor(t *testing.T, bug string) {
	list, _ := bugs[bug].overlay(t)
	r := begin(t, *seed, program(t, "-tags", "chaos", "-overlay", list))
	began := time.Now()
	if bugs[bug].spoil != nil {
		r.spoiled(bugs[bug])
	}
	for bugs[bug].spoil == nil && time.Since(began) < 3*time.Minute && len(r.found.all()) == 0 {
		r.rage(*lasts)
	}
	if bugs[bug].spoil == nil && len(r.found.all()) == 0 {
		r.settle()
		r.audit()
	}
	r.report()
	all := r.found.all()
	if len(all) == 0 {
		t.Fatalf("%s is not found", bug)
	}
	t.Logf("%s is found after %s, seed %d: %s", bug, time.Since(began).Round(time.Second), r.seed, all[0])
}
