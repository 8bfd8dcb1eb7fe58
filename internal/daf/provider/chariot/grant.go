package chariot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// The decline codes of grants.
const (
	noVisit     = "session_not_authorized"
	otherAmount = "amount_not_authorized"
	usedAlready = "session_already_used"
	tooLate     = "authorization_expired"
	refused     = "generic_decline"
)

// Pauses between requests about a grant that Chariot is processing.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// callsEnd is when, after a grant was claimed, the call that claimed it has ended.
const callsEnd = 2 * provider.CallTimeout

// maxNote is how long the note of a grant may be, in characters: Chariot cuts longer ones.
const maxNote = 400

// submission is a grant that was claimed, and what it needs of its visit.
type submission struct {
	Reference    string           `db:"reference"`
	Amount       money.Amount     `db:"amount"`
	Answer       *provider.Answer `db:"answer"`
	Session      *string          `db:"session"` // nil of a visit that is not authorized
	ConnectID    string           `db:"connect_id"`
	Donor        provider.Donor   `db:"donor"`
	AuthorizedAt *time.Time       `db:"authorized_at"`
	CreatedAt    time.Time        `db:"created_at"`
}

const selectSubmission = `
	SELECT g.reference, g.amount, g.answer, g.created_at, v.session, coalesce(v.connect_id, '') AS connect_id,
		coalesce(v.donor, '{}') AS donor, v.authorized_at
	FROM chariot_grants g LEFT JOIN chariot_visits v ON v.id = g.visit_id WHERE g.reference = @reference`

// Grant implements [provider.Provider]. A visit gives one grant, of the amount that was authorized. The claim is
// committed before Chariot is asked. The same reference again has the first answer, or repeats the request.
func (p *Provider) Grant(ctx context.Context, g provider.Grant) (provider.Answer, error) {
	var s submission
	err := pg.InTx(ctx, p.config.Pool, func(tx *pg.Tx) (err error) {
		s, err = p.claimTx(ctx, tx, g)
		return err
	})
	switch {
	case err != nil:
		return provider.Answer{}, wrapped(err)
	case s.Answer != nil:
		return *s.Answer, nil
	}
	return p.submit(ctx, s)
}

func (p *Provider) claimTx(ctx context.Context, tx *pg.Tx, g provider.Grant) (s submission, err error) {
	v, err := pg.One[visit](ctx, tx, `SELECT `+visitColumns+` FROM chariot_visits WHERE id = @id FOR UPDATE`,
		pg.Args{"id": g.VisitID})
	if err != nil && !errors.Is(err, pg.ErrNone) {
		return s, err
	}
	// The visit's lock makes claims of one visit wait for each other, whatever their references.
	before, err := pg.All[submission](ctx, tx, selectSubmission, pg.Args{"reference": g.Reference})
	if err != nil || len(before) > 0 {
		return append(before, s)[0], err
	}
	used, err := pg.Value[bool](ctx, tx, `
		SELECT EXISTS (SELECT FROM chariot_grants WHERE visit_id = @id
			AND (answer IS NULL OR answer->>'approved' = 'true'))`, pg.Args{"id": g.VisitID})
	if err != nil {
		return s, err
	}
	s = submission{Reference: g.Reference, Amount: g.Amount, Session: v.Session, ConnectID: v.ConnectID,
		Donor: v.Donor, AuthorizedAt: v.AuthorizedAt, CreatedAt: p.config.Now()}
	code := ""
	switch {
	case v.State != provider.VisitAuthorized:
		code = noVisit
	case used:
		code = usedAlready
	case g.Amount != v.Amount:
		code = otherAmount
	}
	if code != "" {
		s.Answer = &provider.Answer{DeclineCode: code}
	}
	tx.Later(
		`
		INSERT INTO chariot_grants (reference, visit_id, amount, answer, created_at) VALUES (@reference, @visit_id,
			@amount, @answer, @now)`,
		pg.Args{"reference": g.Reference, "visit_id": g.VisitID, "amount": g.Amount, "answer": s.Answer,
			"now": p.config.Now()})
	return s, nil
}

// donor is the donor of a new grant.
type donor struct {
	FirstName string `json:"firstName,omitempty"`
	LastName  string `json:"lastName,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
}

// newGrant asks for the grant of a session.
type newGrant struct {
	Session string       `json:"workflowSessionId"`
	Amount  money.Amount `json:"amount"`
	Donor   *donor       `json:"donor,omitempty"`
	Note    string       `json:"note,omitempty"`
}

func (s submission) request() newGrant {
	r := newGrant{Session: *s.Session, Amount: s.Amount, Note: NoteOf(s.Donor)}
	if d := s.Donor; !d.Anonymous && d.FirstName+d.LastName+d.Email+d.Phone != "" {
		r.Donor = &donor{d.FirstName, d.LastName, d.Email, d.Phone}
	}
	return r
}

// NoteOf is a donor's note, as much of it as Chariot takes.
func NoteOf(d provider.Donor) string {
	note := []rune(d.Note)
	return string(note[:min(len(note), maxNote)])
}

// submit asks Chariot for a grant, until it answers with an outcome. An error means that the outcome is unknown.
func (p *Provider) submit(ctx context.Context, s submission) (provider.Answer, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		attempts, err := pg.Value[int](ctx, p.config.Pool, `
			UPDATE chariot_grants SET attempts = attempts + 1 WHERE reference = @reference RETURNING attempts`,
			pg.Args{"reference": s.Reference})
		if err != nil {
			return provider.Answer{}, wrapped(err)
		}
		var g grant
		status, err := p.post(ctx, "/v1/grants", s.request(), &g)
		switch {
		case err == nil && attempts == 1 && status == http.StatusOK && g.differs(s):
			return p.spent(ctx, s, g)
		case err == nil:
			return p.granted(ctx, s, g)
		case hasStatus(err, http.StatusConflict): // it is being processed
			select {
			case <-ctx.Done():
				return provider.Answer{}, errors.Join(err, ctx.Err())
			case <-time.After(pause):
				continue
			}
		case !hasStatus(err, http.StatusBadRequest, http.StatusGone):
			return provider.Answer{}, err
		case attempts > 1: // an earlier request may have been taken
			if found, searched := p.search(ctx, s); !errors.Is(searched, provider.ErrNotFound) {
				return found, searched
			}
			if p.config.Now().Sub(s.CreatedAt) < callsEnd { // or it may still be on its way
				return provider.Answer{}, err
			}
		}
		answer := provider.Answer{DeclineCode: refused}
		if hasStatus(err, http.StatusGone) {
			answer.DeclineCode = tooLate
		}
		return p.answered(ctx, s, answer, grant{})
	}
}

// errOtherGrant is of a session whose grant is not the one that we asked for.
var errOtherGrant = errors.New("chariot: the session has a grant that differs from ours")

// differs reports whether a grant is of a submission's session, but of another amount.
func (g grant) differs(s submission) bool {
	return g.readable() && g.Session == *s.Session && g.Amount != s.Amount
}

// spent is the decline of a submission whose session another client has used for a grant: it can't become ours. The
// reconciliation reports that grant.
func (p *Provider) spent(ctx context.Context, s submission, g grant) (provider.Answer, error) {
	slog.ErrorContext(ctx, "a session of ours has a grant of another amount", "reference", s.Reference,
		"grant", plain(g.ID, 40))
	return p.answered(ctx, s, provider.Answer{DeclineCode: usedAlready}, grant{})
}

// granted reads the grant of a submission. While Chariot takes requests of its session, what happened is unknown if the
// grant has another amount.
func (p *Provider) granted(ctx context.Context, s submission, g grant) (provider.Answer, error) {
	switch {
	case !g.readable():
		return provider.Answer{}, errors.New("chariot: the grant cannot be read")
	case g.Session != *s.Session || g.Amount != s.Amount:
		return provider.Answer{}, fmt.Errorf("%w (%s)", errOtherGrant, plain(g.ID, 40))
	}
	return p.answered(ctx, s, provider.Answer{Approved: true, TrackingID: g.TrackingID, ProviderFee: g.providerFee()},
		g)
}

// answered stores the answer of a submission. An approval is stored in any case, a decline only if there is no answer.
func (p *Provider) answered(ctx context.Context, s submission, a provider.Answer, g grant) (provider.Answer, error) {
	stored, err := pg.Value[provider.Answer](ctx, p.config.Pool, `
		UPDATE chariot_grants SET answer = CASE WHEN answer IS NULL OR @approved THEN @answer ELSE answer END,
			grant_id = coalesce(nullif(@grant::text, ''), grant_id), provider_fee = coalesce(nullif(@fee::bigint, 0),
				provider_fee)
		WHERE reference = @reference RETURNING answer`,
		pg.Args{"reference": s.Reference, "answer": a, "approved": a.Approved, "grant": g.ID, "fee": g.providerFee()})
	return stored, wrapped(err)
}

// Lookup implements [provider.Provider]. While Chariot still takes the session's grant, it repeats the request, which
// may also be the first one that arrives. After that it looks for the session among the connect's grants: nothing is
// submitted any more, so a reference that is not found then has no grant.
func (p *Provider) Lookup(ctx context.Context, reference string) (provider.Answer, error) {
	s, err := pg.One[submission](ctx, p.config.Pool, selectSubmission, pg.Args{"reference": reference})
	switch {
	case errors.Is(err, pg.ErrNone):
		return provider.Answer{}, provider.ErrNotFound
	case err != nil:
		return provider.Answer{}, wrapped(err)
	case s.Answer != nil:
		return *s.Answer, nil
	case p.config.Now().Sub(*s.AuthorizedAt) > repeatFor:
		return p.search(ctx, s)
	}
	answer, err := p.submit(ctx, s)
	if isMissing(err) { // Chariot does not have the session
		err = provider.ErrNotFound
	}
	return answer, err
}

// search looks for the grant of a submission's session.
func (p *Provider) search(ctx context.Context, s submission) (provider.Answer, error) {
	for token := ""; ; {
		page, err := p.grantsOf(ctx, s.ConnectID, token)
		if err != nil {
			return provider.Answer{}, err
		}
		for _, g := range page.Results {
			switch {
			case g.Session != *s.Session:
			case g.differs(s) && p.config.Now().Sub(*s.AuthorizedAt) > settleWindow:
				return p.spent(ctx, s, g)
			default:
				return p.granted(ctx, s, g)
			}
		}
		if page.Next == "" {
			return provider.Answer{}, provider.ErrNotFound
		}
		token = page.Next
	}
}

// grantsOf reads a page of a connect's grants, the first for "".
func (p *Provider) grantsOf(ctx context.Context, connectID, token string) (page list[grant], err error) {
	query := url.Values{"connect_id": {connectID}, "pageLimit": {strconv.Itoa(pageSize)}}
	if token != "" {
		query.Set("pageToken", token)
	}
	err = p.get(ctx, "/v1/grants", "/v1/grants", query, &page)
	if err == nil && page.Next != "" && page.Next == token {
		err = errors.New("chariot: a page of grants names itself as the next")
	}
	return page, err
}
