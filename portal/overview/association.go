package overview

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
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
	installPath   = web.AssociationPath + "/install"
	uninstallPath = web.AssociationPath + "/undo"
)

// maxMember is how much is shown of a member of the association file, in characters: its signature is long.
const maxMember = 80

// associations are the association file that is installed, the zero file if there is none, those before it, and what it
// is needed for.
type associations struct {
	now    merchant.AssociationFile
	former []merchant.AssociationFile
	served merchant.Served
}

func (p *Pages) associations(c *web.Request) (out associations, err error) {
	out.now, err = p.Merchants.Association(c.Ctx())
	if err != nil && !fault.HasCode(err, "resource_missing") {
		return out, err
	}
	out.former, out.served, err = p.Merchants.FormerAssociations(c.Ctx(), c.Actor())
	return out, err
}

// showAssociation asks for a file, or reviews a former one that the address names.
func showAssociation(c *web.Request, all associations) error {
	for _, f := range all.former {
		if strconv.FormatInt(f.Version, 10) == c.QueryParam("restore") {
			return associationReview(c, http.StatusOK, all, f)
		}
	}
	return drawAssociation(c, all, web.Input{Status: http.StatusOK})
}

// associationForm takes a file, and shows what it would replace, and for whom. It changes nothing.
func (p *Pages) associationForm() web.Form[associations] {
	return web.Form[associations]{Load: p.associations, Draw: drawAssociation,
		Do: func(c *web.Request, all associations, in web.Input) (web.Done, error) {
			file := merchant.AssociationFile{Content: in.Get("content")}
			err := file.Check()
			if err == nil && file.Content == all.now.Content {
				err = fault.Invalid("file_invalid", c.Text().Association.Same).On("content")
			}
			return web.Done{Page: func(*web.Request) error { return associationReview(c, http.StatusOK, all, file) }},
				err
		}}
}

func drawAssociation(c *web.Request, all associations, in web.Input) error {
	f := views.AssociationForm{Value: in.Get("content"), Problems: in.Problems, Error: in.Errors["content"],
		Action: web.AssociationPath, Back: web.SystemPath}
	for _, old := range all.former {
		version := strconv.FormatInt(old.Version, 10)
		f.Former = append(f.Former,
			views.AssociationVersion{Version: version, At: old.InstalledAt.Time, Bytes: int64(len(old.Content)),
				Fingerprint: old.Fingerprint(), Restore: web.AssociationPath + "?restore=" + version})
	}
	return web.Render(c, in.Status, views.AssociationPage(c.Page(c.Text().System.Install), f))
}

func associationReview(c *web.Request, status int, all associations, file merchant.AssociationFile) error {
	t := c.Text().Association
	view := views.AssociationReview{Action: installPath, Back: web.SystemPath, Again: web.AssociationPath,
		Content: file.Content, Over: strconv.FormatInt(all.now.Version, 10), First: all.now.Version == 0,
		Changed: status == http.StatusConflict, Edits: associationEdits(t, all.now, file)}
	if all.served.Domains > 0 {
		view.Warning = ui.Banner{Tone: ui.Warning, Title: t.Affected(all.served.Domains, all.served.Merchants),
			Text: t.AffectedText}
	} else {
		view.Warning = ui.Banner{Tone: ui.Info, Title: t.NoneAffected}
	}
	return web.Render(c, status, views.AssociationReviewPage(c.Page(t.Review), view))
}

// associationEdits are the members of the file that differ, as people can read them, and its size and fingerprint,
// which do.
func associationEdits(t text.Association, was, is merchant.AssociationFile) (out []ui.Edit) {
	old, next := was.Decoded(), is.Decoded()
	names := slices.Compact(
		slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(next)))))
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
	letters := []rune(web.Said(value))
	if len(letters) <= maxMember {
		return string(letters)
	}
	return string(letters[:maxMember]) + "…"
}

func (p *Pages) installAssociation(c *web.Request, form url.Values) (done web.Done, err error) {
	file := merchant.AssociationFile{Content: form.Get("content")}
	over, err := strconv.ParseInt(form.Get("over"), 10, 64)
	if err != nil {
		return done, web.ErrOnce
	}
	made, err := p.Merchants.InstallAssociation(c.Ctx(), c.Actor(), []byte(file.Content), &over)
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindChanged || f.Kind == fault.KindInvalid) {
		return p.associationAgain(c, f, file)
	}
	done, err = web.Saved(web.SystemPath, c.Text().Association.Done, err)
	if made.Version > 1 {
		done.Toast.Undo = uninstallPath + "/" + strconv.FormatInt(made.Version, 10)
	}
	return done, err
}

// associationAgain shows a file that was not installed: again against the one that was installed since, unless it is
// that.
func (p *Pages) associationAgain(c *web.Request, refused *fault.Error, file merchant.AssociationFile) (done web.Done,
	err error) {
	all, err := p.associations(c)
	switch {
	case refused.Kind == fault.KindInvalid:
		above := ui.Problems{Title: c.Text().Failures.Correct,
			List: []ui.Problem{{Field: "content", Text: refused.Message}}}
		in := web.Input{Values: url.Values{"content": {file.Content}}, Status: http.StatusUnprocessableEntity,
			Problems: above,
			Errors:   map[string]string{"content": refused.Message}}
		done.Page = func(*web.Request) error { return drawAssociation(c, all, in) }
	case all.now.Content == file.Content: // the same form's first sending, or a colleague
		done = web.Done{To: web.SystemPath, Toast: ui.Toast{Tone: ui.Info, Text: c.Text().Association.Same}}
	default:
		done.Page = func(*web.Request) error { return associationReview(c, http.StatusConflict, all, file) }
	}
	return done, err
}

func (p *Pages) undoAssociation(c *web.Request, _ url.Values) (done web.Done, err error) {
	version, err := web.Number(c.Param("version"))
	if err != nil {
		return done, fault.Missing()
	}
	t := c.Text().Association
	err = p.Merchants.UndoAssociation(c.Ctx(), c.Actor(), version)
	if fault.HasCode(err, "object_changed") {
		return web.Done{To: web.SystemPath, Toast: ui.Toast{Tone: ui.Warning, Text: t.NotUndone}}, nil
	}
	return web.Saved(web.SystemPath, t.Undone, err)
}
