package api

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/dispute"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	files "svcpay/internal/upload"
)

const says = `{"evidence":{"access_log":"The donor signed in twice.\nSee the file."}}`

func TestContractNamesEveryTextOfEvidence(t *testing.T) {
	t.Parallel()
	same(t, "Evidence", slices.Collect(maps.Keys(schemaAt(read(t), "Evidence").Properties)), dispute.EvidenceNames())
}

func rfc(t instant.Time) string { return t.Format(time.RFC3339Nano) }

func TestDisputesAreListedAndRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := s.disputed(t, s.App, false)
	s.Clock.Advance(time.Millisecond)
	second := s.disputed(t, s.App, true)
	a := s.get(t, "/api/disputes/"+first.ID.String()).want(t, 200, "")
	if a.header.Get("ETag") != `"1"` || first.Kind != dispute.Chargeback || first.FeeTotal == 0 {
		t.Errorf("%v %s", a.header, a.body)
	}
	s.answerTo(t, first, "accept", "", "").want(t, 200, "")
	one, two := first.ID.String(), second.ID.String()
	for query, want := range map[string][]string{
		"": {two, one}, "?order=asc": {one, two}, "?limit=1": {two}, "?starting_after=" + two: {one},
		"?status=accepted":                {one},
		"?status=accepted,needs_response": {two, one}, "?kind=retrieval": {two}, "?kind=retrieval&status=accepted": nil,
		"?charge_id=" + first.ChargeID.String(): {one}, fmt.Sprintf("?merchant_id=%d", s.App.Merchants.US): {two, one},
		fmt.Sprintf("?merchant_id=%d", s.Other.Merchants.US): nil, "?created_at[lt]=2020-01-01T00:00:00Z": nil,
		"?reason=" + first.Reason: {one}, "?reason=fraud": nil, fmt.Sprintf("?amount=%d", first.Amount): {two, one},
		fmt.Sprintf("?amount[gt]=%d", first.Amount): nil, fmt.Sprintf("?amount[gte]=%d&amount[lte]=%d", first.Amount,
			first.Amount): {two, one},
		"?respond_by[gt]=" + rfc(first.RespondBy): nil, "?respond_by[lte]=" + rfc(first.RespondBy): {two, one},
		"?respond_by[gte]=" + rfc(first.RespondBy): {one}, "?respond_by[lt]=" + rfc(first.RespondBy): {two},
	} {
		if got := s.listed(t, "/api/disputes"+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"?status=open", "?kind=", "?charge_id=" + one, "?charge_id=" + marker, "?reason=",
		"?reason=" + strings.Repeat("x", 101), "?amount=-1", "?respond_by[gte]=2026-12-01"} {
		s.get(t, "/api/disputes"+query).want(t, 400, "parameter_invalid")
	}
}

func TestEvidenceIsHandedIn(t *testing.T) {
	t.Parallel()
	s := open(t)
	file := s.upload(t, nil, "name=a.pdf", files.PDF, aPDF, "").file(t).ID.String()
	for _, retrieval := range []bool{false, true} {
		d := s.disputed(t, s.App, retrieval)
		body := fmt.Sprintf(`{"evidence":{"payer_name":"Dana"},"files":[%q]}`, file)
		a := s.answerTo(t, d, "evidence", body, "k"+d.ID.String()).want(t, 200, "")
		after := a.dispute(t)
		if after.Status != dispute.UnderReview || after.Evidence["payer_name"] != "Dana" ||
			len(after.EvidenceFiles) != 1 || a.header.Get("ETag") != fmt.Sprintf("%q", fmt.Sprint(after.Version)) {
			t.Errorf("%v %s", a.header, a.body)
		}
		again := s.answerTo(t, d, "evidence", body, "k"+d.ID.String()).want(t, 200, "")
		if !again.replayed() || !bytes.Equal(again.body, a.body) || again.header.Get("ETag") != a.header.Get("ETag") {
			t.Errorf("replayed as %v %s", again.header, again.body)
		}
		for _, how := range []string{"evidence", "accept"} {
			s.answerTo(t, d, how, map[string]string{"evidence": says}[how], "").want(t, 409, "dispute_not_answerable")
		}
		s.answerTo(t, d, "evidence", says, "k"+d.ID.String()).want(t, 422, "idempotency_key_reused")
	}
}

func TestEvidenceThatIsWrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	d := s.disputed(t, s.App, false)
	theirs := s.upload(t, &s.Other, "name=a.pdf", files.PDF, aPDF, "").file(t).ID.String()
	file := `"file_01jq8z6k4t8m2x9v5c7b1n3d0f"`
	const invalid, missing, unknown, several = "parameter_invalid", "parameter_missing", "parameter_unknown",
		"validation_failed"
	before := s.rows(t)
	for body, code := range map[string]string{
		`{}`: missing, `{"evidence":null}`: missing, `{"files":[]}`: missing, `{"evidence":{}}`: invalid,
		`{"evidence":{},"files":[]}`: invalid, `{"evidence":{},"files":null}`: invalid,
		`{"evidence":"` + marker + `"}`: invalid, `{"evidence":{"access_log":5}}`: invalid,
		`{"evidence":{"access_log":null}}`: invalid, `{"evidence":[]}`: invalid,
		`{"evidence":{"access_log":""}}`: invalid, `{"evidence":{"access_log":"` +
			strings.Repeat("x", dispute.MaxText+1) + `"}}`: invalid,
		`{"evidence":{"access_log":"` + marker + `\u0000"}}`: invalid, `{"evidence":{"` + marker + `":"x"}}`: unknown,
		`{"evidence":{},"files":[` + file + `]}`: invalid, `{"evidence":{},"files":["` + theirs +
			`"]}`: invalid, `{"evidence":{},"files":["` + marker + `"]}`: invalid,
		`{"evidence":{},"files":[` + file + `,` + file + `]}`: invalid, `{"evidence":{},"files":[` +
			strings.Repeat(file+",", 10) + file + `]}`: invalid,
		`{"evidence":{"access_log":""},"files":[` + file +
			`]}`: invalid, `{"evidence":{"access_log":"x"},"files":"x"}`: invalid,
		`{"evidence":{"access_log":"x"},"file":[]}`: unknown, `{"access_log":"x"}`: several,
	} {
		if a := s.answerTo(t, d, "evidence", body, "").want(t, 400, code); a.lawful &&
			!strings.Contains(body, "files") && body != `{"evidence":{}}` {
			t.Errorf("the contract allows %s", body)
		}
	}
	s.answerTo(t, d, "accept", `{"why":"`+marker+`"}`, "").want(t, 400, "parameter_unknown")
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestDisputeIsAccepted(t *testing.T) {
	t.Parallel()
	s := open(t)
	d := s.disputed(t, s.App, false)
	a := s.answerTo(t, d, "accept", "", "k").want(t, 200, "")
	if after := a.dispute(t); after.Status != dispute.Accepted || after.ClosedAt == nil {
		t.Errorf("%s", a.body)
	}
	if again := s.answerTo(t, d, "accept", "{}", "k").want(t, 200, ""); !again.replayed() ||
		!bytes.Equal(again.body, a.body) {
		t.Errorf("replayed as %s", again.body)
	}
	if e := s.answerTo(t, d, "evidence", says, "").want(t, 409, "dispute_not_answerable").error(); e.Retryable {
		t.Errorf("%+v", e)
	}
	s.answerTo(t, s.disputed(t, s.App, true), "accept", "", "").want(t, 409, "dispute_not_answerable")
	over := s.disputed(t, s.App, false)
	s.execute(t, `UPDATE disputes SET status = 'lost', closed_at = now() WHERE id = @id`, pg.Args{"id": over.ID})
	s.answerTo(t, over, "accept", "", "").want(t, 409, "dispute_not_answerable")
	late := s.disputed(t, s.App, false)
	s.Clock.Advance(15 * 24 * time.Hour)
	s.answerTo(t, late, "accept", "", "").want(t, 409, "dispute_not_answerable")
}

func TestAnswersWhoseReplyIsLost(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"evidence", "accept"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s, desk := openDesk(t)
			body := map[string]string{"evidence": says}[how]
			d, gone, refused := s.disputed(t, s.App, false), s.disputed(t, s.App, false), s.disputed(t, s.App, false)
			desk.refuses = true
			first := s.answerTo(t, refused, how, body, "r").want(t, 409, "dispute_not_answerable")
			if again := s.answerTo(t, refused, how, body, "r").want(t, 409,
				"dispute_not_answerable"); !again.replayed() || !bytes.Equal(again.body, first.body) {
				t.Errorf("first %s\nthen %s", first.body, again.body)
			}
			desk.refuses, desk.reply = false, true
			a := s.answerTo(t, d, how, body, "k").want(t, 202, "")
			if a.dispute(t).Status != dispute.NeedsResponse {
				t.Errorf("%s", a.body)
			}
			if e := s.answerTo(t, d, how, body, ""); e.want(t, 409,
				"operation_in_progress").header.Get("Retry-After") != "1" {
				t.Errorf("%v", e.header)
			}
			desk.reply, desk.lost = false, true
			s.answerTo(t, gone, how, body, "g").want(t, 202, "")
			s.Clock.Advance(s.Processor.SettleWindow() + time.Second)
			if _, err := s.Operations.Resolve(t.Context()); err != nil {
				t.Fatal(err)
			}
			known := s.answerTo(t, d, how, body, "k").want(t, 200, "")
			if want := map[string]dispute.Status{"evidence": dispute.UnderReview,
				"accept": dispute.Accepted}[how]; !known.replayed() || known.dispute(t).Status != want {
				t.Errorf("%s", known.body)
			}
			s.answerTo(t, gone, how, body, "g").want(t, 502, "processor_error")
		})
	}
}

func TestAnswersWithAKeyThatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := open(t)
	for how, body := range map[string]string{"evidence": says, "accept": ""} {
		d := s.disputed(t, s.App, false)
		s.answerTo(t, d, how, body, how).want(t, 200, "")
		s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL
			WHERE key = @key`, pg.Args{"key": how})
		s.answerTo(t, d, how, body, how).want(t, 409, "idempotency_key_in_use")
		s.answerTo(t, s.disputed(t, s.App, false), how, body, how).want(t, 422, "idempotency_key_reused")
	}
	s.upload(t, nil, "name=a", files.PDF, aPDF, "file").want(t, 201, "")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'file'`, pg.Args{})
	s.upload(t, nil, "name=a", files.PDF, aPDF, "file").want(t, 409, "idempotency_key_in_use")
}
