package merchants

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// reportedFacts are the capabilities and the requirements of an account that is connected to a platform.
func reportedFacts(t text.Processing, r accounts.Report) (out web.Facts) {
	for _, one := range []struct {
		label string
		on    *bool
	}{{t.Charges, r.ChargesEnabled}, {t.Methods["payout"], r.PayoutsEnabled}} {
		switch {
		case one.on == nil:
		case *one.on:
			out.Add(one.label, ui.Status(ui.Success, t.Enabled))
		default:
			out.Add(one.label, ui.Status(ui.Warning, t.NotEnabled))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Capabilities)) {
		if label := t.Capabilities[name]; label != "" {
			status := r.Capabilities[name]
			out.Add(label, ui.Status(capabilityTone(status), cmp.Or(t.CapabilityStatuses[status], status)))
		}
	}
	needed := r.Requirements
	if needed == nil {
		return out
	}
	if needed.DisabledReason != "" {
		head, _, _ := strings.Cut(needed.DisabledReason, ".")
		words := cmp.Or(t.DisabledReasons[needed.DisabledReason], t.DisabledReasons[head], t.DisabledReasons[""])
		out.Add(t.DisabledBecause, ui.Status(ui.Danger, words))
	}
	out.Text(t.PastDue, detailWords(needed.PastDue))
	out.Text(t.DueNow, detailWords(needed.CurrentlyDue))
	if !needed.Deadline.IsZero() {
		out.Add(t.DueBy, ui.Time(needed.Deadline))
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
