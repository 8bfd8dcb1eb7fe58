package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// How much the cells work on.
const (
	merchants = 20
	tokens    = 400 // as the floor has
)

// untilIdle is how long after it was ready a program has done what comes with starting.
const untilIdle = 2 * time.Second

// seeded is what the cells need to know of the records.
type seeded struct {
	application int64
	secret      string // key
	merchants   []int64
	tokens      []string // the i-th is of the i-th merchant, around
	portal      string   // id of a signed-in session
}

// seed makes an application in the database, which has no command for one, and all else as its people would.
func (b *bench) seed(ctx context.Context) (err error) {
	s := &b.seeded
	const application = `
		INSERT INTO applications (name, api_version, created_at) VALUES ('Bench', '2026-01-01', now()) RETURNING id`
	if s.application, err = value[int64](ctx, b.cluster, b.server.name, application); err != nil {
		return err
	}
	if err := b.cluster.exec(ctx, b.server.name, `
		INSERT INTO fee_defaults (application_id, authorization_fee, capture_fee, amex_surcharge_percentage,
			ach_transfer_flat_fee,
			ach_transfer_percentage, ach_transfer_failed_fee, ach_return_fee, chargeback_fee, retrieval_fee,
				platform_flat_fee,
			platform_percentage, daf_percentage, version, updated_at)
		SELECT id, 10, 20, 0.5, 25, 0.8, 400, 500, 1500, 500, 5, 1, 2, 1, now() FROM applications`); err != nil {
		return err
	}
	keys := make(map[string]string)
	for _, kind := range []string{"secret", "public"} {
		if keys[kind], err = b.server.run(ctx, "keys", "create", "--application="+strconv.FormatInt(s.application, 10),
			"--kind="+kind, "--name=Bench"); err != nil {
			return err
		}
	}
	s.secret = keys["secret"]
	if err := b.server.serve(); err != nil {
		return err
	}
	time.Sleep(untilIdle)
	b.idle = resident(b.server.pid())
	if err := b.seedMerchants(); err != nil {
		return err
	}
	if err := b.seedSessions(ctx); err != nil {
		return err
	}
	return b.seedTokens()
}

func (b *bench) seedMerchants() error {
	organization := `"organization": {"name": "Bench"}`
	for i := range merchants {
		body := fmt.Sprintf(`{"name": "Merchant %d", "country": "US", %s}`, i, organization)
		status, answer, err := b.server.ask(request("POST", "/api/merchants", b.server.host(false), b.headers(), body))
		if err != nil || status != 201 {
			return fmt.Errorf("merchant: %d %s %w", status, answer, err)
		}
		var m struct {
			ID           int64
			Organization struct{ ID int64 }
		}
		if err := json.Unmarshal(answer, &m); err != nil {
			return err
		}
		b.seeded.merchants = append(b.seeded.merchants, m.ID)
		organization = fmt.Sprintf(`"organization_id": %d`, m.Organization.ID)
	}
	return nil
}

// seedSessions makes the sessions of payers' browsers, visit-1 to visit-400, and that of an administrator.
func (b *bench) seedSessions(ctx context.Context) error {
	b.seeded.portal = "bench"
	if err := b.cluster.exec(ctx, b.server.name, fmt.Sprintf(`
		INSERT INTO client_sessions (id_hash, application_id, merchant_id, key_id, page_origin, created_at, expires_at)
		SELECT sha256(('visit-' || i)::bytea), m.application_id, m.id, k.id, 'https://shop.example', now(),
			now() + interval '1 day'
		FROM generate_series(1, %d) i, api_keys k, merchants m
			WHERE k.kind = 'public' AND m.id = 1001 + i %% %d`, tokens, merchants)); err != nil {
		return err
	}
	if err := b.cluster.exec(ctx, b.server.name, `
		INSERT INTO people (email, name, password_hash, created_at, totp_sealed, totp_since)
			VALUES ('bench@example.org', 'Kim Vale', 'none', now(), 'none', now());
		INSERT INTO grants (person_id, role, scope, application_id, created_at) SELECT p.id, 'application_admin', 'app',
			a.id, now() FROM people p, applications a`); err != nil {
		return err
	}
	return b.signIn(ctx, b.server.name)
}

// signIn begins the administrator's session again: one that no one uses for a quarter of an hour is over.
func (b *bench) signIn(ctx context.Context, database string) error {
	return b.cluster.exec(ctx, database, `
		DELETE FROM portal_sessions;
		INSERT INTO portal_sessions (id_hash, person_id, created_at, last_seen_at, proven_at)
			SELECT sha256('bench'), id, now(), now(), now() FROM people`)
}

func (b *bench) seedTokens() error {
	b.seeded.tokens = make([]string, tokens)
	out, err := load{addr: b.server.addr, connections: 4, most: tokens, call: b.tokenize("seed"),
		answered: func(turn, status int, body []byte) {
			var made struct{ Token string }
			if status == 201 && json.Unmarshal(body, &made) == nil {
				b.seeded.tokens[turn] = made.Token
			} else if turn == 0 {
				fmt.Printf("token: %d %s\n", status, body)
			}
		}}.closed(10 * patience) // a busy machine is slow
	if err == nil && out.statuses[201] != tokens {
		err = fmt.Errorf("tokens: %v", out.statuses)
	}
	return err
}

// warmUp fills tables a little and has the server look at them: plans that were made while they were empty
// last until it does so on its own, within a minute.
func (b *bench) warmUp(ctx context.Context) error {
	for _, use := range []func(context.Context, time.Duration) (outcome, error){b.chargeCell(32), b.refundCell} {
		if _, err := use(ctx, b.seconds); err != nil {
			return err
		}
	}
	if b.cluster.benches() {
		if _, err := b.floor(floorDatabase, floorCharge, 8)(ctx, b.seconds); err != nil {
			return err
		}
	}
	if err := b.quiet(ctx); err != nil {
		return err
	}
	for _, database := range []string{productDatabase, floorDatabase} {
		if err := b.cluster.exec(ctx, database, "VACUUM ANALYZE"); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) headers() string {
	return fmt.Sprintf("X-App-ID: %d\r\nX-API-Key: %s\r\n", b.seeded.application, b.seeded.secret)
}

// cookie is the portal session's.
func (b *bench) cookie() string { return "Cookie: __Host-svcpay=" + b.seeded.portal + "\r\n" }

// tokenize makes tokens of cards, one a session.
func (b *bench) tokenize(name string) call {
	host := b.server.host(true)
	return func(turn int) []byte {
		visit := turn%tokens + 1
		key := "Idempotency-Key: " + name + strconv.Itoa(turn) + "\r\nSec-Fetch-Site: same-origin\r\n"
		return request("POST", "/client/tokens", host, key,
			fmt.Sprintf(`{"session":"visit-%d","type":"card","card":{"number":"4242424242424242","exp_month":8,`+
				`"exp_year":2040,"cvc":"123"},"billing":{"first_name":"Dana","last_name":"Reed","address_line_1":"12 Elm Street","address_zip":"97301",`+
				`"address_country":"US","email":"dana@example.org"}}`, visit))
	}
}

// charges makes charges; the key and the body follow from name and turn.
func (b *bench) charges(name string, capture bool) call {
	host, headers := b.server.host(false), b.headers()
	return func(turn int) []byte {
		i := turn % tokens
		merchant := b.seeded.merchants[(i+1)%merchants]
		body := fmt.Sprintf(`{"merchant_id":%d,"amount":%d,"token":"%s","capture":%t}`, merchant, 100+turn%100000,
			b.seeded.tokens[i], capture)
		return request("POST", "/api/charges", host, headers+"Idempotency-Key: "+name+strconv.Itoa(turn)+"\r\n", body)
	}
}
