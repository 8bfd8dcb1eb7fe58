package dispute

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/upload"
)

// Evidence is what a merchant says for the charge: texts by the names of [EvidenceNames].
type Evidence map[string]string

// Bounds of evidence.
const (
	MaxText  = 20_000 // characters of one text
	MaxFiles = 10
)

// EvidenceNames lists every text that evidence can have.
func EvidenceNames() []string {
	return []string{
		"product_description", "payer_name", "payer_email", "payer_address", "payer_ip_address", "payer_communication",
		"receipt_description", "service_date", "service_documentation", "shipping_carrier", "shipping_tracking_number",
		"shipping_date", "shipping_address", "refund_policy", "refund_policy_disclosure", "refund_refusal_explanation",
		"cancellation_policy", "cancellation_policy_disclosure", "cancellation_rebuttal", "duplicate_charge_id",
		"duplicate_explanation", "access_log", "uncategorized_text",
	}
}

// EvidenceInput is the body of an answer with evidence, and a draft of one. Files are ids of files
// that were uploaded before.
type EvidenceInput struct {
	Evidence map[string]string `json:"evidence"`
	Files    []string          `json:"files" default:"[]"`
	// IfVersion is the version that the dispute must still have; nil for any.
	IfVersion *int `json:"-"`
}

// Validate returns every mistake that can be seen without looking anything up. A draft may be empty;
// what is submitted has texts, even if none is among them because files say it all.
func (in EvidenceInput) Validate() fault.Fields {
	fs := in.validate()
	switch {
	case in.Evidence == nil:
		check.Required(&fs, "evidence", false)
	case len(in.Evidence) == 0 && len(in.Files) == 0:
		fs.Add("evidence", "parameter_invalid", "Evidence has at least one text or file.")
	}
	return fs
}

// validate returns the mistakes of a draft.
func (in EvidenceInput) validate() fault.Fields {
	var fs fault.Fields
	for _, name := range slices.Sorted(maps.Keys(in.Evidence)) {
		text := in.Evidence[name]
		if !slices.Contains(EvidenceNames(), name) {
			fs.Add("evidence", "parameter_unknown",
				"There is no such text here: "+strings.Join(EvidenceNames(), ", ")+".")
			break // the others are as unknown
		}
		check.Prose(&fs, "evidence."+name, text, MaxText)
	}
	if len(in.Files) > MaxFiles {
		fs.Add("files", "parameter_invalid", fmt.Sprintf("At most %d files.", MaxFiles))
	} else if sorted := slices.Sorted(slices.Values(in.Files)); len(slices.Compact(sorted)) < len(in.Files) {
		fs.Add("files", "parameter_invalid", "Name each file once.")
	}
	return fs
}

// known adds to the mistakes of an input that files do not exist, and returns the files. Those that the dispute's draft
// has are known, anyone who uploaded them.
func (in EvidenceInput) known(ctx context.Context, q pg.Querier, actor authz.Actor, had []ids.File,
	fs fault.Fields) ([]ids.File, error) {
	files := make([]ids.File, 0, len(in.Files))
	for _, text := range in.Files[:min(len(in.Files), MaxFiles)] {
		if id, err := ids.ParseFile(text); err == nil { // another form is simply no file
			files = append(files, id)
		}
	}
	found, err := upload.Known(ctx, q, actor, files)
	if err != nil {
		return nil, err
	}
	for _, id := range files {
		if slices.Contains(had, id) && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if !slices.ContainsFunc(fs, func(f fault.Field) bool { return f.Param == "files" }) && len(found) < len(in.Files) {
		addUnknownFile(&fs)
	}
	return files, fs.Err()
}

func addUnknownFile(fs *fault.Fields) {
	fs.Add("files", "parameter_invalid",
		"Each is the id of a file that was uploaded before; at least one of these is none.")
}
