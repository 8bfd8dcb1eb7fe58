// Package sheet renders the payment sheets of the sandbox's wallets from plain values. They look like another
// company's: a wallet knows only the page that opened it.
package sheet
