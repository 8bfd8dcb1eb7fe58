package main

import (
	"errors"
	"fmt"
	"slices"
)

// round holds the figures of one round by their cells.
type round map[string]figure

// goal compares two cells. A ratio is to be at least gate and goal, or at most if less is set.
type goal struct {
	id, what   string
	gate, goal float64
	less       bool
	time       bool // it compares times, which a busy machine alone decides
	ratio      func(round) float64
}

func rates(of, by string) func(round) float64 {
	return func(r round) float64 { return r[of].Rate / r[by].Rate }
}

// goals are those that the rounds measure.
func goals() []goal {
	return []goal{
		{id: "G1", what: "charges/s at 32 connections", gate: 0.7, goal: 1, ratio: rates(charges32, floor8)},
		{id: "G2", what: "charges/s at 128 connections", gate: 1, goal: 1.4, ratio: rates(charges2, floor8)},
		{id: "G3", what: "CPU a charge, server and PostgreSQL", gate: 1.3, goal: 0.8, less: true, ratio: func(r round) float64 {
			return (r[charges32].Server + r[charges32].Database) / r[floor8].Database
		}},
		{id: "G4", what: "p99 at 32 connections", gate: 1.2, goal: 0.7, less: true, time: true, ratio: func(r round) float64 { return r[charges32].P99 / r[floor32].P99 }},
		{id: "G4", what: "p50 of a lone request", gate: 2, goal: 1.5, less: true, time: true, ratio: func(r round) float64 { return r[chargeOne].P50 / r[floorLone].P50 }},
		{id: "G7", what: "replays/s by charges/s", gate: 1.5, goal: 2.5, ratio: rates(replays, charges32)},
		{id: "G7", what: "refunds/s by charges/s", gate: 0.8, goal: 1, ratio: rates(refunds, charges32)},
		{id: "G7", what: "captures/s by charges/s", gate: 0.8, goal: 1, ratio: rates(captures, charges32)},
		{id: "G7", what: "tokens/s by charges/s", gate: 1, goal: 1.5, ratio: rates(cards, charges32)},
		{id: "G9", what: "portal lists/s by its query alone", gate: 0.12, goal: 0.2, ratio: rates(listPage, listAlone)},
	}
}

// result is a goal beside what was measured.
type result struct {
	ID     string  `json:"id"`
	What   string  `json:"what"`
	Gate   float64 `json:"gate"`
	Goal   float64 `json:"goal"`
	AtMost bool    `json:"at_most,omitempty"`
	Time   bool    `json:"time,omitempty"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Word says how far the median is.
func (r result) word() string {
	within := func(bound float64) bool { return r.AtMost == (r.Median < bound) || r.Median == bound }
	switch {
	case within(r.Goal):
		return "goal"
	case within(r.Gate):
		return "gate"
	}
	return "MISSED"
}

// wide is by how much a short run on a busy machine may miss a gate.
const wide = 2

// farFromGates complains of ratios that are far from their gates.
func farFromGates(results []result) error {
	var errs []error
	for _, r := range results {
		if r.Time {
			continue
		}
		if r.AtMost && r.Median > r.Gate*wide || !r.AtMost && r.Median < r.Gate/wide {
			errs = append(errs, fmt.Errorf("%s, %s: %.2f is far from its gate %g", r.ID, r.What, r.Median, r.Gate))
		}
	}
	return errors.Join(errs...)
}

func resultOf(g goal, ratios []float64) result {
	sorted := slices.Sorted(slices.Values(ratios))
	return result{ID: g.id, What: g.what, Gate: g.gate, Goal: g.goal, AtMost: g.less, Time: g.time,
		Median: median(sorted), Min: sorted[0], Max: sorted[len(sorted)-1]}
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// middle is the figure of a cell in its median round, by its rate.
func middle(rounds []round, cell string) (figure, bool) {
	var all []figure
	for _, r := range rounds {
		if f, ok := r[cell]; ok {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return figure{}, false
	}
	slices.SortFunc(all, func(a, b figure) int {
		if a.Rate < b.Rate {
			return -1
		}
		return 1
	})
	return all[len(all)/2], true
}
