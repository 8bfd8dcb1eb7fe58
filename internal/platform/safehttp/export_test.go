package safehttp

// MostKept is how many open connections lines have at most before they keep none.
const MostKept = mostKept

// Keep counts so many connections more as open.
func (c *Client) Keep(more int64) { c.kept.Add(more) }

// Kept is how many are counted.
func (c *Client) Kept() int64 { return c.kept.Load() }
