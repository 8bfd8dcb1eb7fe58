package trigger

import (
	"maps"
	"slices"
)

// Recipes lists the types that have one, or a reason.
func Recipes() []string { return slices.Collect(maps.Keys(recipes)) }
