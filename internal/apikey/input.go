package apikey

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// Bounds of a key.
const (
	maxName = 100 // characters
	maxList = 100 // merchants, addresses or origins
)

// key is the record of a new key, with every mistake that can be seen without looking anything up.
func (in CreateInput) key(now time.Time) (Key, fault.Fields) {
	var fs fault.Fields
	if !slices.Contains(Kinds(), in.Kind) {
		fs.Add("kind", "parameter_invalid", check.AllowedValues(Kinds()...))
	}
	checkName(&fs, &in.Name)
	k := Key{
		Kind: in.Kind, Name: in.Name, Rights: in.parseRights(&fs), Merchants: in.parseMerchants(&fs),
		AllowedIPs:      parseAllowedIPs(&fs, in.Kind, in.AllowedIPs),
		AllowedOrigins:  parseAllowedOrigins(&fs, in.Kind, in.AllowedOrigins),
		MerchantDomains: checkOfPages(&fs, in.Kind, "merchant_domains", in.MerchantDomains),
		AnyAncestor:     checkOfPages(&fs, in.Kind, "any_ancestor", in.AnyAncestor),
	}
	if !in.ExpiresAt.IsZero() {
		k.ExpiresAt = instant.Ptr(in.ExpiresAt)
		if k.Status(now) == Expired {
			fs.Add("expires_at", "parameter_invalid", "A new key expires in the future.")
		}
	}
	return k, fs
}

func checkName(fs *fault.Fields, name *string) {
	if *name == "" {
		check.Required(fs, "name", false)
		return
	}
	check.Text(fs, "name", name, 1, maxName)
}

func (in CreateInput) parseRights(fs *fault.Fields) []authz.Right {
	unknown := slices.ContainsFunc(in.Rights, func(r authz.Right) bool { return !slices.Contains(authz.Rights(), r) })
	switch restricted := in.Kind == Restricted; {
	case restricted && len(in.Rights) == 0:
		fs.Add("rights", "parameter_missing", "A restricted key has one right at least.")
	case unknown:
		fs.Add("rights", "parameter_invalid", check.AllowedValues(authz.Rights()...))
	case !restricted && len(in.Rights) > 0:
		fs.Add("rights", "parameter_invalid", "Only restricted keys have rights.")
	}
	return ordered(in.Rights, cmp.Compare)
}

func (in CreateInput) parseMerchants(fs *fault.Fields) []int64 {
	checkList(fs, "merchants", len(in.Merchants), in.Kind == Restricted,
		"Only restricted keys are limited to merchants.")
	return ordered(in.Merchants, cmp.Compare)
}

// checkMerchants notes merchants that are not the application's.
func (s *Service) checkMerchants(ctx context.Context, fs *fault.Fields, applicationID int64, merchants []int64) error {
	known, err := pg.Value[int](ctx, s.pool, `
		SELECT count(*)::int FROM merchants WHERE application_id = @application_id AND id = ANY (@merchants)`,
		pg.Args{"application_id": applicationID, "merchants": merchants})
	if err == nil && known < len(merchants) {
		fs.Add("merchants", "parameter_invalid", "Every one must be a merchant of the application.")
	}
	return err
}

// parseAllowedIPs reads addresses and networks. A network is written by its first address, so that a
// slip of the pen is not taken for many machines.
func parseAllowedIPs(fs *fault.Fields, kind Kind, list []string) []netip.Prefix {
	checkList(fs, "allowed_ips", len(list), kind != Public, "Public keys are used by payers, from anywhere.")
	out := make([]netip.Prefix, 0, len(list))
	for _, text := range list {
		if ip, err := netip.ParseAddr(text); err == nil {
			text += fmt.Sprint("/", ip.BitLen())
		}
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() || p.Addr().Is4In6() {
			fs.Add("allowed_ips", "parameter_invalid",
				"Write each address as 192.0.2.7 or 2001:db8::7, and each network by its first address, as 192.0.2.0/24 or 2001:db8::/32.")
			return nil
		}
		out = append(out, p)
	}
	return ordered(out, netip.Prefix.Compare)
}

func parseAllowedOrigins(fs *fault.Fields, kind Kind, list []string) []string {
	checkList(fs, "allowed_origins", len(list), kind == Public, "Only public keys are used on pages.")
	if slices.ContainsFunc(list, func(o string) bool { return !check.IsOriginPattern(o) }) {
		fs.Add("allowed_origins", "parameter_invalid",
			"Write each origin as browsers do, such as https://shop.example: lowercase, no path, no port of the scheme's own. "+
				"For all hosts below a domain of yours, write https://*.example.org.")
	}
	return ordered(list, cmp.Compare)
}

// checkOfPages notes that a key of this kind can't have a switch on that is about pages.
func checkOfPages(fs *fault.Fields, kind Kind, param string, on bool) bool {
	if on && kind != Public {
		fs.Add(param, "parameter_invalid", "Only public keys are used on pages.")
	}
	return on
}

// checkList notes a list that this kind of key does not have, and one that is too long.
func checkList(fs *fault.Fields, param string, n int, has bool, why string) {
	switch {
	case n > 0 && !has:
		fs.Add(param, "parameter_invalid", why)
	case n > maxList:
		fs.Add(param, "parameter_invalid", fmt.Sprintf("At most %d.", maxList))
	}
}

// ordered is a list with each value once; never nil.
func ordered[T comparable](list []T, compare func(a, b T) int) []T {
	out := append([]T{}, list...)
	slices.SortFunc(out, compare)
	return slices.Compact(out)
}
