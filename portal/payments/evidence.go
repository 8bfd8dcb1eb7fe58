package payments

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/upload"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// evidenceGroups are the texts of evidence by what they are about, in the order of the form.
var evidenceGroups = []struct {
	name  string
	texts []string
}{
	{"other", []string{"uncategorized_text"}},
	{"product", []string{"product_description", "receipt_description", "service_date", "service_documentation"}},
	{"payer", []string{"payer_name", "payer_email", "payer_address", "payer_ip_address", "payer_communication", "access_log"}},
	{"shipping", []string{"shipping_carrier", "shipping_tracking_number", "shipping_date", "shipping_address"}},
	{"refund", []string{"refund_policy", "refund_policy_disclosure", "refund_refusal_explanation"}},
	{"cancellation", []string{"cancellation_policy", "cancellation_policy_disclosure", "cancellation_rebuttal"}},
	{"duplicate", []string{"duplicate_charge_id", "duplicate_explanation"}},
}

// shortTexts are those that take one line.
var shortTexts = []string{"payer_name", "payer_email", "payer_ip_address", "service_date", "shipping_carrier",
	"shipping_tracking_number",
	"shipping_date", "duplicate_charge_id"}

// evidenceForm is the form of a dispute's draft with some texts in it.
func evidenceForm(t text.Disputes, d dispute.Dispute, evidence dispute.Evidence) views.EvidenceForm {
	f := views.EvidenceForm{Action: web.DisputesPath + "/" + d.ID.String() + "/evidence", Draft: draftOf(d)}
	for i, g := range evidenceGroups {
		group := views.EvidenceGroup{Title: t.Groups[g.name], Open: i == 0}
		for _, name := range g.texts {
			group.Open = group.Open || evidence[name] != ""
			group.Fields = append(group.Fields,
				views.EvidenceField{Name: name, Label: t.Fields[name], Value: evidence[name],
					Long: !slices.Contains(shortTexts, name)})
		}
		f.Groups = append(f.Groups, group)
	}
	return f
}

// fingerprint is by what a form says that it knows a text. Its script makes the same, see drafts.js.
func fingerprint(name, words string) string {
	sum := sha256.Sum256([]byte(name + "=" + words))
	return hex.EncodeToString(sum[:8])
}

func draftOf(d dispute.Dispute) views.EvidenceDraft {
	names := dispute.EvidenceNames()
	had := make([]string, 0, len(names))
	for _, name := range names {
		had = append(had, fingerprint(name, d.Evidence[name]))
	}
	out := views.EvidenceDraft{Version: strconv.Itoa(d.Version), Had: strings.Join(had, " ")}
	if len(d.Evidence) > 0 || len(d.EvidenceFiles) > 0 {
		out.Saved = d.UpdatedAt.Time
	}
	return out
}

// evidenceFiles are the files of a dispute with their names.
func (p *Pages) evidenceFiles(c *web.Request, d dispute.Dispute) (out []views.EvidenceFile, err error) {
	if len(d.EvidenceFiles) == 0 {
		return nil, nil
	}
	known, err := p.Uploads.Several(c.Ctx(), c.Actor(), d.EvidenceFiles)
	if f, ok := fault.As(err); ok && f.Kind == fault.KindForbidden {
		err = nil // who may not see files is told that there are some
	}
	t := c.Text().Disputes
	for _, id := range d.EvidenceFiles {
		f, seen := known[id]
		if !seen {
			out = append(out, views.EvidenceFile{ID: id.String(), Name: id.String(), Detail: t.FileGone})
			continue
		}
		_, kind, _ := strings.Cut(f.ContentType, "/")
		out = append(out,
			views.EvidenceFile{ID: id.String(), Name: f.Name,
				Detail: t.FileDetail(strings.ToUpper(kind), int64(f.Size+1023)/1024)})
	}
	return out, err
}

// givenFacts are the texts of a dispute's evidence, in the form's order.
func givenFacts(t text.Disputes, d dispute.Dispute) (out []ui.Fact) {
	for _, g := range evidenceGroups {
		for _, name := range g.texts {
			if words := d.Evidence[name]; words != "" {
				out = append(out, ui.Fact{Key: t.Fields[name], Value: views.Prose(words)})
			}
		}
	}
	return out
}

// sentEvidence is what a form of evidence brings.
type sentEvidence struct {
	evidence dispute.Evidence
	next     string // the button: save, review, file
	remove   string // the id of a file
	version  int
	had      []string            // fingerprints of texts that the form was drawn with or has sent
	file     *upload.CreateInput // nil for none
	kept     string              // the id of the file once it is kept
}

func readEvidence(c *web.Request) (sentEvidence, error) {
	r := c.Request()
	if err := r.ParseMultipartForm(web.MaxUpload); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return sentEvidence{}, web.ErrForm(err)
	}
	out := sentEvidence{evidence: dispute.Evidence{}, next: r.PostForm.Get("next"), remove: r.PostForm.Get("remove"),
		had: strings.Fields(r.PostForm.Get("had"))}
	out.version, _ = strconv.Atoi(r.PostForm.Get("version"))
	for _, name := range dispute.EvidenceNames() {
		if words := strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n"); strings.TrimSpace(words) != "" {
			out.evidence[name] = words
		}
	}
	if r.MultipartForm == nil || len(r.MultipartForm.File["file"]) == 0 {
		return out, nil
	}
	part := r.MultipartForm.File["file"][0]
	opened, err := part.Open()
	if err != nil {
		return out, web.ErrForm(err)
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, upload.MaxSize+1))
	if err != nil {
		return out, web.ErrForm(err)
	}
	if len(content) > 0 {
		out.file = &upload.CreateInput{Name: part.Filename, Content: content}
	}
	return out, nil
}

// saveEvidence keeps a draft: on its own while someone writes, or by a button, with a file or without one.
func (p *Pages) saveEvidence(c *web.Request) error {
	in, err := readEvidence(c)
	if err != nil {
		return err
	}
	d, err := p.Disputes.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	if id, fragment := web.FragmentOf(c.Request()); fragment && id == "saved" {
		return p.saveByItself(c, d, in)
	}
	return p.saveByButton(c, d, in)
}

// mostMeanwhile is how often a draft that others change at the same time is read again before its form is shown
// instead.
const mostMeanwhile = 5

// keep puts what a form says in place of a draft as it is now, and returns the draft. Anyone who changed it since it
// was read is looked at, too: if the form knows nothing of their texts it returns those instead. A file that is refused
// keeps no text from being saved: the draft is returned with the refusal.
func (p *Pages) keep(c *web.Request, d dispute.Dispute, in *sentEvidence) (now dispute.Dispute, theirs []ui.Edit,
	err error) {
	for tries := 1; ; tries++ {
		if theirs = conflict(c.Text().Disputes, d, *in); len(theirs) > 0 {
			return d, theirs, nil
		}
		files, refused := p.filesAfter(c, d, in)
		if refused != nil && !fileAlone(refused) {
			return d, nil, refused
		}
		now, err = p.Disputes.SaveDraft(c.Ctx(), c.Actor(), d.ID.String(),
			dispute.EvidenceInput{Evidence: in.evidence, Files: files, IfVersion: &d.Version})
		if err == nil {
			return now, nil, refused
		}
		if tries == mostMeanwhile || !fault.HasCode(err, "object_changed") {
			return d, nil, err
		}
		if now, err = p.Disputes.Get(c.Ctx(), c.Actor(), d.ID.String()); err != nil {
			return d, nil, err
		}
		d = now
	}
}

// saveByButton keeps a draft, or shows its form with what keeps it from that.
func (p *Pages) saveByButton(c *web.Request, d dispute.Dispute, in sentEvidence) error {
	now, theirs, err := p.keep(c, d, &in)
	f := evidenceForm(c.Text().Disputes, now, in.evidence)
	f.Draft.Earlier = len(theirs) > 0 || err != nil && !fileAlone(err)
	if len(theirs) > 0 {
		f.Changed, f.Edits = true, theirs
		return p.disputePage(c, http.StatusConflict, now, f)
	}
	if refused, ok := p.mistakes(c, err, &f); ok {
		return p.disputePage(c, refused, now, f)
	}
	if err != nil {
		return err
	}
	return p.afterDraft(c, now, in)
}

// afterDraft goes on from a draft that was kept.
func (p *Pages) afterDraft(c *web.Request, d dispute.Dispute, in sentEvidence) error {
	t, at := c.Text().Disputes, web.DisputesPath+"/"+d.ID.String()
	switch {
	case in.next == "review":
		return web.SeeOther(c, at+"/review")
	case in.remove != "":
		web.SetToast(c, ui.Toast{Tone: ui.Success, Text: t.Removed})
	case in.file != nil:
		web.SetToast(c, ui.Toast{Tone: ui.Success, Text: t.Added})
	default:
		web.SetToast(c, ui.Toast{Tone: ui.Success, Text: t.Saved})
	}
	return web.SeeOther(c, at)
}

// saveByItself answers the form with its version from now on, or with why nothing was kept.
func (p *Pages) saveByItself(c *web.Request, d dispute.Dispute, in sentEvidence) error {
	// the button that has the keyboard is sent, too, and no one has pressed it
	in.next, in.remove, in.file = "", "", nil
	out := views.EvidenceDraft{Version: strconv.Itoa(in.version), Had: strings.Join(in.had, " ")}
	kept, theirs, err := p.keep(c, d, &in)
	f, ok := fault.As(err)
	switch {
	case len(theirs) > 0 || ok && f.Kind == fault.KindChanged:
		out.Conflict = true
	case err == nil:
		out = draftOf(kept)
		out.Saved = kept.UpdatedAt.Time
	case ok && len(f.Fields) > 0:
		out.Mistake = f.Fields[0].Message
	case ok && f.Kind == fault.KindConflict:
		out.Mistake = f.Message
	default:
		return err
	}
	return web.Render(c, http.StatusOK, views.EvidenceSaved(out))
}

// fileIDs are ids of files as text.
func fileIDs(files []ids.File) []string {
	out := make([]string, 0, len(files))
	for _, id := range files {
		out = append(out, id.String())
	}
	return out
}

// fileAlone reports whether a refusal is of the form's file, and of nothing else.
func fileAlone(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind == fault.KindInvalid && f.Param == "file"
}

// filesAfter are the draft's files once the form's file, which is kept once, is among them, or the one to be removed is
// not. A refusal of the file comes with the files as they are.
func (p *Pages) filesAfter(c *web.Request, d dispute.Dispute, in *sentEvidence) ([]string, error) {
	t, files := c.Text().Disputes, fileIDs(d.EvidenceFiles)
	if in.remove != "" {
		return slices.DeleteFunc(files, func(id string) bool { return id == in.remove }), nil
	}
	switch {
	case in.file == nil && in.next == "file":
		return files, fault.Invalid(web.CodeForm, t.FileNone).On("file")
	case in.file == nil:
		return files, nil
	case len(files) >= dispute.MaxFiles:
		return files, fault.Invalid("parameter_invalid", t.TooManyFiles).On("file")
	case len(in.file.Content) > upload.MaxSize:
		return files, fault.Invalid(web.CodeForm, t.FileLarge).On("file")
	case in.kept != "":
		return append(files, in.kept), nil
	}
	kept, err := p.Uploads.Create(c.Ctx(), c.Actor(), *in.file, nil)
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindInvalid || f.Kind == fault.KindLimited) {
		message := f.Message
		if len(f.Fields) > 0 {
			message = f.Fields[0].Message
		}
		return files, fault.Invalid(f.Code, message).On("file")
	}
	if err != nil {
		return nil, err
	}
	in.kept = kept.Object.ID.String()
	return append(files, in.kept), nil
}

// conflict are the texts that someone else wrote or took out, next to what the form says. The form's own are none, also
// those of which it does not know that they were kept: the answer that told so was lost.
func conflict(t text.Disputes, d dispute.Dispute, in sentEvidence) (out []ui.Edit) {
	if in.version == d.Version {
		return nil
	}
	for _, name := range slices.Sorted(slices.Values(dispute.EvidenceNames())) {
		theirs, ours := d.Evidence[name], in.evidence[name]
		if theirs != ours && !slices.Contains(in.had, fingerprint(name, theirs)) {
			out = append(out, ui.Edit{Field: t.Fields[name], Old: theirs, New: ours})
		}
	}
	return out
}

// mistakes puts what is wrong with a draft next to its inputs.
func (p *Pages) mistakes(c *web.Request, err error, f *views.EvidenceForm) (status int, ok bool) {
	inputs := map[string]string{}
	for _, name := range dispute.EvidenceNames() {
		inputs[fmt.Sprint("evidence.", name)] = name
	}
	title := c.Text().Disputes.Problems
	if fileAlone(err) {
		title = c.Text().Disputes.FileProblem
	}
	above, beside, ok := web.Problems(c.Text(), err, title, inputs)
	if !ok {
		return 0, false
	}
	f.Problems, f.FileError = above, beside["file"]
	for i, g := range f.Groups {
		for k, one := range g.Fields {
			if f.Groups[i].Fields[k].Error = beside[one.Name]; beside[one.Name] != "" {
				f.Groups[i].Open = true
			}
		}
	}
	refused, _ := fault.As(err)
	return web.StatusOf(refused.Kind), true
}
