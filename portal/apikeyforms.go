package portal

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// showNewKey asks for the kind of a key first, then for what such a key has.
func (p *Portal) showNewKey(c *web.Request) error {
	kind := identity.KeyKind(c.QueryParam("kind"))
	if slices.Contains(identity.KeyKinds(), kind) {
		return p.newKeyForm(c, http.StatusOK, kind, url.Values{}, nil)
	}
	t := c.Text().Keys
	body := ui.Tasks([]ui.Task{
		{Icon: ui.IconServer, Text: t.Secret, Note: t.SecretText, Href: apiKeysPath + "/new?kind=secret"},
		{Icon: ui.IconLock, Text: t.Restricted, Note: t.RestrictedText, Href: apiKeysPath + "/new?kind=restricted"},
		{Icon: ui.IconCode, Text: t.Public, Note: t.PublicText, Href: apiKeysPath + "/new?kind=public"},
	})
	return web.Render(c, http.StatusOK, views.DialogPage(c.Page(t.New), ui.Dialog{Title: t.New, Text: t.NewText, Back: apiKeysPath}, body))
}

// newKeyForm shows the form with what was typed, and what was refused.
func (p *Portal) newKeyForm(c *web.Request, status int, kind identity.KeyKind, typed url.Values, refused error) error {
	t := c.Text()
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, nil)
	name := ui.Field{Name: "name", Label: t.Keys.Name, Hint: t.Keys.NameHint, Value: typed.Get("name"), Error: beside["name"], Required: true, Autocomplete: "off", MaxLength: "100", Focus: refused == nil}
	f := views.ToolForm{Action: apiKeysPath + "/new", Problems: above, Submit: ui.Button{Label: t.Keys.Make}, Dialog: ui.Dialog{Back: apiKeysPath},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}, {Key: "kind", Value: string(kind)}}, Parts: []templ.Component{name.View()}}
	if kind == identity.RestrictedKey {
		choice, err := p.merchantChoice(c, typed, beside["merchants"])
		if err != nil {
			return err
		}
		f.Parts = append(f.Parts, rightsForm(t, typed["rights"], beside["rights"]).View(),
			choice)
	}
	f.Parts = append(f.Parts, p.boundField(t, kind, typed, beside),
		ui.DateField(ui.Field{Name: "expires_at", Label: t.Keys.Expires, Hint: t.Keys.ExpiresHint, Value: typed.Get("expires_at"), Error: beside["expires_at"], Optional: true}).View())
	texts := map[identity.KeyKind]string{identity.SecretKey: t.Keys.SecretText, identity.RestrictedKey: t.Keys.RestrictedText, identity.PublicKey: t.Keys.PublicText}
	head := ui.Head{Title: t.Keys.New + ": " + strings.ToLower(kindOf(t, kind)), Text: texts[kind], Crumbs: toolCrumbs(t, t.Keys.Title, apiKeysPath)}
	return web.Render(c, status, views.ToolFormWhole(c.Page(head.Title), head, f))
}

// boundField asks from where a key may be used: pages of a public one, addresses of the others.
func (p *Portal) boundField(t *text.Catalogue, kind identity.KeyKind, typed url.Values, beside map[string]string) templ.Component {
	if kind != identity.PublicKey {
		return listField("allowed_ips", t.Keys.Addresses, t.Keys.AddressesHint, typed.Get("allowed_ips"), beside["allowed_ips"])
	}
	hint := t.Keys.OriginsHintLive
	if p.Sandbox {
		hint = t.Keys.OriginsHint
	}
	return listField("allowed_origins", t.Keys.Origins, hint, typed.Get("allowed_origins"), beside["allowed_origins"])
}

func listField(name, label, hint, typed, mistake string) templ.Component {
	return ui.Textarea{Field: ui.Field{Name: name, Label: label, Hint: hint, Value: typed, Error: mistake, Optional: true}, Rows: "2"}.View()
}

// rightsForm are all rights by resource, with those that were chosen.
func rightsForm(t *text.Catalogue, chosen []string, mistake string) views.KeyRights {
	out := views.KeyRights{Error: mistake}
	for _, r := range authz.Rights() {
		resource, action, _ := strings.Cut(string(r), ":")
		if n := len(out.Rows); n == 0 || out.Rows[n-1].Resource != resource {
			out.Rows = append(out.Rows, views.KeyRight{Resource: resource, Label: t.Keys.Resources[resource]})
		}
		row := &out.Rows[len(out.Rows)-1]
		label := t.Keys.Read
		if action == "write" {
			label = t.Keys.Write
		}
		row.Options = append(row.Options, ui.Option{Value: string(r), Label: label})
		if slices.Contains(chosen, string(r)) {
			row.Chosen = string(r)
		}
	}
	return out
}

// keyOf reads what a form says of a new key.
func keyOf(c *web.Request, form url.Values) (in identity.NewKey, err error) {
	var fs fault.Fields
	in = identity.NewKey{Kind: identity.KeyKind(form.Get("kind")), Name: strings.TrimSpace(form.Get("name")),
		AllowedIPs: lines(form.Get("allowed_ips")), AllowedOrigins: lines(form.Get("allowed_origins"))}
	for _, r := range form["rights"] {
		if r != "" {
			in.Rights = append(in.Rights, authz.Right(r))
		}
	}
	for _, words := range append(form["merchant"], lines(form.Get("merchants"))...) {
		id, err := web.Number(words)
		if err != nil {
			fs.Add("merchants", "parameter_invalid", c.Text().Keys.MerchantsWrong)
			break
		}
		in.Merchants = append(in.Merchants, id)
	}
	if words := form.Get("expires_at"); words != "" {
		day, err := time.ParseInLocation(time.DateOnly, words, c.Viewer().Zone)
		if err != nil {
			fs.Add("expires_at", "parameter_invalid", c.Text().Keys.DayWrong)
		}
		in.ExpiresAt = day.AddDate(0, 0, 1) // the day's end
	}
	return in, fs.Err()
}

func (p *Portal) makeKey(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	in, refused := keyOf(c, form)
	if !slices.Contains(identity.KeyKinds(), in.Kind) {
		return fault.Missing()
	}
	if in.Claim, err = web.Once(c, form); err != nil {
		return err
	}
	var made identity.IssuedKey
	if refused == nil {
		made, refused = p.Identity.CreateKey(c.Ctx(), c.Actor(), in)
	}
	if _, _, ok := web.Problems(c.Text(), refused, "", nil); ok {
		return p.newKeyForm(c, http.StatusUnprocessableEntity, in.Kind, form, refused)
	}
	if refused != nil {
		return refused
	}
	t := c.Text()
	return p.showIssued(c, made, t.Keys.MadeTitle, t.Keys.MadeSteps(), ui.Button{Label: t.Keys.SeeKey, Href: apiKeysPath + "/" + made.ID.String(), Variant: ui.Outline})
}

// showIssued shows the text of a key, this once.
func (p *Portal) showIssued(c *web.Request, k identity.IssuedKey, title string, steps []string, next ui.Button) error {
	t := c.Text()
	view := views.NewKeyText{Head: ui.Head{Title: title, Text: k.Name + ", " + strings.ToLower(kindOf(t, k.Kind)), Crumbs: toolCrumbs(t, t.Keys.Title, apiKeysPath)},
		Title: t.Keys.Once, Text: t.Keys.OnceText, Tone: ui.Warning, Key: k.Text, Steps: steps, Next: next}
	switch {
	case k.Kind == identity.PublicKey:
		view.Title, view.Text, view.Tone, view.Steps = t.Keys.PublicMade, t.Keys.PublicMadeText, ui.Info, t.Keys.PublicSteps()
	case k.Text == "":
		view.Title, view.Text = t.Keys.Before, t.Keys.BeforeText
	default:
		view.Try = fmt.Sprintf("curl %s/api/me -H 'X-API-Key: %s' -H 'X-App-ID: %d'", p.BaseURL, k.Text, k.ApplicationID)
	}
	return web.Render(c, http.StatusOK, views.NewKeyPage(c.Page(title), view))
}

func (p *Portal) showKeyEdit(c *web.Request) error {
	k, err := p.Identity.GetKey(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	return p.keyEditForm(c, http.StatusOK, k, typedKey(k), nil)
}

// typedKey is a key as its form has it.
func typedKey(k identity.Key) url.Values {
	return url.Values{"name": {k.Name}, "allowed_ips": {strings.Join(networks(k.AllowedIPs), "\n")}, "allowed_origins": {strings.Join(k.AllowedOrigins, "\n")}}
}

// keyEdits is where what is saved of a key and what was typed differ.
func keyEdits(t *text.Catalogue, k identity.Key, typed url.Values) (out []ui.Edit) {
	saved := typedKey(k)
	for _, l := range []struct{ name, label string }{{"name", t.Keys.Name}, {"allowed_ips", t.Keys.Addresses}, {"allowed_origins", t.Keys.Origins}} {
		old, now := strings.Join(lines(saved.Get(l.name)), ", "), strings.Join(lines(typed.Get(l.name)), ", ")
		if typed.Has(l.name) && old != now {
			out = append(out, ui.Edit{Field: l.label, Old: old, New: now})
		}
	}
	return out
}

func (p *Portal) keyEditForm(c *web.Request, status int, k identity.Key, typed url.Values, refused error) error {
	t, at := c.Text(), apiKeysPath+"/"+k.ID.String()
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, nil)
	f := views.ToolForm{Action: at + "/edit", Sharp: true, Problems: above, Hidden: []ui.Pair{{Key: "version", Value: strconv.Itoa(k.Version)}}, Submit: ui.Button{Label: t.Keys.Save},
		Dialog: ui.Dialog{Title: t.Keys.Edit + ": " + k.Name, Text: t.Keys.EditText, Back: at},
		Parts: []templ.Component{
			ui.Field{Name: "name", Label: t.Keys.Name, Value: typed.Get("name"), Error: beside["name"], Required: true, Autocomplete: "off", MaxLength: "100", Focus: refused == nil}.View(),
			p.boundField(t, k.Kind, typed, beside)}}
	if fault.HasCode(refused, "object_changed") {
		f.Theirs = keyEdits(t, k, typed)
	}
	return web.Render(c, status, views.ToolFormPage(c.Page(f.Dialog.Title), f))
}

func (p *Portal) editKey(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, a := c.Ctx(), c.Actor()
	k, err := p.Identity.GetKey(ctx, a, c.Param("id"))
	if err != nil {
		return err
	}
	name, bounds := strings.TrimSpace(form.Get("name")), []string(nil)
	in := identity.KeyChange{ID: k.ID, Name: &name}
	if v, err := strconv.Atoi(form.Get("version")); err == nil {
		in.IfVersion = &v
	}
	if k.Kind == identity.PublicKey {
		bounds, in.AllowedOrigins = lines(form.Get("allowed_origins")), &bounds
	} else {
		bounds, in.AllowedIPs = lines(form.Get("allowed_ips")), &bounds
	}
	_, err = p.Identity.UpdateKey(ctx, a, in)
	if _, _, ok := web.Problems(c.Text(), err, "", nil); ok {
		return p.keyEditForm(c, web.StatusOf(web.KindOf(err)), k, form, err)
	}
	return p.keyDone(c, err, c.Text().Keys.Saved)
}

// keyDone tells what became of a change and leads back to the key.
func (p *Portal) keyDone(c *web.Request, err error, words string) error {
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: words})
	return web.SeeOther(c, apiKeysPath+"/"+c.Param("id"))
}

func (p *Portal) showRoll(c *web.Request) error { return p.rollForm(c, http.StatusOK, nil) }

func (p *Portal) rollForm(c *web.Request, status int, refused error) error {
	k, err := p.Identity.GetKey(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	t, at := c.Text(), apiKeysPath+"/"+k.ID.String()
	above, beside, _ := web.Problems(c.Text(), refused, t.Failures.Correct, nil)
	overlaps := ui.Radios{Field: ui.Field{Name: "overlap", Label: t.Keys.Overlap, Value: string(identity.OverlapDay), Error: beside["overlap"], Required: true}}
	for _, o := range identity.Overlaps() {
		overlaps.Options = append(overlaps.Options, ui.Option{Value: string(o), Label: t.Keys.Overlaps[string(o)], Detail: t.Keys.OverlapTexts[string(o)]})
	}
	f := views.ToolForm{Action: at + "/roll", Problems: above, Submit: ui.Button{Label: t.Keys.RollButton}, Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Keys.RollTitle, Text: t.Keys.RollText, Back: at}, Parts: []templ.Component{overlaps.View()}}
	return web.Render(c, status, views.ToolFormPage(c.Page(t.Keys.RollTitle), f))
}

func (p *Portal) rollKey(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	id, err := ids.ParseKey(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	out, err := p.Identity.RollKey(c.Ctx(), c.Actor(), identity.RollInput{ID: id, Overlap: identity.Overlap(form.Get("overlap")), Claim: claim})
	if f := (*fault.Error)(nil); errors.As(err, &f) && (f.Kind == fault.KindInvalid || f.Kind == fault.KindConflict) {
		return p.rollForm(c, web.StatusOf(f.Kind), err)
	}
	if err != nil {
		return err
	}
	t := c.Text()
	return p.showIssued(c, out.New, t.Keys.NewKey, t.Keys.RollSteps(), ui.Button{Label: t.Keys.SeeBoth, Href: apiKeysPath + "/" + out.Old.ID.String()})
}

func (p *Portal) showRevoke(c *web.Request) error {
	k, err := p.keyPairOf(c)
	if err != nil {
		return err
	}
	t, at := c.Text(), apiKeysPath+"/"+k.ID.String()
	b := ui.Banner{Tone: ui.Info, Title: t.Keys.NotUsed}
	if slots, counted := k.used[k.ID]; !counted {
		b.Title = t.Keys.LastUsed + ": " + t.Keys.Never
		if k.LastUsedAt != nil {
			b.Title = t.Keys.LastUsed + ": " + c.Viewer().Time(k.LastUsedAt.Time)
		}
	} else if n := total(slots); n > 0 {
		b = ui.Banner{Tone: ui.Warning, Title: t.Keys.StillUsed(t.Keys.RequestCount(n))}
	}
	f := views.ToolForm{Action: at + "/revoke", Sharp: true, Submit: ui.Button{Label: t.Keys.RevokeButton, Variant: ui.Destructive}, Parts: []templ.Component{b.View()},
		Dialog: ui.Dialog{Title: t.Keys.RevokeTitle, Text: k.Name + " …" + k.Last4 + ". " + t.Keys.RevokeText, Back: at}}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(t.Keys.RevokeTitle), f))
}

func (p *Portal) revokeKey(c *web.Request) error {
	id, err := ids.ParseKey(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	_, err = p.Identity.RevokeKey(c.Ctx(), c.Actor(), id)
	return p.keyDone(c, err, c.Text().Keys.RevokedToast)
}
