package assembly

import (
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/simulate"
)

func TestNothingHappensAtAnotherProcessor(t *testing.T) {
	t.Parallel()
	happen := SandboxHappens(sandbox.New("sandbox", nil, time.Now, nil), sandbox.New("second", nil, time.Now, nil))
	err := happen(t.Context(),
		simulate.Happening{Account: processor.Account{Adapter: "third", External: "app-1/merchant-1"}})
	if !fault.HasCode(err, "simulation_not_possible") {
		t.Error(err)
	}
}
