package stripe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Stripe's limits for the texts of evidence, in characters.
const (
	longestText = 20_000
	allTexts    = 150_000
)

// Our codes for evidence that exceeds Stripe's limits. Evidence can be submitted only once, so the adapter never drops
// any silently.
const (
	tooLong      = "texts_too_long"
	tooManyFiles = "too_many_files"
)

// duplicateCharge is our text that names another charge.
const duplicateCharge = "duplicate_charge_id"

// field returns a field of Stripe's evidence.
type field func(*sdk.DisputeUpdateEvidenceParams) **string

// evidence is Stripe's evidence.
type evidence = sdk.DisputeUpdateEvidenceParams

// fields maps our texts to Stripe's fields.
var fields = map[string]field{
	"product_description":            func(e *evidence) **string { return &e.ProductDescription },
	"payer_name":                     func(e *evidence) **string { return &e.CustomerName },
	"payer_email":                    func(e *evidence) **string { return &e.CustomerEmailAddress },
	"payer_address":                  func(e *evidence) **string { return &e.BillingAddress },
	"payer_ip_address":               func(e *evidence) **string { return &e.CustomerPurchaseIP },
	"service_date":                   func(e *evidence) **string { return &e.ServiceDate },
	"shipping_carrier":               func(e *evidence) **string { return &e.ShippingCarrier },
	"shipping_tracking_number":       func(e *evidence) **string { return &e.ShippingTrackingNumber },
	"shipping_date":                  func(e *evidence) **string { return &e.ShippingDate },
	"shipping_address":               func(e *evidence) **string { return &e.ShippingAddress },
	"refund_policy_disclosure":       func(e *evidence) **string { return &e.RefundPolicyDisclosure },
	"refund_refusal_explanation":     func(e *evidence) **string { return &e.RefundRefusalExplanation },
	"cancellation_policy_disclosure": func(e *evidence) **string { return &e.CancellationPolicyDisclosure },
	"cancellation_rebuttal":          func(e *evidence) **string { return &e.CancellationRebuttal },
	"duplicate_explanation":          func(e *evidence) **string { return &e.DuplicateChargeExplanation },
	"access_log":                     func(e *evidence) **string { return &e.AccessActivityLog },
	"uncategorized_text":             uncategorizedText,
}

func uncategorizedText(e *evidence) **string { return &e.UncategorizedText }

// headings are the headings of our texts for which Stripe has only a file field, or none. The adapter adds them to
// uncategorized_text in this order.
var headings = []struct{ name, heading string }{
	{"payer_communication", "Communication with the customer"},
	{"receipt_description", "Receipt"},
	{"service_documentation", "Proof of service"},
	{"refund_policy", "Refund policy"},
	{"cancellation_policy", "Cancellation policy"},
	{duplicateCharge, "Other charge"}, // unless Stripe has the charge
}

// prepared is evidence that is ready to be sent, with the field of each file.
type prepared struct {
	evidence *evidence
	files    []field
}

// prepare does everything that must precede the first upload. It returns one of our codes if the evidence exceeds
// Stripe's limits.
func prepare(ctx context.Context, c *sdk.Client, r processor.Response) (p prepared, code string, err error) {
	files, notes, code := assign(r.Files)
	if code != "" {
		return p, code, nil
	}
	other, err := findDuplicate(ctx, c, r.Evidence[duplicateCharge])
	if err != nil {
		return p, "", err
	}
	p = prepared{&evidence{}, files}
	return p, write(p.evidence, r.Evidence, other, notes), nil
}

// submit uploads the files and submits the evidence.
func (p prepared) submit(ctx context.Context, c *sdk.Client, r processor.Response) error {
	uploaded, err := upload(ctx, c, r.Files)
	if err != nil {
		return err
	}
	for i, id := range uploaded {
		*p.files[i](p.evidence) = sdk.String(id)
	}
	to := &sdk.DisputeUpdateParams{Evidence: p.evidence, Submit: sdk.Bool(true),
		Metadata: map[string]string{ours(r.Reference): submitted}}
	to.SetIdempotencyKey(r.Reference)
	_, err = c.V1Disputes.Update(ctx, r.Dispute, to)
	return err
}

// write sets the texts of the evidence. other is Stripe's ID of the charge that they call a duplicate; notes describe
// the files. It returns one of our codes if the texts are too long.
func write(to *evidence, texts map[string]string, other, notes string) (code string) {
	rest := []string{texts["uncategorized_text"]}
	known := map[string]bool{}
	for _, h := range headings {
		known[h.name] = true
		switch text := texts[h.name]; {
		case text == "":
		case h.name == duplicateCharge && other != "":
			to.DuplicateChargeID = sdk.String(other)
		default:
			rest = append(rest, h.heading+":\n"+text)
		}
	}
	all := utf8.RuneCountInString(other)
	set := func(at **string, text string) {
		n := utf8.RuneCountInString(text)
		all += n
		if n > longestText {
			code = tooLong
		}
		if text != "" {
			*at = sdk.String(text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		switch at := fields[name]; {
		case name == "uncategorized_text", known[name], texts[name] == "":
		case at == nil:
			rest = append(rest, strings.ReplaceAll(name, "_", " ")+":\n"+texts[name])
		default:
			set(at(to), texts[name])
		}
	}
	rest = slices.DeleteFunc(append(rest, notes), func(text string) bool { return text == "" })
	set(uncategorizedText(to), strings.Join(rest, "\n\n"))
	if all > allTexts {
		code = tooLong
	}
	return code
}

// findDuplicate returns Stripe's ID of the charge that a text names by our ID or Stripe's; "" if there is none.
func findDuplicate(ctx context.Context, c *sdk.Client, text string) (string, error) {
	text = strings.TrimSpace(text)
	id, isCharge := strings.CutPrefix(text, "ch_")
	if !isCharge ||
		strings.ContainsFunc(id, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') && r != '_' }) {
		return "", nil
	}
	if _, err := ulid.ParseStrict(id); err == nil {
		p := &sdk.ChargeListParams{TransferGroup: sdk.String(text)}
		found, err := first(ctx, c.V1Charges.List(ctx, p), "list charges",
			func(ch *sdk.Charge) bool { return ch.Status == sdk.ChargeStatusSucceeded })
		switch {
		case errors.Is(err, processor.ErrNotFound):
			return "", nil
		case err != nil:
			return "", err
		}
		return found.ID, nil
	}
	switch found, err := c.V1Charges.Retrieve(ctx, text, nil); {
	case isMissing(err):
		return "", nil
	case err != nil:
		return "", problem("retrieve charge", err)
	default:
		return found.ID, nil
	}
}

// fileField is a field for one file. A file belongs there if its name contains one of the words.
type fileField struct {
	name, words string
	at          field
}

// fileFields are Stripe's file fields, in the order in which files without a matching word are assigned to them.
var fileFields = []fileField{
	{"uncategorized_file", "", func(e *evidence) **string { return &e.UncategorizedFile }},
	{"customer_communication", "communication correspondence email mail message messages chat letter", func(e *evidence) **string { return &e.CustomerCommunication }},
	{"service_documentation", "service contract agreement", func(e *evidence) **string { return &e.ServiceDocumentation }},
	{"receipt", "receipt invoice", func(e *evidence) **string { return &e.Receipt }},
	{"shipping_documentation", "shipping shipment tracking delivery", func(e *evidence) **string { return &e.ShippingDocumentation }},
	{"refund_policy", "refund", func(e *evidence) **string { return &e.RefundPolicy }},
	{"cancellation_policy", "cancellation", func(e *evidence) **string { return &e.CancellationPolicy }},
	{"customer_signature", "signature signed", func(e *evidence) **string { return &e.CustomerSignature }},
	{"duplicate_charge_documentation", "duplicate", func(e *evidence) **string { return &e.DuplicateChargeDocumentation }},
}

// assign returns the field of each file. Stripe's fields take one file each, and our files have only names. A file goes
// to the field that its name selects, the first other file to uncategorized_file, and any further file to a free field.
// The notes list the files in such fields. If there are more files than fields, assign returns one of our codes.
func assign(files []processor.File) (to []field, notes, code string) {
	if len(files) > len(fileFields) {
		return nil, "", tooManyFiles
	}
	to, free := make([]field, len(files)), slices.Clone(fileFields)
	take := func(file, at int) {
		to[file] = free[at].at
		free = slices.Delete(free, at, at+1)
	}
	for i, f := range files {
		said := strings.FieldsFunc(strings.ToLower(f.Name), func(r rune) bool { return !isLetter(r) })
		at := slices.IndexFunc(free, func(f fileField) bool {
			return slices.ContainsFunc(strings.Fields(f.words),
				func(word string) bool { return slices.Contains(said, word) })
		})
		if at >= 0 {
			take(i, at)
		}
	}
	var elsewhere []string
	for i, f := range files {
		if to[i] == nil {
			if free[0].words != "" {
				elsewhere = append(elsewhere, f.Name+" (in "+free[0].name+")")
			}
			take(i, 0)
		}
	}
	if elsewhere != nil {
		notes = "Additional files: " + strings.Join(elsewhere, ", ")
	}
	return to, notes, ""
}

// parallelUploads is how many files are uploaded at once.
const parallelUploads = 4

// extensions are the file name extensions of the content types that we store.
var extensions = map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}

// upload uploads files and returns Stripe's IDs of them. A file without evidence has no effect, so uploads have no
// idempotency keys.
func upload(ctx context.Context, c *sdk.Client, files []processor.File) ([]string, error) {
	ids, errs := make([]string, len(files)), make([]error, len(files))
	slots := make(chan struct{}, parallelUploads)
	var all sync.WaitGroup
	for i, f := range files {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			name := f.Name
			if path.Ext(name) == "" {
				name += extensions[f.ContentType]
			}
			p := &sdk.FileCreateParams{Purpose: sdk.String(string(sdk.FilePurposeDisputeEvidence)),
				Filename:   sdk.String(name),
				FileReader: bytes.NewReader(f.Content)}
			made, err := c.V1Files.Create(ctx, p)
			switch {
			case err != nil:
				errs[i] = err
			case made.ID == "":
				errs[i] = errors.New("stripe: an uploaded file has no id")
			default:
				ids[i] = made.ID
			}
		})
	}
	all.Wait()
	for _, err := range errs { // errors that leave the outcome unknown come first
		if _, ok := final(err); err != nil && !ok {
			return nil, err
		}
	}
	return ids, cmp.Or(errs...)
}
