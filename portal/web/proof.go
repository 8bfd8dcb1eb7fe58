package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/ui"
)

// provenByPasskey checks the proof of a form that a passkey made.
func (d *Desk) provenByPasskey(c *Request, visit identity.Session, form url.Values) error {
	return d.identity.ProveByPasskey(c.Ctx(), visit.Person, form.Get(proofFields+"challenge"),
		form.Get(proofFields+"passkey"))
}

const (
	// proofFields begins the names of the inputs by which a visitor verifies their identity.
	proofFields = "proof_"
)

// Fresh is around the handler of a route that takes a proof of who the visitor is, not older than ten minutes. Who
// opens a page is asked first and led back to it. Who sends a form is asked with the form kept: once they have
// proven it, the handler gets the form as it was typed.
func (d *Desk) Fresh(next Handler) Handler { return d.freshened(next, keptOf) }

// FreshSecret is fresh for a form with something in it that no page may show, such as an account number: nothing of
// it is kept. Once the visitor has proven who they are they are led to the form's own page, which is at the same
// address.
func (d *Desk) FreshSecret(next Handler) Handler { return d.freshened(next, nil) }

// freshened asks for a proof around a handler; what keeps the inputs of a form is nil where none may be kept.
func (d *Desk) freshened(next Handler, keep func(url.Values) []views.Hidden) Handler {
	return func(c *Request) error {
		visit, known, err := d.Visitor(c)
		if err != nil {
			return err
		}
		if known && visit.Fresh(d.Now()) {
			return next(c)
		}
		if c.Request().Method != http.MethodPost {
			return d.proofOf(c, visit, proofFor(c.Request().URL.RequestURI()), nil)
		}
		form, err := ReadForm(c)
		if err != nil {
			return err
		}
		if keep == nil {
			asked := proofFor(c.Request().URL.RequestURI())
			asked.Lost = true
			return d.proofOf(c, visit, asked, errNoProof)
		}
		asked := views.Proof{Action: LocalPath(c.Request().URL.RequestURI()), Back: pageBelow(c), Kept: keep(form)}
		if err := d.proven(c, visit, form); err != nil {
			return d.proofOf(c, visit, asked, err)
		}
		for name := range form {
			if strings.HasPrefix(name, proofFields) {
				delete(form, name)
			}
		}
		return next(c)
	}
}

// proofFor asks for a proof that leads on to an address. Who would rather not give one goes home, or back to the page
// that offers the file.
func proofFor(address string) views.Proof {
	address = LocalPath(address)
	out := views.Proof{Action: ProofPath, Back: Home, Kept: []views.Hidden{{Name: "return", Value: address}}}
	if page, file := Offering(address); file {
		out.Back = page
	}
	return out
}

// errNoProof says that a form came without a proof.
var errNoProof = fault.New(fault.KindUnauthenticated, "proof_missing", "Confirm your identity.")

// proven checks the proof in a form and gives the session another id. A form without one is errNoProof.
func (d *Desk) proven(c *Request, visit identity.Session, form url.Values) error {
	ctx := c.Ctx()
	proof := identity.Proof{Password: form.Get(proofFields + "password"), Code: form.Get(proofFields + "code")}
	switch {
	case form.Get(proofFields+"passkey") != "":
		if err := d.provenByPasskey(c, visit, form); err != nil {
			return err
		}
	case proof != identity.Proof{}:
		if err := d.identity.Prove(ctx, visit.Person, proof); err != nil {
			return err
		}
	default:
		return errNoProof
	}
	return d.Renew(c, true)
}

// keptOf are the inputs of a form, without its proof.
func keptOf(form url.Values) (out []views.Hidden) {
	for name, values := range form {
		for _, value := range values {
			if !strings.HasPrefix(name, proofFields) {
				out = append(out, views.Hidden{Name: name, Value: value})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b views.Hidden) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// pageBelow is the page that a form was sent from, as far as the browser tells; else the home page.
func pageBelow(c *Request) string {
	if _, fragment := FragmentOf(c.Request()); fragment {
		return pageOf(c.Request())
	}
	return Home
}

// proofOf asks for a proof: in the way that the visitor has, and with what was wrong with the last one.
func (d *Desk) proofOf(c *Request, visit identity.Session, view views.Proof, refused error) error {
	factors, err := d.identity.Factors(c.Ctx(), visit.ID)
	if err != nil {
		return err
	}
	view.Code, view.Recovery, view.Passkeys = factors.Any(), !factors.Authenticator, factors.Passkeys > 0
	status, t := http.StatusOK, c.Text()
	if f, ok := fault.As(refused); ok && (f.Kind == fault.KindUnauthenticated || f.Kind == fault.KindLimited) {
		status = StatusOf(f.Kind)
		if f.Code != errNoProof.Code {
			RetryAfter(c, f)
			view.Mistake = f.Message
			view.Problems = ui.Problems{Title: t.Proof.Wrong, List: []ui.Problem{{Text: f.Message}}}
		}
	} else if refused != nil {
		return refused
	}
	return Render(c, status, views.ProofPage(c.Page(t.Proof.Title), view))
}

func (d *Desk) showProof(c *Request) error {
	visit, _, err := d.Visitor(c)
	if err != nil {
		return err
	}
	return d.proofOf(c, visit, proofFor(c.QueryParam("return")), nil)
}

// prove takes a proof, and leads on to what it was asked for.
func (d *Desk) prove(c *Request) error {
	form, err := ReadForm(c)
	if err != nil {
		return err
	}
	visit, _, err := d.Visitor(c)
	if err != nil {
		return err
	}
	to := form.Get("return")
	if err := d.proven(c, visit, form); err != nil {
		return d.proofOf(c, visit, proofFor(to), err)
	}
	return ContinueTo(c, LocalPath(to)).Answer(c)
}

// FreshForm has a form taken only from a visitor who has just verified their identity, see [Desk.Fresh].
func (d *Desk) FreshForm(routes []Route) []Route {
	routes[1].Handler = d.Fresh(routes[1].Handler)
	return routes
}
