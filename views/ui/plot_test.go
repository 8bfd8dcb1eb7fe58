package ui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func bounded() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-1e15, 1e15), rapid.Int64Range(-1000, 1000))
}

func series(t *rapid.T) []Series {
	n := rapid.IntRange(1, 40).Draw(t, "points")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Series {
		return Series{Values: rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), n, n).Draw(t, "values")}
	}), 1, 4).Draw(t, "series")
}

func TestTicksAreRoundAndShowEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lo, hi := bounded().Draw(t, "lo"), bounded().Draw(t, "hi")
		marks := ticks(min(lo, hi), max(lo, hi))
		if len(marks) < 3 || len(marks) > 6 || !slices.Contains(marks, 0) || marks[0] > min(lo, hi, 0) ||
			marks[len(marks)-1] < max(lo, hi, 0) {
			t.Fatalf("from %d to %d the marks are %v", lo, hi, marks)
		}
		step := marks[1] - marks[0]
		if digits := strings.TrimRight(strconv.FormatInt(step, 10), "0"); digits != "1" && digits != "2" &&
			digits != "5" {
			t.Fatalf("the step is %d", step)
		}
		for i, m := range marks[1:] {
			if m-marks[i] != step {
				t.Fatalf("the marks are %v", marks)
			}
		}
	})
}

func TestTicksAreNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lo, hi int64
		want   []int64
	}{
		{0, 0, []int64{0, 1, 2}},
		{3, 1, []int64{0, 1, 2}},
		{0, 5, []int64{0, 1, 2, 3, 4, 5}},
		{0, 6, []int64{0, 2, 4, 6}},
		{0, 98, []int64{0, 20, 40, 60, 80, 100}},
		{0, 801_000, []int64{0, 200_000, 400_000, 600_000, 800_000, 1_000_000}},
		{-40, 120, []int64{-50, 0, 50, 100, 150}},
		{-7, -3, []int64{-8, -6, -4, -2, 0}},
	} {
		if got := ticks(c.lo, c.hi); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}

func TestHeightsKeepOrderAndStayOnTheGround(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := series(t)
		marks := ticks(reach(all, false))
		s := scaleOf(marks)
		if top, bottom := s.y(marks[len(marks)-1]), s.y(marks[0]); top != 0 || bottom != plotHeight {
			t.Fatalf("the axis is from %v to %v", top, bottom)
		}
		for _, one := range all {
			for i, v := range one.Values {
				if y := s.y(v); y < 0 || y > plotHeight || i > 0 &&
					(v > one.Values[i-1]) != (y < s.y(one.Values[i-1])) && v != one.Values[i-1] {
					t.Fatalf("%d is at %v", v, y)
				}
			}
		}
	})
}

func TestStacksFillTheirBandsAndAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := series(t)
		n := points(all)
		s := scaleOf(ticks(reach(all, true)))
		for i := range n {
			var up, down, above, below float64
			x, width := band(i, n)
			for k, b := range stack(all, i, n, s) {
				if b.height < 0 || b.y < -1e-9 || b.y+b.height > plotHeight+1e-9 || b.x < x || b.x+b.width > x+width {
					t.Fatalf("bar %d of place %d is %+v", k, i, b)
				}
				if v := float64(all[k].Values[i]); v > 0 {
					up, above = up+v, above+b.height
				} else {
					down, below = down-v, below+b.height
				}
			}
			for _, c := range [][2]float64{{up, above}, {down, below}} {
				if want := c[0] / float64(s.hi-s.lo) * plotHeight; math.Abs(want-c[1]) > 1e-6 {
					t.Fatalf("place %d: %v high, want %v", i, c[1], want)
				}
			}
		}
	})
}

func TestLinesVisitEveryValueFromLeftToRight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := series(t)
		values, s := all[0].Values, scaleOf(ticks(reach(all, false)))
		for _, x := range []across{middle, edge} {
			corners := strings.FieldsFunc(linePath(values, s, x), func(r rune) bool { return r == 'M' || r == 'L' })
			if len(corners) != len(values) {
				t.Fatalf("%d values make %d corners", len(values), len(corners))
			}
			last := -1.0
			for i, c := range corners {
				at, _, _ := strings.Cut(c, " ")
				f, err := strconv.ParseFloat(at, 64)
				if err != nil || f <= last || f < 0 || f > plotWidth || c != point(x(i, len(values)), s.y(values[i])) {
					t.Fatalf("corner %d is %q", i, c)
				}
				last = f
			}
			area := areaPath(values, s, 0, x)
			if !strings.HasPrefix(area, linePath(values, s, x)) ||
				!strings.HasSuffix(area, point(x(0, len(values)), s.y(0))+"Z") {
				t.Fatalf("the area is %s", area)
			}
		}
	})
}

func TestLabelsLeaveRoom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		c := Chart{Labels: make([]string, n)}
		always, wide := 0, 0
		for i := range n {
			switch c.labeled(i) {
			case 1:
				always++
			case 0:
				wide++
			}
		}
		if c.labeled(0) != 1 || always > 4 || always+wide > 8 || n <= 8 && always+wide != n {
			t.Fatalf("%d labels: %d always, %d more where there is room", n, always, wide)
		}
	})
}

func TestChartsOfNothing(t *testing.T) {
	t.Parallel()
	if points(nil) != 0 || areaPath(nil, scale{0, 1}, 0, middle) != "" || linePath(nil, scale{0, 1}, edge) != "" {
		t.Error("nothing draws something")
	}
	if got := points([]Series{{Values: []int64{1, 2, 3}}, {Values: []int64{1, 2}}}); got != 2 {
		t.Errorf("series of 3 and 2 values have %d places", got)
	}
}
