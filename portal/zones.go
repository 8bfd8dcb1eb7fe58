package portal

import (
	"slices"
	"strings"

	"svcpay/views/text"
	"svcpay/views/ui"
)

// zones are the time zones to choose from, by their names in the list of time zones: those of the countries where
// merchants are, and the larger ones elsewhere.
var zones = strings.Fields(`
	America/Anchorage America/Boise America/Chicago America/Denver America/Detroit America/Edmonton America/Halifax
	America/Indiana/Indianapolis America/Los_Angeles America/Mexico_City America/Moncton America/New_York America/Phoenix
	America/Puerto_Rico America/Regina America/Sao_Paulo America/St_Johns America/Toronto America/Vancouver America/Whitehorse
	America/Winnipeg Asia/Dubai Asia/Hong_Kong Asia/Kolkata Asia/Manila Asia/Singapore Asia/Tokyo Australia/Sydney
	Europe/Berlin Europe/London Europe/Madrid Europe/Paris Europe/Rome Pacific/Auckland Pacific/Honolulu`)

// zoneOptions are the zones as a list to choose from; the one that is chosen is always in it.
func zoneOptions(t text.Settings, chosen string) []ui.Option {
	out := []ui.Option{{Value: "", Label: t.UTC}}
	all := zones
	if chosen != "" && !slices.Contains(all, chosen) {
		all = append(slices.Clone(all), chosen)
	}
	for _, zone := range all {
		parts := strings.Split(strings.ReplaceAll(zone, "_", " "), "/")
		label := parts[len(parts)-1]
		if len(parts) > 1 {
			label += " (" + parts[0] + ")"
		}
		out = append(out, ui.Option{Value: zone, Label: label})
	}
	return out
}
