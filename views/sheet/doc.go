// Package sheet draws the sheets of the sandbox's wallets from plain values. They look like somebody else's: a wallet
// knows the page that it is opened by, and nothing of ours.
package sheet
