package webhook

import (
	"testing"
	"time"
)

func TestASpanHasTimesThatCanBePrinted(t *testing.T) {
	t.Parallel()
	late := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -12*3600))
	early := time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 12*3600))
	if fs := (ReplayInput{Since: &early, Until: &late}).Validate(); len(fs) != 2 {
		t.Errorf("the mistakes of years -1 and 10000 are %v", fs)
	}
}
