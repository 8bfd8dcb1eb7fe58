package developers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// newKeyForm makes a key of the kind that the address or the form names; without one, it asks for the kind first.
func (p *Pages) newKeyForm() web.Form[apikey.Kind] {
	return web.Form[apikey.Kind]{Do: p.makeKey, Once: true, Status: http.StatusUnprocessableEntity,
		Load: func(c *web.Request) (apikey.Kind, error) {
			kind := apikey.Kind(c.FormValue("kind"))
			if c.Request().Method == http.MethodPost && !slices.Contains(apikey.Kinds(), kind) {
				return kind, fault.Missing()
			}
			return kind, nil
		},
		Draw: func(c *web.Request, kind apikey.Kind, in web.Input) error {
			if !slices.Contains(apikey.Kinds(), kind) {
				return showKinds(c)
			}
			return p.drawNewKey(c, kind, in)
		}}
}

func showKinds(c *web.Request) error {
	t := c.Text().Keys
	body := ui.Tasks([]ui.Task{
		{Icon: ui.IconServer, Text: t.Secret, Note: t.SecretText, Href: web.APIKeysPath + "/new?kind=secret"},
		{Icon: ui.IconLock, Text: t.Restricted, Note: t.RestrictedText, Href: web.APIKeysPath + "/new?kind=restricted"},
		{Icon: ui.IconCode, Text: t.Public, Note: t.PublicText, Href: web.APIKeysPath + "/new?kind=public"},
	})
	return web.Render(c, http.StatusOK,
		views.DialogPage(c.Page(t.New), ui.Dialog{Title: t.New, Text: t.NewText, Back: web.APIKeysPath}, body))
}

// drawNewKey shows the form with what was typed, and what was refused.
func (p *Pages) drawNewKey(c *web.Request, kind apikey.Kind, in web.Input) error {
	t, typed, beside := c.Text(), in.Values, in.Errors
	name := ui.Field{Name: "name", Label: t.Keys.Name, Hint: t.Keys.NameHint, Value: typed.Get("name"),
		Error: beside["name"], Required: true, Autocomplete: "off", MaxLength: "100", Focus: in.Refused == nil}
	f := views.ToolForm{Action: web.APIKeysPath + "/new", Problems: in.Problems, Submit: ui.Button{Label: t.Keys.Make},
		Dialog: ui.Dialog{Back: web.APIKeysPath},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}, {Key: "kind", Value: string(kind)}},
		Parts:  []templ.Component{name.View()}}
	if kind == apikey.Restricted {
		choice, err := p.merchantChoice(c, typed, beside["merchants"])
		if err != nil {
			return err
		}
		f.Parts = append(f.Parts, rightsForm(t, typed["rights"], beside["rights"]).View(),
			choice)
	}
	f.Parts = append(append(f.Parts, p.boundFields(t, kind, typed, beside)...),
		ui.DateField(ui.Field{Name: "expires_at", Label: t.Keys.Expires, Hint: t.Keys.ExpiresHint,
			Value: typed.Get("expires_at"), Error: beside["expires_at"], Optional: true}).View())
	texts := map[apikey.Kind]string{apikey.Secret: t.Keys.SecretText, apikey.Restricted: t.Keys.RestrictedText,
		apikey.Public: t.Keys.PublicText}
	head := ui.Head{Title: t.Keys.New + ": " + strings.ToLower(kindOf(t, kind)), Text: texts[kind],
		Crumbs: toolCrumbs(t, t.Keys.Title, web.APIKeysPath)}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(head.Title), head, f))
}

// boundFields ask from where a key may be used: pages of a public one, addresses of the others.
func (p *Pages) boundFields(t *text.Catalogue, kind apikey.Kind, typed url.Values,
	beside map[string]string) []templ.Component {
	if kind != apikey.Public {
		return []templ.Component{listField("allowed_ips", t.Keys.Addresses, t.Keys.AddressesHint,
			typed.Get("allowed_ips"), beside["allowed_ips"])}
	}
	hint := t.Keys.OriginsHintLive
	if p.Sandbox {
		hint = t.Keys.OriginsHint
	}
	domains := ui.Checkbox{Field: ui.Field{Name: "merchant_domains", Label: t.Keys.MerchantDomains,
		Hint: t.Keys.MerchantDomainsHint, Value: "true", Error: beside["merchant_domains"]},
		Checked: typed.Get("merchant_domains") != ""}
	embed := ui.Checkbox{Field: ui.Field{Name: "any_ancestor", Label: t.Keys.AnyAncestor, Hint: t.Keys.AnyAncestorHint,
		Value: "true", Error: beside["any_ancestor"]}, Checked: typed.Get("any_ancestor") != ""}
	return []templ.Component{listField("allowed_origins", t.Keys.Origins, hint, typed.Get("allowed_origins"),
		beside["allowed_origins"]), domains.View(), embed.View()}
}

func listField(name, label, hint, typed, mistake string) templ.Component {
	return ui.Textarea{
		Field: ui.Field{Name: name, Label: label, Hint: hint, Value: typed, Error: mistake, Optional: true},
		Rows:  "2"}.View()
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
func keyOf(c *web.Request, form url.Values) (in apikey.CreateInput, err error) {
	var fs fault.Fields
	in = apikey.CreateInput{Kind: apikey.Kind(form.Get("kind")), Name: strings.TrimSpace(form.Get("name")),
		AllowedIPs: lines(form.Get("allowed_ips")), AllowedOrigins: lines(form.Get("allowed_origins")),
		MerchantDomains: form.Get("merchant_domains") != "", AnyAncestor: form.Get("any_ancestor") != ""}
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

func (p *Pages) makeKey(c *web.Request, _ apikey.Kind, in web.Input) (done web.Done, err error) {
	create, err := keyOf(c, in.Values)
	if err != nil {
		return done, err
	}
	create.Claim = in.Claim
	made, err := p.APIKeys.Create(c.Ctx(), c.Actor(), create)
	done.Page = func(*web.Request) error {
		t := c.Text().Keys
		return p.showIssued(c, made, t.MadeTitle, t.MadeSteps(),
			ui.Button{Label: t.SeeKey, Href: web.APIKeysPath + "/" + made.ID.String(), Variant: ui.Outline})
	}
	return done, err
}

// showIssued shows the text of a key, this once.
func (p *Pages) showIssued(c *web.Request, k apikey.Issued, title string, steps []string, next ui.Button) error {
	t := c.Text()
	view := views.NewKeyText{
		Head: ui.Head{Title: title, Text: k.Name + ", " + strings.ToLower(kindOf(t, k.Kind)),
			Crumbs: toolCrumbs(t, t.Keys.Title, web.APIKeysPath)},
		Title: t.Keys.Once, Text: t.Keys.OnceText, Tone: ui.Warning, Key: k.Text, Steps: steps, Next: next}
	switch {
	case k.Kind == apikey.Public:
		view.Title, view.Text, view.Tone, view.Steps = t.Keys.PublicMade, t.Keys.PublicMadeText, ui.Info,
			t.Keys.PublicSteps()
	case k.Text == "":
		view.Title, view.Text = t.Keys.Before, t.Keys.BeforeText
	default:
		view.Try = fmt.Sprintf("curl %s/api/me -H 'X-API-Key: %s' -H 'X-App-ID: %d'", p.BaseURL, k.Text,
			k.ApplicationID)
	}
	return web.Render(c, http.StatusOK, views.NewKeyPage(c.Page(title), view))
}

// key reads the key that the address names.
func (p *Pages) key(c *web.Request) (apikey.Key, error) {
	return p.APIKeys.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Pages) keyForm() web.Form[apikey.Key] {
	return web.Form[apikey.Key]{Load: p.key, Draw: p.drawKeyForm, Do: p.editKey,
		Fill: func(_ *web.Request, k apikey.Key) (url.Values, error) { return typedKey(k), nil }}
}

// typedKey is a key as its form has it.
func typedKey(k apikey.Key) url.Values {
	out := url.Values{"name": {k.Name}, "allowed_ips": {strings.Join(networks(k.AllowedIPs), "\n")},
		"allowed_origins": {strings.Join(k.AllowedOrigins, "\n")}}
	if k.MerchantDomains {
		out.Set("merchant_domains", "true")
	}
	if k.AnyAncestor {
		out.Set("any_ancestor", "true")
	}
	return out
}

// keyEdits is where what is saved of a key and what was typed differ.
func keyEdits(t *text.Catalogue, k apikey.Key, typed url.Values) (out []ui.Edit) {
	saved := typedKey(k)
	for _, l := range []struct{ name, label string }{{"name", t.Keys.Name}, {"allowed_ips", t.Keys.Addresses},
		{"allowed_origins", t.Keys.Origins}} {
		old, now := strings.Join(lines(saved.Get(l.name)), ", "), strings.Join(lines(typed.Get(l.name)), ", ")
		if typed.Has(l.name) && old != now {
			out = append(out, ui.Edit{Field: l.label, Old: old, New: now})
		}
	}
	if now := typed.Get("merchant_domains") != ""; k.Kind == apikey.Public && now != k.MerchantDomains {
		names := map[bool]string{false: t.Keys.OriginsOnly, true: t.Keys.DomainPages}
		out = append(out, ui.Edit{Field: t.Keys.AlsoOn, Old: names[k.MerchantDomains], New: names[now]})
	}
	if now := typed.Get("any_ancestor") != ""; k.Kind == apikey.Public && now != k.AnyAncestor {
		out = append(out, ui.Edit{Field: t.Keys.Embedding, Old: embeddingOf(t, k.AnyAncestor),
			New: embeddingOf(t, now)})
	}
	return out
}

// embeddingOf says which sites may embed the pages that use a public key.
func embeddingOf(t *text.Catalogue, anyone bool) string {
	if anyone {
		return t.Keys.AnySite
	}
	return t.Keys.OriginsOnly
}

func (p *Pages) drawKeyForm(c *web.Request, k apikey.Key, in web.Input) error {
	t, at := c.Text(), web.APIKeysPath+"/"+k.ID.String()
	name := ui.Field{Name: "name", Label: t.Keys.Name, Value: in.Get("name"), Error: in.Errors["name"], Required: true,
		Autocomplete: "off",
		MaxLength:    "100", Focus: in.Refused == nil}
	f := views.ToolForm{Action: at + "/edit", Sharp: true, Problems: in.Problems, Submit: ui.Button{Label: t.Keys.Save},
		Hidden: []ui.Pair{{Key: web.VersionField, Value: in.Version(k.Version)}},
		Parts:  append([]templ.Component{name.View()}, p.boundFields(t, k.Kind, in.Values, in.Errors)...),
		Dialog: ui.Dialog{Title: t.Keys.Edit + ": " + k.Name, Text: t.Keys.EditText, Back: at}}
	if in.Changed() {
		f.Theirs, f.Conflict = keyEdits(t, k, in.Values), t.Keys.Conflict
	}
	return web.Render(c, in.Status, views.ToolFormPage(c.Page(f.Dialog.Title), f))
}

func (p *Pages) editKey(c *web.Request, k apikey.Key, in web.Input) (web.Done, error) {
	name, bounds := strings.TrimSpace(in.Get("name")), []string(nil)
	change := apikey.UpdateInput{ID: k.ID, Name: &name, IfVersion: in.IfVersion()}
	if k.Kind == apikey.Public {
		domains, anyone := in.Get("merchant_domains") != "", in.Get("any_ancestor") != ""
		bounds, change.AllowedOrigins = lines(in.Get("allowed_origins")), &bounds
		change.MerchantDomains, change.AnyAncestor = &domains, &anyone
	} else {
		bounds, change.AllowedIPs = lines(in.Get("allowed_ips")), &bounds
	}
	_, err := p.APIKeys.Update(c.Ctx(), c.Actor(), change)
	return web.Saved(web.APIKeysPath+"/"+c.ID(), c.Text().Keys.Saved, err)
}

// rollForm replaces a key by a new one, while the old one works for some time.
func (p *Pages) rollForm() web.Form[apikey.Key] {
	return web.Form[apikey.Key]{Load: p.key, Draw: drawRoll, Once: true,
		Do: func(c *web.Request, k apikey.Key, in web.Input) (done web.Done, err error) {
			out, err := p.APIKeys.Roll(c.Ctx(), c.Actor(),
				apikey.RollInput{ID: k.ID, Overlap: apikey.Overlap(in.Get("overlap")), Claim: in.Claim})
			done.Page = func(*web.Request) error {
				t := c.Text().Keys
				return p.showIssued(c, out.New, t.NewKey, t.RollSteps(),
					ui.Button{Label: t.SeeBoth, Href: web.APIKeysPath + "/" + out.Old.ID.String()})
			}
			return done, err
		}}
}

func drawRoll(c *web.Request, k apikey.Key, in web.Input) error {
	t, at := c.Text(), web.APIKeysPath+"/"+k.ID.String()
	overlaps := ui.Radios{Field: ui.Field{Name: "overlap", Label: t.Keys.Overlap, Value: string(apikey.OverlapDay),
		Error: in.Errors["overlap"], Required: true}}
	for _, o := range apikey.Overlaps() {
		overlaps.Options = append(overlaps.Options,
			ui.Option{Value: string(o), Label: t.Keys.Overlaps[string(o)], Detail: t.Keys.OverlapTexts[string(o)]})
	}
	f := views.ToolForm{Action: at + "/roll", Problems: in.Problems, Submit: ui.Button{Label: t.Keys.RollButton},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Keys.RollTitle, Text: t.Keys.RollText, Back: at},
		Parts:  []templ.Component{overlaps.View()}}
	return web.Render(c, in.Status, views.ToolFormPage(c.Page(t.Keys.RollTitle), f))
}

func showRevoke(c *web.Request, k keyPair) error {
	t, at := c.Text(), web.APIKeysPath+"/"+k.ID.String()
	b := ui.Banner{Tone: ui.Info, Title: t.Keys.NotUsed}
	if slots, counted := k.used[k.ID]; !counted {
		b.Title = t.Keys.LastUsed + ": " + t.Keys.Never
		if k.LastUsedAt != nil {
			b.Title = t.Keys.LastUsed + ": " + c.Viewer().Time(k.LastUsedAt.Time)
		}
	} else if n := total(slots); n > 0 {
		b = ui.Banner{Tone: ui.Warning, Title: t.Keys.StillUsed(t.Keys.RequestCount(n))}
	}
	f := views.ToolForm{Action: at + "/revoke", Sharp: true,
		Submit: ui.Button{Label: t.Keys.RevokeButton, Variant: ui.Destructive}, Parts: []templ.Component{b.View()},
		Dialog: ui.Dialog{Title: t.Keys.RevokeTitle, Text: k.Name + " …" + k.Last4 + ". " + t.Keys.RevokeText,
			Back: at}}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(t.Keys.RevokeTitle), f))
}

func (p *Pages) revokeKey(c *web.Request, _ url.Values) (done web.Done, err error) {
	id, err := ids.ParseKey(c.ID())
	if err != nil {
		return done, fault.Missing()
	}
	_, err = p.APIKeys.Revoke(c.Ctx(), c.Actor(), id)
	return web.Saved(web.APIKeysPath+"/"+c.ID(), c.Text().Keys.RevokedToast, err)
}

// mostOffered is how many merchants a form offers by name; the ids of further ones are typed.
const mostOffered = 200

// merchantChoice offers the merchants that a restricted key may be held to, by name.
func (p *Pages) merchantChoice(c *web.Request, typed url.Values, mistake string) (templ.Component, error) {
	all, err := p.Merchants.List(c.Ctx(), c.Actor(),
		merchant.ListInput{Page: page.Input[int64]{Limit: mostOffered, Ascending: true}})
	if err != nil {
		return nil, err
	}
	v := views.KeyMerchants{Chosen: typed["merchant"], Error: mistake, Others: typed.Get("merchants"),
		More: all.HasMore || typed.Get("merchants") != ""}
	for _, m := range all.Items {
		v.Options = append(v.Options, ui.Option{Value: web.Whole(m.ID), Label: m.Name, Detail: web.Whole(m.ID)})
	}
	return v.View(), nil
}

// merchantsOf names the merchants that a key is held to; one that is not to be seen goes by its id.
func (p *Pages) merchantsOf(c *web.Request, held []int64) (string, error) {
	known, err := p.Merchants.SummariesOf(c.Ctx(), c.Actor(), held)
	if err != nil {
		return "", err
	}
	names := make([]string, len(held))
	for i, id := range held {
		names[i] = strconv.FormatInt(id, 10)
		if m, ok := known[id]; ok {
			names[i] = m.Name + " (" + names[i] + ")"
		}
	}
	return strings.Join(names, ", "), nil
}
