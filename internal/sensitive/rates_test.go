package sensitive_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"

	"svcpay/internal/sensitive"
)

// sample makes numbers of one kind as they are printed.
type sample func(r *rand.Rand) string

func digitsFrom(r *rand.Rand, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('0' + r.IntN(10))
	}
	return string(out)
}

func oneOf(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// checked ends a number with the check digit that carriers compute: threes and ones from the right (ISO 15394).
func checked(number string) string {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			d *= 3
		}
		sum += d
	}
	return number + fmt.Sprint((10-sum%10)%10)
}

// spaced prints a number in groups as often as not; the last length goes for the rest.
func spaced(r *rand.Rand, number string, lengths ...int) string {
	if r.IntN(2) == 0 {
		return number
	}
	var groups []string
	for i := 0; number != ""; i++ {
		n := min(len(number), lengths[min(i, len(lengths)-1)])
		groups, number = append(groups, number[:n]), number[n:]
	}
	return strings.Join(groups, oneOf(r, " ", " ", "-"))
}

// usps are numbers of 22 digits, and of 30 with the ZIP code of the address before them.
func usps(r *rand.Rand) string {
	number := checked(oneOf(r, "92", "93", "94", "95") + digitsFrom(r, 19))
	if r.IntN(4) == 0 {
		return "420 " + digitsFrom(r, 5) + " " + spaced(r, number, 4)
	}
	return spaced(r, number, 4)
}

// ups are 1Z numbers, whose shipper has a letter, and those of Mail Innovations.
func ups(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return spaced(r, checked("9274"+digitsFrom(r, 17)), 4)
	}
	shipper := []byte(digitsFrom(r, 6))
	for range 1 + r.IntN(3) {
		shipper[r.IntN(6)] = byte('A' + r.IntN(26))
	}
	return spaced(r, "1Z"+string(shipper)+digitsFrom(r, 10), 2, 3, 3, 2, 4, 4)
}

// fedEx are Express (12 digits), Ground (15 and 22), SmartPost (20 and 22) and Express labels (34).
func fedEx(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		return spaced(r, digitsFrom(r, 12), 4)
	case 1:
		return spaced(r, checked(digitsFrom(r, 14)), 4)
	case 2:
		return spaced(r, checked("96"+digitsFrom(r, 19)), 4)
	case 3:
		return spaced(r, checked(oneOf(r, "02", "58", "61")+digitsFrom(r, 17)), 4)
	case 4:
		return spaced(r, checked("92"+digitsFrom(r, 19)), 4)
	}
	return spaced(r, oneOf(r, "1001", "1002")+digitsFrom(r, 30), 4)
}

// dhl are Express (10 and 11 digits), pieces (JD, JJD), eCommerce (GM, 22 digits) and Paket (12 and 20 digits).
func dhl(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		return spaced(r, digitsFrom(r, 10), 2, 4)
	case 1:
		return spaced(r, digitsFrom(r, 11), 3, 4)
	case 2:
		return spaced(r, oneOf(r, "JD01", "JJD01", "JJD00")+digitsFrom(r, 16), 4)
	case 3:
		return oneOf(r, "GM60511", "GM29511") + digitsFrom(r, 11)
	case 4:
		return spaced(r, checked("003404"+digitsFrom(r, 13)), 4)
	}
	return spaced(r, checked("9261"+digitsFrom(r, 17)), 4)
}

// phone are numbers of many countries, alone, with an extension, and two of one country.
func phone(r *rand.Rand) string {
	one := func() string {
		switch r.IntN(5) {
		case 0:
			return fmt.Sprintf("(%d) %d-%s", 201+r.IntN(780), 200+r.IntN(800), digitsFrom(r, 4))
		case 1:
			return fmt.Sprintf("+1 %d-%d-%s", 201+r.IntN(780), 200+r.IntN(800), digitsFrom(r, 4))
		case 2:
			return fmt.Sprintf("+1%d%s", 201+r.IntN(780), digitsFrom(r, 7))
		case 3:
			return fmt.Sprintf("+%d %s", 20+r.IntN(79),
				spaced(r, fmt.Sprint(1+r.IntN(9))+digitsFrom(r, 6+r.IntN(4)), 3))
		}
		return fmt.Sprintf("0%d %s", 11+r.IntN(9000), spaced(r, digitsFrom(r, 6+r.IntN(3)), 3, 2))
	}
	switch r.IntN(4) {
	case 0:
		return one() + " ext. " + digitsFrom(r, 3)
	case 1:
		return one() + oneOf(r, ", ", " / ", "; ") + one()
	}
	return one()
}

func id(r *rand.Rand) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if r.IntN(2) == 0 {
		return uuid.UUID(b).String()
	}
	u := ulid.ULID(b)
	if err := u.SetTime(ulid.Timestamp(moment(r))); err != nil {
		panic(err)
	}
	return oneOf(r, "", "ch_", "tok_") + oneOf(r, u.String(), strings.ToLower(u.String()))
}

func moment(r *rand.Rand) time.Time {
	return time.Unix(r.Int64N(60*365*86400), r.Int64N(1e9)).In(time.FixedZone("", (r.IntN(25)-12)*3600))
}

// instantOf are dates and times as programs and people write them, and spans of them.
func instantOf(r *rand.Rand) string {
	at := moment(r)
	layout := oneOf(r, time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05.000000-07:00", "2006-01-02 15:04:05",
		"2006-01-02 15:04:05.000000-07", "20060102150405",
		"02.01.2006 15:04:05", "02/01/2006 15:04:05", "02-01-2006 15:04:05", "01/02/2006 03:04:05 PM", "2/1/2006 15:04",
		time.RFC1123Z, "02/Jan/2006:15:04:05 -0700",
		"2006-01-02 15:04:05,000", "unix", "milliseconds", "microseconds", "span", "days")
	switch layout {
	case "unix":
		return fmt.Sprint(at.Unix())
	case "milliseconds":
		return fmt.Sprint(at.UnixMilli())
	case "microseconds":
		return fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000)
	case "span":
		return at.Format("02.01.2006") + oneOf(r, " - ", "–", "-") + at.AddDate(0, 0, 9).Format("02.01.2006")
	case "days":
		return at.Format(time.DateOnly) + oneOf(r, " ", ", ", "/") + at.AddDate(0, 1, 0).Format(time.DateOnly)
	}
	return at.Format(layout)
}

// Of numbers that are none of cards, at most one in a thousand of each kind reads as one.
func TestOtherNumbersAreNoCardNumbers(t *testing.T) {
	t.Parallel()
	const tries, most = 100_000, 100
	for name, draw := range map[string]sample{"USPS": usps, "UPS": ups, "FedEx": fedEx, "DHL": dhl,
		"phone numbers": phone, "ULIDs and UUIDs": id, "dates and times": instantOf} {
		r := rand.New(rand.NewPCG(33, uint64(len(name))))
		found, example := 0, ""
		for range tries {
			if text := draw(r); sensitive.HoldsPAN("see " + text + ".") {
				found, example = found+1, text
			}
		}
		t.Logf("%s: %.3f in 1,000 read as card numbers, such as %q", name, 1000*float64(found)/tries, example)
		if found > most {
			t.Errorf("%s: %d of %d read as card numbers, such as %q", name, found, tries, example)
		}
	}
}
