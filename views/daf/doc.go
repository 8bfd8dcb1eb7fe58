// Package daf draws the pages of the DAF modal from plain values, and those of the sandbox's funds, which look like
// somebody else's. They need no script: what there is tells the page around the modal how it ended, and searches
// while a donor types.
package daf
