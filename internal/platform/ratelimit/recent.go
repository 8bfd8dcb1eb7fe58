package ratelimit

// recent is a map that remembers the last entries that were asked for: at least size of them, at most
// twice as many.
type recent[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

func newRecent[K comparable, V any](size int) recent[K, V] {
	return recent[K, V]{size: size, young: make(map[K]V)}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.young[k]
	if ok {
		return v, true
	}
	if v, ok = r.old[k]; ok {
		r.put(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	if len(r.young) >= r.size {
		r.old, r.young = r.young, make(map[K]V)
	}
	r.young[k] = v
}

func (r *recent[K, V]) forget(k K) {
	delete(r.young, k)
	delete(r.old, k)
}
