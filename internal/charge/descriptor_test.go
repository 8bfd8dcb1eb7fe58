package charge_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
)

// Whatever a statement has room for, the text fits and begins with the merchant's name; the suffix is whole where both
// fit.
func TestDescriptorFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		merchant := rapid.StringMatching(`[A-ZÉ&][A-ZÉ& .]{3,20}[A-ZÉ&]`).Draw(t, "merchant")
		var suffix *string
		if rapid.Bool().Draw(t, "with a suffix") {
			suffix = ptr(rapid.StringMatching(`[A-Zé0-9 ]{1,12}`).Draw(t, "suffix"))
		}
		room := rapid.IntRange(5, 30).Draw(t, "room")
		got := charge.Descriptor(merchant, suffix, room)
		name, end, marked := strings.Cut(got, "* ")
		if utf8.RuneCountInString(got) > room || got != strings.TrimSpace(got) || name == "" ||
			!strings.HasPrefix(merchant, name) {
			t.Fatalf("%q of %q and %v", got, merchant, suffix)
		}
		if least := strings.TrimSpace(string([]rune(merchant)[:3])); !strings.HasPrefix(name, least) {
			t.Fatalf("%q lacks the name of %q", got, merchant)
		}
		if marked && (suffix == nil || end == "" || !strings.HasPrefix(strings.TrimSpace(*suffix), end)) {
			t.Fatalf("%q ends with %q", got, end)
		}
		if suffix == nil {
			return
		}
		if whole := strings.TrimSpace(*suffix); whole != "" && utf8.RuneCountInString(*suffix)+5 <= room &&
			end != whole {
			t.Fatalf("%q lacks the suffix %q", got, *suffix)
		}
	})
}

func TestDescriptorOfShortStatements(t *testing.T) {
	t.Parallel()
	for room, want := range map[int]string{5: "RIVER", 6: "RIV* S", 12: "RIVE* SPRING", 17: "RIV* SPRING DRIVE",
		20: "RIVERS* SPRING DRIVE",
		22: "RIVERSID* SPRING DRIVE", 28: "RIVERSIDE FOOD* SPRING DRIVE", 40: "RIVERSIDE FOOD* SPRING DRIVE"} {
		if got := charge.Descriptor("RIVERSIDE FOOD", ptr("SPRING DRIVE"), room); got != want {
			t.Errorf("%d characters: %q, want %q", room, got, want)
		}
	}
}
