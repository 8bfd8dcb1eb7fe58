// Package daf renders the pages of the DAF modal from plain values, and those of the sandbox's funds, which look like
// other companies'. They work without JavaScript; with it, they report how the modal ended and search while a donor
// types.
package daf
