package merchants

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"svcpay/internal/processor/accounts"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// reportedFacts are the capabilities and the requirements of an account that is connected to a platform.
func reportedFacts(t text.Processing, r accounts.Report) (out []ui.Fact) {
	for _, one := range []struct {
		label string
		on    *bool
	}{{t.Charges, r.ChargesEnabled}, {t.Methods["payout"], r.PayoutsEnabled}} {
		switch {
		case one.on == nil:
		case *one.on:
			out = append(out, ui.Fact{Key: one.label, Value: ui.Status(ui.Success, t.Enabled)})
		default:
			out = append(out, ui.Fact{Key: one.label, Value: ui.Status(ui.Warning, t.NotEnabled)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Capabilities)) {
		if label := t.Capabilities[name]; label != "" {
			status := r.Capabilities[name]
			out = append(out, ui.Fact{Key: label,
				Value: ui.Status(capabilityTone(status), cmp.Or(t.CapabilityStatuses[status], status))})
		}
	}
	needed := r.Requirements
	if needed == nil {
		return out
	}
	if needed.DisabledReason != "" {
		head, _, _ := strings.Cut(needed.DisabledReason, ".")
		words := cmp.Or(t.DisabledReasons[needed.DisabledReason], t.DisabledReasons[head], t.DisabledReasons[""])
		out = append(out, ui.Fact{Key: t.DisabledBecause, Value: ui.Status(ui.Danger, words)})
	}
	if len(needed.PastDue) > 0 {
		out = append(out, ui.Fact{Key: t.PastDue, Value: ui.Plain(detailWords(needed.PastDue))})
	}
	if len(needed.CurrentlyDue) > 0 {
		out = append(out, ui.Fact{Key: t.DueNow, Value: ui.Plain(detailWords(needed.CurrentlyDue))})
	}
	if !needed.Deadline.IsZero() {
		out = append(out, ui.Fact{Key: t.DueBy, Value: ui.Time(needed.Deadline)})
	}
	return out
}

func capabilityTone(status string) ui.Tone {
	if status == "active" {
		return ui.Success
	}
	return ui.Warning
}

// detailWords are the names of details in plain words: company.tax_id is "company tax id".
func detailWords(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = strings.NewReplacer(".", " ", "_", " ").Replace(name)
	}
	return strings.Join(words, ", ")
}
