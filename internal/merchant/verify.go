package merchant

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
)

// DomainStatus says what is known of a domain.
type DomainStatus string

// The statuses.
const (
	DomainUnverified DomainStatus = "unverified" // it was not looked at yet
	DomainVerified   DomainStatus = "verified"   // it hosts the association file
	DomainFailed     DomainStatus = "failed"     // it did not when it was last looked at
)

// DomainStatuses lists every status of a domain.
func DomainStatuses() []DomainStatus {
	return []DomainStatus{DomainUnverified, DomainVerified, DomainFailed}
}

// DomainFailure says what was wrong with a domain: a [safehttp.Reason], or one of these.
type DomainFailure string

// What can be wrong with an answer.
const (
	FileMissing    DomainFailure = "file_missing"    // the answer is not 200 OK
	FileRedirected DomainFailure = "file_redirected" // the file must be there itself
	FileDiffers    DomainFailure = "file_differs"    // another content
)

// DomainFailures lists everything that can be wrong with a domain.
func DomainFailures() []DomainFailure {
	out := []DomainFailure{FileMissing, FileRedirected, FileDiffers}
	for _, r := range safehttp.Reasons() {
		out = append(out, DomainFailure(r))
	}
	return out
}

// Domain is a website of a merchant, and whether it hosts the association file.
type Domain struct {
	Object        string         `db:"-" json:"object"`
	Livemode      bool           `db:"-" json:"livemode"`
	Domain        string         `db:"domain" json:"domain"`
	Status        DomainStatus   `db:"status" json:"status"`
	FailureReason *DomainFailure `db:"failure_reason" json:"failure_reason"`
	CheckedAt     *instant.Time  `db:"checked_at" json:"checked_at"`
	// VerifiedAt is when it was last found in order, though it may have failed since.
	VerifiedAt *instant.Time `db:"verified_at" json:"verified_at"`
	// Seen is what it answered then, for people; nil if no one answered.
	Seen *Sighting `db:"seen" json:"-"`
}

// look is what one look at a domain has found; no failure is in order.
type look struct {
	failure DomainFailure
	seen    *Sighting
}

// Domains returns a merchant's domains in the order of its list, or the fault that says the merchant is missing.
func (s *Service) Domains(ctx context.Context, actor authz.Actor, id int64) ([]Domain, error) {
	if err := s.deps.Check.Check(actor, authz.DomainRead); err != nil {
		return nil, err
	}
	if _, err := s.seen(ctx, actor, id); err != nil {
		return nil, err
	}
	return s.domainsOf(ctx, s.deps.Pool, actor.ApplicationID, id, nil)
}

// domainsOf reads the states of some of a merchant's domains; nil names all.
func (s *Service) domainsOf(ctx context.Context, q pg.Querier, applicationID, id int64,
	some []string) ([]Domain, error) {
	rows, err := pg.All[Domain](ctx, q, `
		SELECT l.domain, coalesce(d.status, 'unverified') AS status, d.failure_reason, d.checked_at,
			d.verified_at, d.seen
		FROM merchants m CROSS JOIN LATERAL unnest(m.domains) WITH ORDINALITY AS l (domain, place)
		LEFT JOIN merchant_domains d ON d.application_id = m.application_id AND d.merchant_id = m.id
			AND d.domain = l.domain
		WHERE m.application_id = @application_id AND m.id = @id AND (@some::text[] IS NULL OR l.domain = ANY (@some))
		ORDER BY l.place`, pg.Args{"application_id": applicationID, "id": id, "some": some})
	for i := range rows {
		rows[i].Object, rows[i].Livemode = "domain", !s.sandbox()
	}
	return rows, err
}

// dropDomainsTx forgets what is known of domains that a merchant has no more.
func dropDomainsTx(tx *pg.Tx, after Merchant) {
	tx.Later(`
		DELETE FROM merchant_domains
		WHERE application_id = @application_id AND merchant_id = @id AND domain <> ALL (@domains::text[])`,
		pg.Args{"application_id": after.ApplicationID, "id": after.ID, "domains": after.Domains})
}

// VerifyInput is the body of a verification; without a domain all of the merchant's are looked at.
type VerifyInput struct {
	Domain *string `json:"domain" absent:"all"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in VerifyInput) Validate() fault.Fields {
	var fs fault.Fields
	if in.Domain != nil {
		_, err := ParseDomain(*in.Domain, true)
		fs.Check("domain", err)
	}
	return fs
}

// VerifyDomains looks whether a merchant's domains host the association file, and returns what it found
// of those that it looked at. The faults: resource_missing; parameter_invalid for a domain that is not the
// merchant's; association_file_missing; operation_in_progress while this merchant's are looked at, overloaded while
// many are.
func (s *Service) VerifyDomains(ctx context.Context, actor authz.Actor, id int64, in VerifyInput,
	claim *idempotency.Claim) (out idempotency.Result[[]Domain], err error) {
	if err := s.audit.Allow(ctx, actor, authz.DomainVerify, on(id)); err != nil {
		return out, err
	}
	if err := in.Validate().Err(); err != nil {
		return out, err
	}
	if !actor.Sees(id) { // what the key keeps is not for everybody
		return out, fault.Missing()
	}
	known, err := s.isKnown(ctx, claim)
	if err != nil {
		return out, err
	}
	var wanted []string
	var found []look
	if !known {
		var file []byte
		if wanted, file, err = s.toVerify(ctx, actor, id, in); err != nil {
			return out, err
		}
		if found, err = s.lookInTurn(ctx, id, wanted, file); err != nil {
			return out, err
		}
	}
	now, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return out, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, now.Machine, ObjectID(id), func(tx *pg.Tx) ([]Domain, error) {
		if known { // and forgotten since
			return nil, idempotency.InUse()
		}
		return s.foundTx(ctx, tx, actor, id, wanted, found, now)
	})
}

// isKnown reports whether a request with the same key was answered, so that no one needs to be asked again.
func (s *Service) isKnown(ctx context.Context, claim *idempotency.Claim) (bool, error) {
	if claim == nil {
		return false, nil
	}
	prior, err := idempotency.Find(ctx, s.deps.Pool, claim)
	return prior != nil && s.deps.Clock.Machine().Sub(prior.CreatedAt) < idempotency.Life, err
}

// toVerify are the domains that a verification is about, and the file that they should host.
func (s *Service) toVerify(ctx context.Context, actor authz.Actor, id int64, in VerifyInput) (wanted []string,
	file []byte, err error) {
	m, err := s.seen(ctx, actor, id)
	if err != nil {
		return nil, nil, err
	}
	wanted = m.Domains
	if in.Domain != nil {
		host, err := ParseDomain(*in.Domain, true)
		if err != nil {
			return nil, nil, err
		}
		if wanted = []string{host}; !slices.Contains(m.Domains, host) {
			var fs fault.Fields
			fs.Add("domain", "parameter_invalid", "This is not one of the merchant's domains.")
			return nil, nil, fs.Err()
		}
	}
	installed, err := s.Association(ctx)
	if fault.HasCode(err, "resource_missing") {
		err = fault.Refused("association_file_missing", "There is no association file yet that a website could host.")
	}
	return wanted, []byte(installed.Content), err
}

// foundTx writes down what was found of domains; one that the merchant lost in the meantime is left out.
func (s *Service) foundTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, id int64, wanted []string, found []look,
	now instant.Moment) ([]Domain, error) {
	m, err := s.LockTx(ctx, tx, actor.ApplicationID, id)
	if err != nil {
		return nil, err
	}
	for i, host := range wanted {
		if !slices.Contains(m.Domains, host) {
			continue
		}
		a := pg.Args{"application_id": m.ApplicationID, "id": m.ID, "domain": host, "status": DomainVerified,
			"failure": nil, "now": instant.Of(now.At), "seen": found[i].seen}
		if found[i].failure != "" {
			a["status"], a["failure"] = DomainFailed, found[i].failure
		}
		tx.Later(`
			INSERT INTO merchant_domains AS d (application_id, merchant_id, domain, status, failure_reason, checked_at,
				verified_at, seen)
			VALUES (@application_id, @id, @domain, @status, @failure, @now, CASE @status::text WHEN 'verified'
				THEN @now::timestamptz END, @seen::jsonb)
			ON CONFLICT (application_id, merchant_id, domain) DO UPDATE
				SET status = excluded.status, failure_reason = excluded.failure_reason,
				checked_at = excluded.checked_at, seen = excluded.seen, verified_at = coalesce(excluded.verified_at,
					d.verified_at)`, a)
	}
	if err := tx.Flush(ctx); err != nil {
		return nil, err
	}
	if err := s.audit.DoneTx(tx, actor, authz.DomainVerify, on(id), nil, nil); err != nil {
		return nil, err
	}
	return s.domainsOf(ctx, tx, m.ApplicationID, m.ID, wanted)
}

// lookAt fetches the file from several domains and says what it found of each.
func (s *Service) lookAt(ctx context.Context, domains []string, file []byte) []look {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	found := make([]look, len(domains))
	turn := make(chan struct{}, lookAtOnce)
	var all sync.WaitGroup
	for i, host := range domains {
		turn <- struct{}{}
		all.Go(func() {
			found[i] = s.lookAtOne(ctx, host, file)
			<-turn
		})
	}
	all.Wait()
	return found
}

func (s *Service) lookAtOne(ctx context.Context, host string, file []byte) look {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.AssociationURL(host), nil)
	if err != nil {
		return look{failure: DomainFailure(safehttp.HostNotAllowed)}
	}
	r.Header.Set("User-Agent", "SvcPay-Domain-Verification/1")
	r.Header.Set("Accept", "text/plain, */*")
	a, err := s.deps.Sites.Do(r)
	switch {
	case err != nil && safehttp.ReasonOf(err) == "": // the caller gave up; nothing will be written
		return look{failure: DomainFailure(safehttp.TimedOut)}
	case err != nil:
		return look{failure: DomainFailure(safehttp.ReasonOf(err))}
	}
	return look{failure: judge(a, file), seen: sightingOf(a)}
}

// judge says what is wrong with a website's answer.
func judge(a safehttp.Answer, file []byte) DomainFailure {
	switch {
	case a.Status >= 300 && a.Status < 400:
		return FileRedirected
	case a.Status != http.StatusOK:
		return FileMissing
	case a.Cut || !bytes.Equal(bytes.TrimSpace(a.Body), bytes.TrimSpace(file)):
		return FileDiffers
	}
	return ""
}

// AssociationURL is where a website hosts the file. One of this machine, which only a sandbox's
// merchants have, speaks plain http on a port of its own.
func (s *Service) AssociationURL(host string) string {
	if isLocal(host) && s.deps.LocalPort > 0 {
		return fmt.Sprintf("http://%s:%d%s", host, s.deps.LocalPort, AssociationPath)
	}
	return "https://" + host + AssociationPath
}
