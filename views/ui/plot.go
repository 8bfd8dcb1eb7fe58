package ui

import (
	"math"
	"strconv"
	"strings"
)

// The ground that charts are drawn on, in units of its own: a chart is stretched to its place, and everything
// that must not be (lines, words) is not measured in these.
const (
	plotWidth  = 1000.0
	plotHeight = 400.0
)

// ticks returns marks for an axis that shows everything from lo to hi, and zero: from 3 to 6 of them, equally
// far apart, at round numbers (1, 2 or 5 with zeros). lo and hi are within ±10^15.
func ticks(lo, hi int64) []int64 {
	lo, hi = min(lo, 0), max(hi, 0)
	if lo == hi {
		hi = 1
	}
	step := int64(1)
	for factors := []int64{2, 5, 10}; ; {
		for _, f := range factors {
			if count(lo, hi, step) <= 6 {
				return marks(lo, hi, step)
			}
			step = step / lead(step) * f
		}
	}
}

// lead is the first digit of a step.
func lead(step int64) int64 {
	for step >= 10 {
		step /= 10
	}
	return step
}

// floorTo and ceilTo round to a multiple of a step.
func floorTo(n, step int64) int64 {
	if rest := n % step; rest < 0 {
		return n - rest - step
	}
	return n - n%step
}

func ceilTo(n, step int64) int64 { return -floorTo(-n, step) }

func count(lo, hi, step int64) int64 { return (ceilTo(hi, step)-floorTo(lo, step))/step + 1 }

func marks(lo, hi, step int64) (out []int64) {
	last := ceilTo(hi, step)
	for at := floorTo(lo, step); at <= last; at += step {
		out = append(out, at)
	}
	if len(out) == 2 { // zero and one: a mark between them says more than none
		out = append(out, last+step)
	}
	return out
}

// scale maps values of an axis to heights on the ground, which grow downward.
type scale struct{ lo, hi int64 }

func scaleOf(marks []int64) scale { return scale{marks[0], marks[len(marks)-1]} }

// y is the height of a value.
func (s scale) y(v int64) float64 {
	return plotHeight * float64(s.hi-v) / float64(s.hi-s.lo)
}

// band is the place of the i-th of n values: where it begins and how wide it is.
func band(i, n int) (x, width float64) {
	width = plotWidth / float64(n)
	return float64(i) * width, width
}

// middle is the middle of a band.
func middle(i, n int) float64 {
	x, width := band(i, n)
	return x + width/2
}

// edge is where the i-th of n values stands if they reach from edge to edge.
func edge(i, n int) float64 { return plotWidth * float64(i) / float64(max(1, n-1)) }

// across says where the i-th of n values stands: middle or edge.
type across func(i, n int) float64

// linePath draws values as a line.
func linePath(values []int64, s scale, x across) string {
	var b strings.Builder
	for i, v := range values {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(point(x(i, len(values)), s.y(v)))
	}
	return b.String()
}

// areaPath fills what lies between the line of values and a level.
func areaPath(values []int64, s scale, level int64, x across) string {
	if len(values) == 0 {
		return ""
	}
	n := len(values)
	return linePath(values, s, x) + "L" + point(x(n-1, n), s.y(level)) + "L" + point(x(0, n), s.y(level)) + "Z"
}

// bar is a box on the ground.
type bar struct{ x, y, width, height float64 }

// barShare is how much of its band a bar takes.
const barShare = 0.68

// stack puts the i-th values of all series onto each other: those above zero upward, those below downward.
func stack(all []Series, i, n int, s scale) []bar {
	x, width := band(i, n)
	var up, down int64
	var out []bar
	for _, one := range all {
		v := one.Values[i]
		from := &up
		if v < 0 {
			from = &down
		}
		top, bottom := s.y(max(*from, *from+v)), s.y(min(*from, *from+v))
		*from += v
		out = append(out, bar{x + width*(1-barShare)/2, top, width * barShare, bottom - top})
	}
	return out
}

// reach is from the lowest to the highest that series show: together if they are stacked, else each.
func reach(all []Series, stacked bool) (lo, hi int64) {
	for i := range points(all) {
		var up, down int64
		for _, one := range all {
			v := one.Values[i]
			if !stacked {
				up, down = 0, 0
			}
			up, down = up+max(v, 0), down+min(v, 0)
			lo, hi = min(lo, down), max(hi, up)
		}
	}
	return lo, hi
}

// points is how many values all series have.
func points(all []Series) int {
	if len(all) == 0 {
		return 0
	}
	n := len(all[0].Values)
	for _, s := range all {
		n = min(n, len(s.Values))
	}
	return n
}

// every is how far apart the labels of n values are, so that at most some are shown.
func every(n, most int) int { return max(1, int(math.Ceil(float64(n)/float64(most)))) }

// number writes a coordinate, to a tenth.
func number(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

func point(x, y float64) string { return number(x) + " " + number(y) }
