package safehttp

// MostSpare is how many connections wait at most.
const MostSpare = mostSpare

// Spare counts so many connections more as waiting.
func (c *Client) Spare(more int64) { c.spare.Add(more) }

// Spares is how many are counted.
func (c *Client) Spares() int64 { return c.spare.Load() }
