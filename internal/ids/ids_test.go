package ids_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
)

func times() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time { return time.UnixMilli(rapid.Int64Range(1, 1<<47).Draw(t, "ms")) })
}

func TestIDSurvivesEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := ids.NewCharge(times().Draw(t, "now"))
		if back, err := ids.ParseCharge(id.String()); err != nil || back != id {
			t.Fatalf("%v parses to %v, %v", id, back, err)
		}
		if ids.ChargeFrom(id.Bytes()) != id {
			t.Fatalf("%v loses its bytes", id)
		}
		text, err := json.Marshal(struct{ ID ids.Charge }{id})
		var back struct{ ID ids.Charge }
		if err != nil || json.Unmarshal(text, &back) != nil || back.ID != id {
			t.Fatalf("%s reads as %v, %v", text, back.ID, err)
		}
		column, err := id.UUIDValue()
		var scanned ids.Charge
		if err != nil || scanned.ScanUUID(column) != nil || scanned != id {
			t.Fatalf("the column reads as %v, %v", scanned, err)
		}
	})
}

func TestOrderFollowsTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		early := times().Draw(t, "early")
		late := early.Add(time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "later")) * time.Millisecond)
		if a, b := ids.NewToken(early).String(), ids.NewToken(late).String(); a >= b {
			t.Fatalf("%s of %v is not before %s of %v", a, early, b, late)
		}
	})
}

func TestFirstOfATimeComesBeforeAllOfIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := times().Draw(t, "at")
		first, within := ids.FirstCharge(at).String(), ids.NewCharge(at.Add(time.Millisecond-1)).String()
		before, after := ids.NewCharge(at.Add(-time.Millisecond)).String(),
			ids.FirstCharge(at.Add(time.Millisecond)).String()
		if first > within || first <= before || within >= after {
			t.Fatalf("%s, %s, %s, %s", before, first, within, after)
		}
	})
	if !ids.FirstCharge(time.Time{}).IsZero() || !ids.FirstCharge(time.UnixMilli(0)).IsZero() {
		t.Error("there are ids from before 1970")
	}
	if far := ids.FirstCharge(time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)); far.String() < ids.FirstCharge(
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)).String() {
		t.Errorf("the far future is %s", far)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := ids.NewCharge(time.UnixMilli(1_700_000_000_000)).String()
	bad := map[string]string{
		"nothing": "", "prefix alone": "ch_", "another kind": ids.NewToken(time.UnixMilli(1)).String(),
		"no prefix": strings.TrimPrefix(good, "ch_"), "capitals": "ch_" +
			strings.ToUpper(good[3:]), "capital prefix": "CH_" + good[3:],
		"too short": good[:len(good)-1], "too long": good + "0", "space": good + " ",
		"look-alike": good[:len(good)-1] + "o",
		"overflow":   "ch_8" + strings.Repeat("0", 25), "the zero id": "ch_" + strings.Repeat("0", 26),
		"twice": "ch_" + good, "letter u": good[:len(good)-1] + "u",
	}
	for name, text := range bad {
		if id, err := ids.ParseCharge(text); err == nil {
			t.Errorf("%s: %q parses to %v", name, text, id)
		}
	}
	var id ids.Charge
	if err := json.Unmarshal([]byte(`"tok_1"`), &id); err == nil || !id.IsZero() {
		t.Errorf("JSON of another kind gives %v", id)
	}
}

func TestZeroIsNone(t *testing.T) {
	t.Parallel()
	var none ids.Charge
	column, err := none.UUIDValue()
	if err != nil || column.Valid || none.String() != "" || !none.IsZero() {
		t.Errorf("the zero id is %q, column %v", none, column)
	}
	scanned := ids.NewCharge(time.UnixMilli(1))
	if err := scanned.ScanUUID(column); err != nil || !scanned.IsZero() {
		t.Errorf("NULL scans as %v, %v", scanned, err)
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1)
	for _, c := range []struct{ id, want string }{
		{ids.NewCharge(now).String(), "ch"},
		{ids.NewToken(now).String(), "tok"},
		{ids.NewEvent(now).String(), "evt"},
		{ids.NewRequest(now).String(), "req"},
		{ids.NewKey(now).String(), "key"},
		{ids.NewFeeSchedule(now).String(), "fs"},
		{ids.NewFeeChange(now).String(), "fc"},
		{ids.NewEntry(now).String(), "bal"},
		{ids.NewOperation(now).String(), "op"},
	} {
		if prefix, rest, _ := strings.Cut(c.id, "_"); prefix != c.want || len(rest) != 26 {
			t.Errorf("%s, want %s_ and 26 characters", c.id, c.want)
		}
	}
}

// printed parses a text as an id of one kind and prints it.
func printed[K ids.Kind](parse func(string) (ids.ID[K], error)) func(string) (string, error) {
	return func(s string) (string, error) {
		id, err := parse(s)
		return id.String(), err
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "ch_", "tok_01jq8z6k4t8m2x9v5c7b1n3d0f",
		"ch_7zzzzzzzzzzzzzzzzzzzzzzzzz", "ch_\x00", "re_8zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		f.Add(s)
	}
	parsers := []func(string) (string, error){
		printed(ids.ParseCharge), printed(ids.ParseToken), printed(ids.ParseRefund), printed(ids.ParseDispute),
		printed(ids.ParsePayout), printed(ids.ParseMandate),
		printed(ids.ParseFile), printed(ids.ParseFeeSchedule), printed(ids.ParseFeeChange), printed(ids.ParseEntry),
		printed(ids.ParseRequest), printed(ids.ParseKey),
		printed(ids.ParseFile), printed(ids.ParseFeeSchedule), printed(ids.ParseEntry), printed(ids.ParseRequest),
		printed(ids.ParseKey), printed(ids.ParseExport), printed(ids.ParseHappening),
		printed(ids.ParseEvent), printed(ids.ParseEndpoint), printed(ids.ParseDelivery), printed(ids.ParseReplay),
		printed(ids.ParseDonation), printed(ids.ParseOperation), printed(ids.ParseAuditEntry),
		printed(ids.ParseProcessorAccount), printed(ids.ParseCardRuleEntry),
	}
	f.Fuzz(func(t *testing.T, s string) {
		taken := 0
		for _, parse := range parsers {
			text, err := parse(s)
			if err == nil {
				taken++
			}
			if (err == nil && text != s) || (err != nil && text != "") {
				t.Errorf("%q parses to %q, %v", s, text, err)
			}
		}
		if taken > 1 {
			t.Errorf("%q is the id of %d kinds", s, taken)
		}
	})
}

// However many make ids at one instant, no two get the same.
func TestIDsDifferWhoeverMakesThem(t *testing.T) {
	t.Parallel()
	const makers, each = 8, 2000
	now := time.UnixMilli(1_700_000_000_000)
	made := make([][]ids.Charge, makers)
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			for range each {
				made[i] = append(made[i], ids.NewCharge(now))
			}
		})
	}
	all.Wait()
	seen := make(map[ids.Charge]bool)
	for _, id := range slices.Concat(made...) {
		if seen[id] {
			t.Fatalf("%v was made twice", id)
		}
		seen[id] = true
	}
}
