package fee

import (
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// With is the rates with what an editor made of some others: the settings in which from and to differ are to's.
func (r Rates) With(from, to Rates) Rates { return r.put(differing(from, to), to) }

// differing are the names of the settings in which two rates differ.
func differing(a, b Rates) []string {
	names := []string{}
	for _, s := range settings {
		flat, percent := s.value(&a)
		otherFlat, otherPercent := s.value(&b)
		if !same(flat, otherFlat) || !same(percent, otherPercent) {
			names = append(names, s.Name)
		}
	}
	return names
}

// put is the rates with some settings of others.
func (r Rates) put(names []string, of Rates) Rates {
	for _, s := range settings {
		if slices.Contains(names, s.Name) {
			flat, percent := s.value(&of)
			s.Put(&r, flat, percent)
		}
	}
	return r
}

// sets are the settings that a schedule sets, where before are the rates until it begins.
func (r Record) sets(before Rates) []string {
	if r.Sets != nil {
		return r.Sets
	}
	return differing(before, r.Rates)
}

// Carry returns what schedules that begin after a change become by it, in their order: each keeps the settings that its
// editor set, and takes the others from the one before. was are the rates until the first of them as they were, is as
// they are.
func Carry(was, is Rates, later []Record) []Record {
	out := slices.Clone(later)
	for i, r := range later {
		out[i].Sets = r.sets(was)
		out[i].Rates = is.put(out[i].Sets, r.Rates)
		was, is = r.Rates, out[i].Rates
	}
	return out
}

// carryTx replaces the schedules that a change alters (see [Carry]).
func (q series) carryTx(tx *pg.Tx, now present, by By, was, is Rates, later []Record) {
	for i, r := range Carry(was, is, later) {
		if r.Rates.Equal(later[i].Rates) {
			continue
		}
		q.cancelTx(tx, r.ID, by, now.At)
		r.Replaces, r.ID = r.ID, ids.NewFeeSchedule(now.Machine)
		r.CreatedBy, r.CreatedAt = by, instant.Of(now.At)
		q.addTx(tx, r)
	}
}

// after are the schedules that begin later than a time.
func (s standing) after(then time.Time) []Record {
	return slices.DeleteFunc(slices.Clone(s.scheduled), func(r Record) bool { return !r.EffectiveAt.After(then) })
}

// before is the schedule that will be in effect until a time.
func (s standing) before(then time.Time) Record { return s.at(then.Add(-time.Millisecond)) }
