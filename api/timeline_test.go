package api

import (
	"encoding/json"
	"testing"

	"svcpay/internal/report/timeline"
)

func TestTimelineOfACharge(t *testing.T) {
	t.Parallel()
	s := open(t)
	d := s.disputed(t, s.App, false)
	path := "/api/charges/" + d.ChargeID.String() + "/timeline"
	var all struct{ Data []timeline.Entry }
	if err := json.Unmarshal(s.get(t, path+"?order=asc&limit=100").want(t, 200, "").body, &all); err != nil ||
		len(all.Data) < 4 {
		t.Fatalf("%+v, %v", all, err)
	}
	first, last := all.Data[0], all.Data[len(all.Data)-1]
	created, disputed := false, false // in one millisecond
	for _, h := range all.Data {
		created = created || h.Type == "charge.created" && *h.Version == 1
		disputed = disputed || h.Type == "dispute.created" && *h.DisputeID == d.ID && int64(h.Amount) == int64(d.Amount)
	}
	if !created || !disputed {
		t.Errorf("%+v", all.Data)
	}
	got := s.listed(t, path+"?limit=1")
	if len(got) != 1 || got[0] != last.ID.String() {
		t.Errorf("newest first it begins with %v, want %s", got, last.ID)
	}
	if rest := s.listed(t, path+"?starting_after="+last.ID.String()); len(rest) != len(all.Data)-1 {
		t.Errorf("%d come after the first of %d", len(rest), len(all.Data))
	}
	if rest := s.listed(t, path+"?ending_before="+first.ID.String()); len(rest) != len(all.Data)-1 {
		t.Errorf("%d come before the last of %d", len(rest), len(all.Data))
	}
}
