package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

var merchantResource = resource{
	shapes: map[string]any{
		"Merchant": merchant.Merchant{}, "MerchantList": list{}, "CreateMerchant": merchant.CreateInput{},
		"UpdateMerchant": merchant.UpdateInput{},
		"Organization":   merchant.Organization{}, "CreateMerchant.organization": merchant.NewOrganization{},
		"MerchantMethods": merchant.Methods{},
		"MerchantWarning": merchant.Warning{}, "Domain": merchant.Domain{}, "DomainList": list{},
		"VerifyDomains":      merchant.VerifyInput{},
		"MerchantProcessing": accounts.Processing{}, "ServedMethod": accounts.Serve{},
	},
	either: map[string][]string{"CreateMerchant": {"organization"}},
	enums: map[string][]string{
		"MerchantStatus": merchant.StatusNames(), "MerchantCountry": merchant.Countries(),
		"MerchantWarningCode": merchant.WarningCodes(),
		"DomainStatus":        named(merchant.DomainStatuses()), "DomainFailure": named(merchant.DomainFailures()),
		"ServedMethod.method": named(processor.Methods()), "ServedMethod.source": named(accounts.Sources()),
		"ServedMethod.onboarding": named(processor.Onboardings()),
	},
}

func named[T ~string](words []T) (out []string) {
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}

// least is the body of a new merchant, with more members before its end.
func (s *site) least(more string) string {
	return fmt.Sprintf(`{"name":"Riverside","country":"US","organization_id":%d%s}`, s.App.OrganizationID, more)
}

func TestMerchantsAreMadeReadAndListed(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Clock.Advance(time.Second)
	// the answer has no warnings
	if _, err := s.Fees.SetDefaults(t.Context(), s.Person(authz.RoleApplicationAdmin), 0, demo.Rates()); err != nil {
		t.Fatal(err)
	}
	full := `{"name":"Riverside Food Bank","country":"US","organization":{"name":"Riverside"},"currency":"usd","ein":"04-3567500","nonprofit":true,
		"bank_processor":"q","time_zone":"America/Denver","payout_schedule":"weekly","payout_weekday":5,"has_wallet_a":true,"has_daf_provider":true,
		"domains":["GIVE.example.org","bücher.example"],"daf_percentage":2.5,"statement_descriptor":"RIVERSIDE FOOD","external_id":"branch-7","metadata":{"region":"west"}}`
	a := s.once(t, http.MethodPost, "/api/merchants", full, s.least(""), 201)
	m := readAs[merchant.Merchant](t, a)
	if m.Domains[1] != "xn--bcher-kva.example" || m.DAFPercentage != 2500 || !m.CanProcess.WalletA ||
		m.CanProcess.DAF || a.header.Get("ETag") != `"1"` ||
		a.header.Get("Location") != fmt.Sprintf("/api/merchants/%d", m.ID) {
		t.Errorf("%v %s", a.header, a.body)
	}
	if read := s.get(t, a.header.Get("Location")).want(t, 200, ""); string(read.body) != string(a.body) {
		t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
	}
	us, usq, ca := s.App.Merchants.US, s.App.Merchants.USQ, s.App.Merchants.CA
	for query, want := range map[string][]int64{
		"": {m.ID, ca, usq, us}, "?order=asc&limit=2": {us, usq}, fmt.Sprintf("?starting_after=%d", ca): {usq, us},
		fmt.Sprintf("?ending_before=%d", usq): {m.ID, ca},
		"?status=active,closed":               {m.ID, ca, usq, us}, "?status=suspended": {},
		fmt.Sprintf("?organization_id=%d", m.Organization.ID): {m.ID},
		"?country=CA": {ca}, "?currency=usd,cad": {m.ID, ca, usq, us}, "?currency=cad": {ca},
		"?external_id=branch-7": {m.ID}, "?has_wallet_a=false": {ca},
		"?has_daf_provider=true": {m.ID}, "?metadata[region]=west": {m.ID}, "?metadata[region]=east": {},
		"?created_at[gt]=" + s.merchant(t, us).CreatedAt.Format(time.RFC3339Nano): {m.ID},
	} {
		var ids []int64
		for _, item := range readAs[struct{ Data []merchant.Merchant }](t,
			s.get(t, "/api/merchants"+query).want(t, 200, "")).Data {
			ids = append(ids, item.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s: %v, want %v", query, ids, want)
		}
	}
	for _, query := range []string{"status=" + marker, "country=us", "currency=USD", "organization_id=x",
		"has_wallet_a=yes", "metadata=x", "external_id="} {
		s.get(t, "/api/merchants?"+query).want(t, 400, "parameter_invalid")
	}
}

func (s *site) merchant(t *testing.T, id int64) merchant.Merchant {
	t.Helper()
	return readAs[merchant.Merchant](t, s.get(t, fmt.Sprintf("/api/merchants/%d", id)).want(t, 200, ""))
}

func TestMerchantsThatAreNotMade(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.on(t, http.MethodPut, ofUS(s, ""), `{"external_id":"taken"}`, "").want(t, 200, "")
	before := s.rows(t)
	for _, c := range []struct {
		more   string
		status int
		code   string
		param  string
	}{
		{`,"name":"twice"`, 400, "json_invalid", ""},
		{`,"organization":{"name":"x"}`, 400, "parameters_exclusive", "organization"},
		{`,"organization":"` + marker + `"`, 400, "parameter_invalid", "organization"},
		{`,"ein":"` + marker + `"`, 400, "parameter_invalid", "ein"},
		{`,"currency":"USD"`, 400, "currency_unsupported", "currency"},
		{`,"currency":"cad"`, 400, "currency_unsupported", "currency"},
		{`,"id":7`, 400, "parameter_read_only", "id"},
		{`,"status":"` + marker + `","can_process":{},"created_at":null`, 400, "validation_failed", "status"},
		{`,"domains":["give.example.org","https://` + marker + `.example/"]`, 400, "domain_invalid", "domains[1]"},
		{`,"domains":["*.` + marker + `.example"],"ein":1,"color":"` + marker + `"`, 400, "validation_failed", "ein"},
		{`,"domains":[null]`, 400, "parameter_invalid", "domains"},
		{`,"domains":"` + marker + `"`, 400, "parameter_invalid", "domains"},
		{`,"metadata":{"a":null}`, 400, "parameter_invalid", "metadata"},
		{`,"payout_schedule":"weekly"`, 400, "parameter_invalid", "payout_weekday"},
		{`,"daf_percentage":101`, 400, "parameter_invalid", "daf_percentage"},
		{`,"capture_fee":1`, 403, "fee_portal_only", "capture_fee"},
		{`,"external_id":"taken"`, 409, "external_id_taken", "external_id"},
		{`,"has_daf_provider":true`, 422, "daf_not_eligible", "has_daf_provider"},
	} {
		a := s.on(t, http.MethodPost, "/api/merchants", s.least(c.more), "").want(t, c.status, c.code)
		if e := a.error(); e.Param != c.param {
			t.Errorf("%s: told of %q", c.more, e.Param)
		}
		if taken := fmt.Sprintf(`"merchant_id":%d`, s.App.Merchants.US); c.status == 409 &&
			!strings.Contains(string(a.body), taken) {
			t.Errorf("%s", a.body)
		}
	}
	for body, want := range map[string][2]string{
		`{"name":"x","country":"us","organization_id":1}`: {"country_invalid", "country"},
		`{"name":"x","country":"US"}`:                     {"parameter_missing", "organization"},
		fmt.Sprintf(`{"name":"x","country":"US","organization_id":%d}`, s.Other.OrganizationID): {"parameter_invalid",
			"organization_id"},
		`{"name":"x","country":"US","organization":{}}`:                                       {"parameter_missing", "organization.name"},
		`{"name":"x","country":"US","organization":{"nam":"x"}}`:                              {"validation_failed", "organization.nam"},
		`{"name":"x","country":"CA","organization_id":1,"ein":"04-3567500","currency":"usd"}`: {"validation_failed", "currency"},
	} {
		if e := s.on(t, http.MethodPost, "/api/merchants", body, "").want(t, 400, want[0]).error(); e.Param != want[1] {
			t.Errorf("%s: told of %q", body, e.Param)
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestMerchantsAreUpdated(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := ofUS(s, "")
	a := s.once(t, http.MethodPut, path,
		`{"name":"Riverside Pantry","domains":["b.example","A.example","b.example"],"daf_percentage":3,"metadata":{"a":"b"}}`, `{"name":"x"}`, 200)
	m := readAs[merchant.Merchant](t, a)
	if m.Version != 2 || m.Name != "Riverside Pantry" || strings.Join(m.Domains, " ") != "b.example a.example" ||
		m.DAFPercentage != 3000 || !m.HasWalletA || a.header.Get("ETag") != `"2"` {
		t.Errorf("%v %s", a.header, a.body)
	}
	put := func(body string, header ...string) answer {
		c := call{method: http.MethodPut, path: path, body: body}
		for i := 0; i+1 < len(header); i += 2 {
			c = c.header1(header[i], header[i+1])
		}
		return s.send(t, c)
	}
	put(`{"name":"x"}`, "If-Match", `"1"`).want(t, 412, "object_changed")
	if same := put(`{"name":"Riverside Pantry","domains":["b.example","a.example"]}`, "If-Match", `"2"`).want(t, 200,
		""); string(same.body) != string(a.body) {
		t.Errorf("%s", same.body)
	}
	cleared := readAs[merchant.Merchant](t, put(`{"domains":null,"metadata":null,"ein":null}`).want(t, 200, ""))
	if len(cleared.Domains) != 0 || len(cleared.Metadata) != 0 || cleared.EIN != nil || cleared.CanProcess.WalletA ||
		cleared.Version != 3 {
		t.Errorf("%+v", cleared)
	}
	before := s.rows(t)
	for _, c := range []struct {
		body   string
		status int
		code   string
		param  string
	}{
		{`{"status":"closed"}`, 400, "parameter_read_only", "status"},
		{`{"country":"CA","currency":"cad","organization_id":1}`, 400, "validation_failed", "organization_id"},
		{`{"id":1,"nam":"x"}`, 400, "validation_failed", "id"},
		{`{"name":null}`, 400, "parameter_invalid", "name"},
		{`{"has_wallet_a":"` + marker + `"}`, 400, "parameter_invalid", "has_wallet_a"},
		{`{"payout_weekday":"` + marker + `"}`, 400, "parameter_invalid", "payout_weekday"},
		{`{"payout_weekday":5}`, 400, "parameter_invalid", "payout_weekday"},
		{`{"domains":["` + marker + `"]}`, 400, "domain_invalid", "domains[0]"},
		{`{"domains":[null]}`, 400, "parameter_invalid", "domains"},
		{`{"metadata":{"a":null}}`, 400, "parameter_invalid", "metadata"},
		{`{"metadata":"` + marker + `"}`, 400, "parameter_invalid", "metadata"},
		{`{"daf_percentage":null}`, 400, "parameter_invalid", "daf_percentage"},
		{`{"daf_percentage":3,"chargeback_fee":null}`, 403, "fee_portal_only", "chargeback_fee"},
		{`{"has_daf_provider":true,"nonprofit":false}`, 422, "daf_not_eligible", "has_daf_provider"},
	} {
		if e := put(c.body).want(t, c.status, c.code).error(); e.Param != c.param {
			t.Errorf("%s: told of %q", c.body, e.Param)
		}
	}
	all := put(`{"id":1,"object":"merchant","version":9,"livemode":true,"can_process":{}}`).want(t, 400,
		"validation_failed").error()
	if len(all.Errors) != 5 ||
		slices.ContainsFunc(all.Errors, func(f fault.Field) bool { return f.Code != "parameter_read_only" }) {
		t.Errorf("%+v", all.Errors)
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
	s.on(t, http.MethodPut, fmt.Sprintf("/api/merchants/%d", s.App.Merchants.CA), `{"external_id":"x"}`,
		"").want(t, 200, "")
	put(`{"external_id":"x"}`).want(t, 409, "external_id_taken")
}

func TestNewMerchantsHaveTheApplicationsFees(t *testing.T) {
	t.Parallel()
	s := open(t)
	admin := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.App.AppID}
	if _, err := s.Fees.SetDefaults(t.Context(), admin, 0, fee.Rates{CaptureFee: 31, DAFPercentage: 1250}); err != nil {
		t.Fatal(err)
	}
	m := readAs[merchant.Merchant](t, s.on(t, http.MethodPost, "/api/merchants", s.least(""), "").want(t, 201, ""))
	fees := readAs[fee.Fees](t, s.get(t, fmt.Sprintf("/api/merchants/%d/fees", m.ID)))
	if m.DAFPercentage != 1250 || fees.CaptureFee != 31 || fees.DAFPercentage != money.Percent(1250) {
		t.Errorf("%+v, %+v", m, fees)
	}
}

const associationText = "7B227073704964223A2231227D\n" // {"pspId":"1"}

// findsSitesAt has websites of names under localhost found at a test's server.
func findsSitesAt(shop *httptest.Server) fixture.Change {
	return func(d *assembly.Deps) { d.LocalPort = shop.Listener.Addr().(*net.TCPAddr).Port }
}

func TestDomainsAreVerified(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, _ := net.SplitHostPort(r.Host); host != "shop.localhost" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, associationText)
	}))
	t.Cleanup(shop.Close)
	s := open(t, findsSitesAt(shop))
	domains, verify := ofUS(s, "/domains"), ofUS(s, "/domains/verify")
	s.on(t, http.MethodPut, ofUS(s, ""), `{"domains":["shop.localhost","b.localhost"]}`, "").want(t, 200, "")
	type page struct {
		Data []merchant.Domain
		URL  string
	}
	if p := readAs[page](t, s.get(t, domains).want(t, 200, "")); len(p.Data) != 2 ||
		p.Data[0].Status != merchant.DomainUnverified || p.URL != domains {
		t.Errorf("%+v", p)
	}
	s.on(t, http.MethodPost, verify, `{}`, "").want(t, 422, "association_file_missing")
	if _, err := s.Merchants.InstallAssociation(t.Context(), s.Admin(), []byte(associationText), nil); err != nil {
		t.Fatal(err)
	}
	a := s.once(t, http.MethodPost, verify, ``, `{"domain":"b.localhost"}`, 200)
	if p := readAs[page](t, a); len(p.Data) != 2 || p.Data[0].Status != merchant.DomainVerified ||
		p.Data[1].Status != merchant.DomainFailed || *p.Data[1].FailureReason != merchant.FileMissing {
		t.Errorf("%s", a.body)
	}
	if read := s.get(t, domains).want(t, 200, ""); string(read.body) != string(a.body) {
		t.Errorf("found\n%s\nread\n%s", a.body, read.body)
	}
	if p := readAs[page](t, s.on(t, http.MethodPost, verify, `{"domain":"SHOP.localhost"}`, "").want(t, 200, "")); len(
		p.Data) != 1 || p.Data[0].Domain != "shop.localhost" {
		t.Errorf("%+v", p)
	}
	s.on(t, http.MethodPost, verify, `{"domain":"https://`+marker+`.example"}`, "").want(t, 400, "domain_invalid")
	s.on(t, http.MethodPost, verify, `{"domain":"`+marker+`.example"}`, "").want(t, 400, "parameter_invalid")
	s.on(t, http.MethodPost, verify, `{"domain":7}`, "").want(t, 400, "parameter_invalid")
}

func TestDomainsOfAMerchantAreVerifiedOnceAtATime(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		_, _ = io.WriteString(w, associationText)
	}))
	t.Cleanup(shop.Close)
	s := open(t, findsSitesAt(shop))
	s.on(t, http.MethodPut, ofUS(s, ""), `{"domains":["slow.localhost"]}`, "").want(t, 200, "")
	if _, err := s.Merchants.InstallAssociation(t.Context(), s.Admin(), []byte(associationText), nil); err != nil {
		t.Fatal(err)
	}
	var first sync.WaitGroup
	first.Go(func() { s.on(t, http.MethodPost, ofUS(s, "/domains/verify"), `{}`, "").want(t, 200, "") })
	<-asked
	second := s.on(t, http.MethodPost, ofUS(s, "/domains/verify"), `{}`, "").want(t, 409, "operation_in_progress")
	if second.header.Get("Retry-After") != "1" {
		t.Errorf("come back after %q", second.header.Get("Retry-After"))
	}
	close(release)
	first.Wait()
}

func TestAssociationFileIsPublic(t *testing.T) {
	t.Parallel()
	s := open(t)
	file := func(header map[string]string) answer {
		c := call{method: http.MethodGet, path: "/api/files/wallet-a-domain",
			header: map[string]string{"X-API-Key": "-", "X-App-ID": "-"}}
		for name, value := range header {
			c.header[name] = value
		}
		return s.send(t, c)
	}
	file(nil).want(t, 404, "resource_missing")
	if _, err := s.Merchants.InstallAssociation(t.Context(), s.Admin(), []byte(associationText), nil); err != nil {
		t.Fatal(err)
	}
	for _, header := range []map[string]string{nil, {"Accept": "text/*"},
		{"X-API-Key": "sk_" + marker, "Origin": "https://shop.example"}, {"X-API-Version": Version}} {
		if a := file(header).want(t, 200, ""); string(a.body) != associationText ||
			a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%v: %v %s", header, a.header, a.body)
		}
	}
	file(map[string]string{"Accept": "application/json"}).want(t, 406, "not_acceptable")
	file(map[string]string{"X-API-Version": marker}).want(t, 400, "api_version_unknown")
	file(map[string]string{"X-Request-Id": "two words"}).want(t, 400, "parameter_invalid")
	var open []string
	for _, r := range new(API).routes() {
		if r.handler.public {
			open = append(open, r.method+" "+r.path)
		}
	}
	if !slices.Equal(open, []string{"GET /api/files/wallet-a-domain"}) {
		t.Errorf("open to everybody are %q", open)
	}
}

// plainly sends a request that need not be the contract's, which has canonical paths only.
func (s *site) plainly(t *testing.T, method, path, body string, header map[string]string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", s.App.SecretKey)
	r.Header.Set("X-App-ID", fmt.Sprint(s.App.AppID))
	r.Header.Set("Content-Type", mediaJSON)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	return a
}
