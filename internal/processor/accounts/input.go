package accounts

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// MaxPriority is the last priority.
const MaxPriority = 100

// maxCredentials is the length of the longest credentials, in bytes.
const maxCredentials = 4096

// ConnectInput is an account to connect.
type ConnectInput struct {
	MerchantID  *int64 // nil: the application's default
	Processor   string
	External    string
	Credentials sensitive.Credentials // zero: none
	Serving
}

// Serving is which new payments go to an account.
type Serving struct {
	Methods    []processor.Method
	Currencies []money.Currency // empty: all
	Priority   int              // 1 comes first
}

// ChangeInput changes an account. Its processor and its external account stay: another one is connected instead.
type ChangeInput struct {
	Credentials sensitive.Credentials // zero: as they are
	Serving
	IfVersion *int // the version that the account must have; nil for any
}

// trimmed is the input without the white space around what was pasted.
func (in ConnectInput) trimmed() ConnectInput {
	in.Processor, in.External = strings.TrimSpace(in.Processor), strings.TrimSpace(in.External)
	in.Credentials = trimmed(in.Credentials)
	return in
}

// trimmed is the input without the white space around what was pasted.
func (in ChangeInput) trimmed() ChangeInput {
	in.Credentials = trimmed(in.Credentials)
	return in
}

func trimmed(c sensitive.Credentials) sensitive.Credentials {
	return sensitive.NewCredentials(strings.TrimSpace(c.Reveal()))
}

func (s *Service) validateConnect(in ConnectInput) fault.Fields {
	var fs fault.Fields
	check.OneOf(&fs, "processor", &in.Processor, s.Processors()...)
	check.Word(&fs, "external_account", &in.External, 1, 255)
	s.validate(&fs, in.Processor, in.Credentials, in.Serving)
	s.limit(&fs, in.Processor, in.Credentials, in.Methods)
	return fs
}

func (s *Service) validate(fs *fault.Fields, adapter string, credentials sensitive.Credentials, in Serving) {
	if text := credentials.Reveal(); len(text) > maxCredentials {
		fs.Add("credentials", "parameter_invalid",
			fmt.Sprintf("Enter credentials of at most %d characters.", maxCredentials))
	} else if strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || r < ' ' &&
			!unicode.IsSpace(r)
	}) {
		fs.Add("credentials", "parameter_invalid",
			"Use only ASCII letters, digits, and punctuation. Copy the credentials from the processor again.")
	}
	served := s.Served(adapter)
	if len(in.Methods) == 0 {
		fs.Add("methods", "parameter_missing", "Choose at least one method.")
	}
	for _, m := range in.Methods {
		if !slices.Contains(served, m) {
			fs.Add("methods", "parameter_invalid", "This processor doesn't support all of these methods. "+
				check.AllowedValues(served...))
			break
		}
	}
	for _, c := range in.Currencies {
		check.Currency(fs, "currencies", new(string(c)))
	}
	if in.Priority < 1 || in.Priority > MaxPriority {
		fs.Add("priority", "parameter_invalid", fmt.Sprintf("Enter a number from 1 to %d.", MaxPriority))
	}
}

// limit rejects methods that an account with these credentials can't serve, although other accounts of the processor
// can.
func (s *Service) limit(fs *fault.Fields, adapter string, credentials sensitive.Credentials,
	methods []processor.Method) {
	able := s.ServedWith(adapter, credentials)
	if fs.Err() == nil &&
		slices.ContainsFunc(methods, func(m processor.Method) bool { return !slices.Contains(able, m) }) {
		fs.Add("methods", "parameter_invalid",
			"With these credentials, this account can't serve all of these methods. "+check.AllowedValues(able...))
	}
}

// sorted is the input without repetitions, in the order of the methods.
func (in Serving) sorted() Serving {
	chosen := in.Methods
	in.Methods = slices.DeleteFunc(processor.Methods(),
		func(m processor.Method) bool { return !slices.Contains(chosen, m) })
	in.Currencies = slices.Compact(slices.Sorted(slices.Values(in.Currencies)))
	if in.Currencies == nil {
		in.Currencies = []money.Currency{}
	}
	return in
}
