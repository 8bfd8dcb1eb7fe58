package sandbox

import (
	"context"
	"slices"
	"strings"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Step is what a visit's pages ask for next.
type Step string

// The steps.
const (
	SignIn       Step = "sign_in"
	SecondFactor Step = "code"
	Consent      Step = "consent"
	Over         Step = "over" // back to anyone who sent the customer
)

// What customers of the sandbox know.
const (
	Password = "sandbox-bank"
	Code     = "135790"
)

// maxTries is how often a password or code may be wrong.
const maxTries = 3

// routing is the number of all banks of the sandbox.
const routing = "110000000"

// Persona is a customer of the sandbox's banks.
type Persona struct {
	Username    string
	What        string // happens to anyone who signs in so
	first, last string
	factor      bool
	locked      bool
	accounts    []bankAccount
}

type bankAccount struct{ key, name, kind, number string }

var (
	everyday = bankAccount{"everyday", "Everyday Checking", "checking", "000123456789"}
	rainyDay = bankAccount{"rainy-day", "Rainy Day Savings", "savings", "000123456789"}
	empty    = bankAccount{"empty", "Empty Checking", "checking", "000222222227"}
)

var personas = []Persona{
	{Username: "good@bank.example", What: "Two accounts that can be debited, and one without money", first: "Dana", last: "Reed", accounts: []bankAccount{everyday, rainyDay, empty}},
	{Username: "single@bank.example", What: "One account", first: "Sam", last: "Okafor", accounts: []bankAccount{everyday}},
	{Username: "code@bank.example", What: "Asks for a code, too", first: "Kim", last: "Vale", factor: true, accounts: []bankAccount{everyday, rainyDay}},
	{Username: "none@bank.example", What: "No account that can be debited", first: "Lee", last: "Park"},
	{Username: "locked@bank.example", What: "Is locked out", first: "Noa", last: "Berg", locked: true},
}

// Personas are who can sign in.
func Personas() []Persona { return slices.Clone(personas) }

func personaOf(username string) (Persona, bool) {
	i := slices.IndexFunc(personas,
		func(p Persona) bool { return strings.EqualFold(p.Username, strings.TrimSpace(username)) })
	if i < 0 {
		return Persona{}, false
	}
	return personas[i], true
}

// Look is what a visit's page shows.
type Look struct {
	ID       string
	Bank     string
	Step     Step
	State    institution.VisitState
	Return   string
	Accounts []institution.Account
}

// Look finds a visit for its page, or fault.Missing.
func (b *Banks) Look(ctx context.Context, id string) (Look, error) {
	v, err := b.visit(ctx, id)
	if err == institution.ErrNotFound {
		return Look{}, fault.Missing()
	}
	if err != nil {
		return Look{}, err
	}
	bank, err := b.Find(ctx, v.InstitutionID)
	out := Look{ID: v.ID, Bank: bank.Name, Step: v.Step, State: v.State, Return: v.ReturnAddress}
	for _, a := range v.persona().accounts {
		out.Accounts = append(out.Accounts,
			institution.Account{Key: a.key, Name: a.name, Type: a.kind, Last4: a.number[len(a.number)-4:]})
	}
	return out, err
}

// SignIn takes a customer's name and password. Fault: sign_in_wrong.
func (b *Banks) SignIn(ctx context.Context, id, username, password string) error {
	p, known := personaOf(username)
	switch {
	case !known || password != Password:
		return b.wrong(ctx, id, SignIn,
			fault.Invalid("sign_in_wrong", "Email address and password do not match. Check both and try again.").On("password"))
	case p.locked, len(p.accounts) == 0:
		return b.move(ctx, id, SignIn, Over, institution.VisitFailed, p.Username)
	case p.factor:
		return b.move(ctx, id, SignIn, SecondFactor, institution.VisitOpen, p.Username)
	}
	return b.move(ctx, id, SignIn, Consent, institution.VisitOpen, p.Username)
}

// Code takes the second factor. Fault: code_wrong.
func (b *Banks) Code(ctx context.Context, id, code string) error {
	v, err := b.visit(ctx, id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(code) != Code {
		wrong := fault.Invalid("code_wrong", "This is not the code that we sent. Try again.").On("code")
		return b.wrong(ctx, id, SecondFactor, wrong)
	}
	return b.move(ctx, id, SecondFactor, Consent, institution.VisitOpen, v.Username)
}

// Show lets anyone who sent the customer see the accounts.
func (b *Banks) Show(ctx context.Context, id string) error {
	v, err := b.visit(ctx, id)
	if err != nil {
		return err
	}
	return b.move(ctx, id, Consent, Over, institution.VisitShown, v.Username)
}

// Leave ends an open visit.
func (b *Banks) Leave(ctx context.Context, id string) error {
	_, err := pg.Exec(ctx, b.pool, `UPDATE sandbox_bank_visits SET state = 'canceled', step = 'over'
		WHERE id = @id AND state = 'open'`, pg.Args{"id": id})
	return err
}

// move leads an open visit from one step to the next; one that is elsewhere stays there.
func (b *Banks) move(ctx context.Context, id string, from, to Step, state institution.VisitState,
	username string) error {
	_, err := pg.Exec(ctx, b.pool, `
		UPDATE sandbox_bank_visits SET step = @to, state = @state, username = @username, tries = 0
		WHERE id = @id AND step = @from AND state = 'open' AND created_at > @since`,
		pg.Args{"id": id, "from": from, "to": to, "state": state, "username": username,
			"since": b.machine().Add(-visitLife)})
	return err
}

// wrong counts a wrong answer, after some of which the visit has failed.
func (b *Banks) wrong(ctx context.Context, id string, step Step, refusal *fault.Error) error {
	n, err := pg.Exec(ctx, b.pool, `
		UPDATE sandbox_bank_visits SET tries = tries + 1, state = CASE WHEN tries + 1 >= @most THEN 'failed'
			ELSE state END,
			step = CASE WHEN tries + 1 >= @most THEN 'over' ELSE step END
		WHERE id = @id AND step = @step AND state = 'open'`, pg.Args{"id": id, "most": maxTries, "step": step})
	if err != nil || n == 0 {
		return err
	}
	v, err := b.visit(ctx, id)
	if err != nil || v.Step == Over {
		return err
	}
	return refusal
}

// Purge forgets a batch of visits that are long over, and says how many those were.
func (b *Banks) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, b.pool, `
		DELETE FROM sandbox_bank_visits WHERE id IN (SELECT id FROM sandbox_bank_visits WHERE created_at <= @before
			LIMIT @batch)`,
		pg.Args{"before": b.machine().Add(-24 * visitLife), "batch": pg.PurgeBatch})
}
