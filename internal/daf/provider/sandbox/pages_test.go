package sandbox_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/kit"
)

const harbor = "fund_bright_harbor"

func TestTheGoodDonorChoosesReviewsAndAuthorizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, p := w.visit(t, harbor), w.open()
	if l := w.look(t, id); l.Step != sandbox.SignIn || l.Fund != "Bright Harbor Donor-Advised Fund" ||
		l.Organization != "Neighborhood Fund" ||
		l.Amount != 125_00 || len(l.Accounts) > 0 || l.Return != "https://pay.example/back" {
		t.Fatalf("%+v", l)
	}
	ok(t, p.SignIn(t.Context(), id, " Donor@Fund.example ", sandbox.Password))
	if l := w.look(t, id); l.Step != sandbox.ChooseAccount || len(l.Accounts) != 2 {
		t.Fatalf("%+v", l)
	}
	if err := p.Choose(t.Context(), id, "another's"); code(err) != "account_missing" {
		t.Error(err)
	}
	ok(t, p.Choose(t.Context(), id, "rainy"))
	if l := w.look(t, id); l.Step != sandbox.Review || l.Chosen.Name != "Rainy Day Fund" {
		t.Fatalf("%+v", l)
	}
	for amount, want := range map[string]string{"": "amount_wrong", "x": "amount_wrong", "0": "amount_wrong",
		"0.99": "amount_wrong", "-5": "amount_wrong",
		"125.50": "amount_wrong", "641": "balance_too_low"} {
		if err := p.Authorize(t.Context(), id, amount); code(err) != want {
			t.Errorf("%q: %v", amount, err)
		}
	}
	if err := p.Authorize(t.Context(), id, "125.50"); !strings.Contains(err.Error(), "$126") {
		t.Errorf("the nearest is not offered: %v", err)
	}
	ok(t, p.Back(t.Context(), id))
	ok(t, p.Choose(t.Context(), id, "family"))
	ok(t, p.Authorize(t.Context(), id, "$1,200.00"))
	if r, err := p.VisitResult(t.Context(), id); err != nil || r.State != provider.VisitAuthorized ||
		r.Amount != 1_200_00 ||
		r.Donor != (provider.Donor{FirstName: "Dana", LastName: "Reed", Email: sandbox.Donor, Note: "For the winter"}) {
		t.Errorf("%+v, %v", r, err)
	}
	ok(t, p.Leave(t.Context(), id)) // after the end it changes nothing
	if l := w.look(t, id); l.Step != sandbox.Over || l.State != provider.VisitAuthorized {
		t.Errorf("%+v", l)
	}
}

func TestEachDonorGoesHisWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signedIn := map[string]sandbox.Step{sandbox.Donor: sandbox.ChooseAccount, "code@fund.example": sandbox.SecondFactor,
		"locked@fund.example": sandbox.Over}
	declines := map[string]string{"declined@fund.example": "insufficient_funds"}
	for _, who := range sandbox.Personas() {
		id, p := w.visit(t, harbor), w.open()
		ok(t, p.SignIn(t.Context(), id, who.Username, sandbox.Password))
		want, special := signedIn[who.Username]
		if l := w.look(t, id); special && l.Step != want || !special &&
			(l.Step != sandbox.Review || l.Chosen.Key == "") ||
			(l.State == provider.VisitFailed) != (want == sandbox.Over) {
			t.Errorf("%s: %+v", who.Username, l)
		}
		switch want {
		case sandbox.Over:
			continue
		case sandbox.SecondFactor:
			if err := p.Code(t.Context(), id, "000000"); code(err) != "code_wrong" {
				t.Error(err)
			}
			ok(t, p.Code(t.Context(), id, " 246 813 "))
		case sandbox.ChooseAccount:
			ok(t, p.Choose(t.Context(), id, who.Accounts[0].Key))
		}
		amount := min(who.Accounts[0].Balance, 125_00)
		if amount < 125_00 {
			if err := p.Authorize(t.Context(), id, "125"); code(err) != "balance_too_low" {
				t.Errorf("%s: %v", who.Username, err)
			}
		}
		if amount == 0 {
			continue
		}
		ok(t, p.Authorize(t.Context(), id, amount.Dollars()))
		answer, err := p.Grant(t.Context(),
			provider.Grant{Reference: "grant of " + who.Username, VisitID: id, Amount: amount})
		lost := who.Username == "timeout@fund.example"
		if lost != (err != nil) || answer.DeclineCode != declines[who.Username] ||
			answer.Approved != (!lost && answer.DeclineCode == "") {
			t.Errorf("%s: %+v, %v", who.Username, answer, err)
		}
	}
}

func TestWrongPasswordsAndCodesEndAVisit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password, second := w.visit(t, harbor), w.visit(t, harbor)
	ok(t, w.open().SignIn(t.Context(), second, "code@fund.example", sandbox.Password))
	for i := range 5 {
		err1 := w.open().SignIn(t.Context(), password, sandbox.Donor, "wrong")
		err2 := w.open().Code(t.Context(), second, "1")
		if last := i == 4; last != (err1 == nil) || last != (err2 == nil) || !last &&
			(code(err1) != "login_wrong" || code(err2) != "code_wrong") {
			t.Errorf("try %d: %v, %v", i, err1, err2)
		}
	}
	for _, id := range []string{password, second} {
		if l := w.look(t, id); l.State != provider.VisitFailed {
			t.Errorf("%+v", l)
		}
	}
	if err := w.open().SignIn(t.Context(), password, sandbox.Donor, sandbox.Password); code(err) != "step_passed" {
		t.Errorf("after the end: %v", err)
	}
}

func TestAFundThatTakesTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.visit(t, sandbox.SlowFund)
	if err := w.open().SignIn(t.Context(), id, sandbox.Donor, "wrong"); code(err) != "login_wrong" {
		t.Error(err)
	}
	if err := w.open().SignIn(t.Context(), id, sandbox.Donor, sandbox.Password); err != kit.ErrNoAnswer {
		t.Error(err)
	}
	if l := w.look(t, id); l.State != provider.VisitFailed {
		t.Errorf("%+v", l)
	}
}

func TestAVisitEndsWithItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, left := w.visit(t, harbor), w.visit(t, harbor)
	ok(t, w.open().Leave(t.Context(), left))
	w.pass(30*time.Minute - time.Second)
	ok(t, w.open().SignIn(t.Context(), id, sandbox.Donor, sandbox.Password))
	w.pass(time.Second)
	if err := w.open().Choose(t.Context(), id, "family"); code(err) != "step_passed" {
		t.Error(err)
	}
	if l := w.look(t, id); l.State != provider.VisitFailed {
		t.Errorf("%+v", l)
	}
	if l := w.look(t, left); l.State != provider.VisitCanceled {
		t.Errorf("%+v", l)
	}
	if _, err := w.open().Look(t.Context(), "unheard"); code(err) != "resource_missing" {
		t.Error(err)
	}
	if err := w.open().SignIn(t.Context(), "unheard", "", ""); code(err) != "resource_missing" {
		t.Error(err)
	}
}

// A visit is forgotten with what the donor typed; the grant that it led to stays.
func TestVisitsAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, reference := w.visit(t, harbor), w.granted(t, "single@fund.example")
	w.pass(12*time.Hour - time.Second)
	if n, err := w.open().Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("%d were forgotten too soon, %v", n, err)
	}
	w.pass(time.Second)
	if n, err := w.open().Purge(t.Context()); err != nil || n != 2 {
		t.Errorf("%d were forgotten, %v", n, err)
	}
	if _, err := w.open().Look(t.Context(), id); code(err) != "resource_missing" {
		t.Error(err)
	}
	if answer, err := w.open().Lookup(t.Context(), reference); err != nil || !answer.Approved {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestStepsAreTakenInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, p := w.visit(t, harbor), w.open()
	for name, err := range map[string]error{
		"code": p.Code(t.Context(), id, sandbox.Code), "choose": p.Choose(t.Context(), id, "family"),
		"back": p.Back(t.Context(), id), "authorize": p.Authorize(t.Context(), id, "125"),
	} {
		if code(err) != "step_passed" {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok(t, p.SignIn(t.Context(), id, "code@fund.example", sandbox.Password))
	if err := p.Authorize(t.Context(), id, "125"); code(err) != "step_passed" {
		t.Errorf("without the second factor: %v", err)
	}
}

// A donor who clicks twice authorizes once.
func TestTwoClicksAuthorizeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.visit(t, harbor)
	ok(t, w.open().SignIn(t.Context(), id, "single@fund.example", sandbox.Password))
	var wg sync.WaitGroup
	outcomes := make(chan string, 4)
	for _, amount := range []string{"100", "200", "300", "400"} {
		wg.Go(func() { outcomes <- code(w.open().Authorize(t.Context(), id, amount)) })
	}
	wg.Wait()
	close(outcomes)
	count := map[string]int{}
	for o := range outcomes {
		count[o]++
	}
	r, err := w.open().VisitResult(t.Context(), id)
	if count["<nil>"] != 1 || count["step_passed"] != 3 || err != nil || r.Amount%(100*money.Dollar) != 0 {
		t.Errorf("%v, %+v, %v", count, r, err)
	}
}
