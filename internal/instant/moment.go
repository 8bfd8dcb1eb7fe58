package instant

import "time"

// Moment is one point in time by two clocks. Machine is the real one: ids, keys, sessions and
// waiting for a processor go by it. At is the application's, which a sandbox can move ahead:
// everything that happens to money goes by it. In production the two are equal.
type Moment struct{ Machine, At time.Time }

// Both is the moment of an application whose clock was not moved.
func Both(now time.Time) Moment { return Moment{Machine: now, At: now} }
