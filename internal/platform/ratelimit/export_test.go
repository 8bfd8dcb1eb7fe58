package ratelimit

// Remembered is how many buckets there are.
func (b *Buckets[K]) Remembered() int { return len(b.buckets.young) + len(b.buckets.old) }
