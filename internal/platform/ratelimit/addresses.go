package ratelimit

import (
	"net/netip"
	"time"
)

// Addresses is a token bucket for each network that requests come from.
type Addresses struct{ buckets *Buckets[netip.Prefix] }

// NewAddresses allows every address perSecond requests in the long run, and burst at once.
func NewAddresses(perSecond, burst int) *Addresses {
	return &Addresses{New[netip.Prefix](perSecond, burst, guessesSize)}
}

// Take takes a token out of an address's bucket, if there is one.
func (a *Addresses) Take(address string, now time.Time) State {
	return a.buckets.Take(network(address), now)
}

// Look tells the state of an address's bucket and takes nothing.
func (a *Addresses) Look(address string, now time.Time) State {
	return a.buckets.Look(network(address), now)
}

// network is what counts as one address. Text that is no address counts as one.
func network(address string) netip.Prefix {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	return Network(a)
}

// Network is what counts as one address: of IPv6 the 64 bits that one customer has.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.Prefix(bits) // these bits always fit
	return p
}
