package portal

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	associationPath = systemPath + "/association"
	installPath     = associationPath + "/install"
	uninstallPath   = associationPath + "/undo"
)

// maxMember is how much is shown of a member of the association file, in characters: its signature is long.
const maxMember = 80

// associations are the association file that is installed, the zero file if there is none, those before it, and what it is
// needed for.
type associations struct {
	now    merchant.AssociationFile
	former []merchant.AssociationFile
	served merchant.Served
}

func (p *Portal) associations(c *web.Request) (out associations, err error) {
	out.now, err = p.Merchants.Association(c.Ctx())
	if err != nil && !fault.HasCode(err, "resource_missing") {
		return out, err
	}
	out.former, out.served, err = p.Merchants.FormerAssociations(c.Ctx(), c.Actor())
	return out, err
}

// showAssociation asks for a file, or reviews a former one that the address names.
func (p *Portal) showAssociation(c *web.Request) error {
	all, err := p.associations(c)
	if err != nil {
		return err
	}
	for _, f := range all.former {
		if strconv.FormatInt(f.Version, 10) == c.QueryParam("restore") {
			return p.associationReview(c, http.StatusOK, all, f)
		}
	}
	return p.associationForm(c, http.StatusOK, all, views.AssociationForm{})
}

func (p *Portal) associationForm(c *web.Request, status int, all associations, f views.AssociationForm) error {
	t := c.Text()
	f.Action, f.Back = associationPath, systemPath
	for _, old := range all.former {
		version := strconv.FormatInt(old.Version, 10)
		f.Former = append(f.Former, views.AssociationVersion{Version: version, At: old.InstalledAt.Time, Bytes: int64(len(old.Content)),
			Fingerprint: old.Fingerprint(), Restore: associationPath + "?restore=" + version})
	}
	return web.Render(c, status, views.AssociationPage(c.Page(t.System.Install), f))
}

// reviewAssociation shows what a file would replace, and for whom. It changes nothing.
func (p *Portal) reviewAssociation(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	all, err := p.associations(c)
	if err != nil {
		return err
	}
	file := merchant.AssociationFile{Content: form.Get("content")}
	err = file.Check()
	if err == nil && file.Content == all.now.Content {
		err = fault.Invalid("file_invalid", c.Text().Association.Same).On("content")
	}
	if above, beside, ok := web.Problems(c.Text(), err, c.Text().Failures.Correct, nil); ok {
		return p.associationForm(c, http.StatusUnprocessableEntity, all, views.AssociationForm{Value: file.Content, Problems: above, Error: beside["content"]})
	}
	return p.associationReview(c, http.StatusOK, all, file)
}

func (p *Portal) associationReview(c *web.Request, status int, all associations, file merchant.AssociationFile) error {
	t := c.Text().Association
	view := views.AssociationReview{Action: installPath, Back: systemPath, Again: associationPath, Content: file.Content,
		Over: strconv.FormatInt(all.now.Version, 10), First: all.now.Version == 0, Changed: status == http.StatusConflict, Edits: associationEdits(t, all.now, file)}
	if all.served.Domains > 0 {
		view.Warning = ui.Banner{Tone: ui.Warning, Title: t.Affected(all.served.Domains, all.served.Merchants), Text: t.AffectedText}
	} else {
		view.Warning = ui.Banner{Tone: ui.Info, Title: t.NoneAffected}
	}
	return web.Render(c, status, views.AssociationReviewPage(c.Page(t.Review), view))
}

// associationEdits are the members of the file that differ, as people can read them, and its size and fingerprint, which do.
func associationEdits(t text.Association, was, is merchant.AssociationFile) (out []ui.Edit) {
	old, next := was.Decoded(), is.Decoded()
	names := slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(next)))))
	for _, name := range names {
		if from, to := member(old[name]), member(next[name]); from != to {
			out = append(out, ui.Edit{Field: name, Old: from, New: to})
		}
	}
	size := func(f merchant.AssociationFile) string {
		if f.Content == "" {
			return ""
		}
		return t.Size(len(f.Content), f.Fingerprint())
	}
	return append(out, ui.Edit{Field: t.File, Old: size(was), New: size(is)})
}

// member is a member of the file, cut where it is too long to be read.
func member(value json.RawMessage) string {
	letters := []rune(said(value))
	if len(letters) <= maxMember {
		return string(letters)
	}
	return string(letters[:maxMember]) + "…"
}

func (p *Portal) installAssociation(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	file := merchant.AssociationFile{Content: form.Get("content")}
	over, err := strconv.ParseInt(form.Get("over"), 10, 64)
	if err != nil {
		return web.ErrOnce
	}
	made, err := p.Merchants.InstallAssociation(c.Ctx(), c.Actor(), []byte(file.Content), &over)
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindChanged || f.Kind == fault.KindInvalid) {
		return p.associationAgain(c, f, file)
	}
	if err != nil {
		return err
	}
	told := ui.Toast{Tone: ui.Success, Text: c.Text().Association.Done}
	if made.Version > 1 {
		told.Undo = uninstallPath + "/" + strconv.FormatInt(made.Version, 10)
	}
	web.Tell(c, told)
	return web.SeeOther(c, systemPath)
}

// associationAgain shows a file that was not installed: once more against the one that was installed since, unless it is that.
func (p *Portal) associationAgain(c *web.Request, refused *fault.Error, file merchant.AssociationFile) error {
	all, err := p.associations(c)
	if err != nil {
		return err
	}
	switch {
	case refused.Kind == fault.KindInvalid:
		return p.associationForm(c, http.StatusUnprocessableEntity, all, views.AssociationForm{Value: file.Content, Error: refused.Message,
			Problems: ui.Problems{Title: c.Text().Failures.Correct, List: []ui.Problem{{Field: "content", Text: refused.Message}}}})
	case all.now.Content == file.Content: // the same form's first sending, or a colleague
		web.Tell(c, ui.Toast{Tone: ui.Info, Text: c.Text().Association.Same})
		return web.SeeOther(c, systemPath)
	}
	return p.associationReview(c, http.StatusConflict, all, file)
}

func (p *Portal) undoAssociation(c *web.Request) error {
	version, err := web.Number(c.Param("version"))
	if err != nil {
		return fault.Missing()
	}
	t, told := c.Text().Association, ui.Toast{Tone: ui.Success}
	err = p.Merchants.UndoAssociation(c.Ctx(), c.Actor(), version)
	switch {
	case fault.HasCode(err, "object_changed"):
		told = ui.Toast{Tone: ui.Warning, Text: t.NotUndone}
	case err != nil:
		return err
	}
	told.Text = cmp.Or(told.Text, t.Undone)
	web.Tell(c, told)
	return web.SeeOther(c, systemPath)
}
