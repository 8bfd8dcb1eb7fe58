package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/processor"
	"svcpay/views/bank"
	"svcpay/views/daf"
	"svcpay/views/text"
)

// Every page of a way is in the language with which it began, and amounts are written and read in its form.
func TestTheDAFModalInTheDonorsLanguage(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	for locale, want := range map[text.Language]struct{ amount, typed string }{
		text.LanguageSpanish:        {"$1,250", "1250"},
		text.LanguageFrench:         {"1\u202f250\u00a0$US", "1\u202f250"},
		text.LanguageCanadianFrench: {"1\u00a0250\u00a0$\u00a0US", "1 250"},
	} {
		w := daf.TextOf(locale)
		_, out := d.asks(fmt.Sprintf(`{"session":%q,"amount":12500,"locale":%q}`, d.Session(), locale))
		way, _ := out["path"].(string)
		d.page(way).has(t, 200, fmt.Sprintf(`<html lang=%q`, locale), w.Gift.Title, w.Gift.Amount, w.Frame.Cancel)
		wrong := d.do(way, url.Values{"amount": {"12,50"}, "email": {"x"}, "note": {long(501)}})
		wrong.has(t, 422, daf.Say(w.Mistakes["amount_not_whole"], locale.Dollars(13_00)), w.Mistakes["email_invalid"],
			daf.Say(w.Mistakes["text_too_long"], 500), `value="12,50"`)
		funds := d.sends(way, "amount", want.typed)
		d.page(funds).has(t, 200, want.amount, w.Funds.Title, w.Found("", 12))
		d.do(funds, url.Values{"fund": {"unheard"}}).has(t, 422, w.Notices.Choose[0])
		d.sends(funds, "fund", "fund_bright_harbor")
		d.page(way+"/return").has(t, 200, daf.Say(w.Ends.UnfinishedTitle, "Bright Harbor Donor-Advised Fund"))
		offline := d.page(d.sends(funds, "fund", "fund_hillcrest"))
		offline.has(t, 200, daf.Say(w.Offline.Confirm, want.amount),
			daf.Say(w.Offline.Instructions, "Hillcrest Community Foundation"))
		d.page(d.sends(way+"/confirm")).has(t, 200, w.Ends.Thanks, want.amount,
			w.Ends.Fund, "Hillcrest Community Foundation")
	}
	d.do("/3.2/modal/daf/unheard", nil, "Accept-Language", "fr-CA,fr;q=0.9,en;q=0.8").has(t, http.StatusNotFound,
		`lang="fr-CA"`, daf.TextOf("fr-CA").Ends.Missing)
}

func TestAFundThatCannotBeUsedInTheDonorsLanguage(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	_, out := d.asks(fmt.Sprintf(`{"session":%q,"amount":1000,"locale":"fr"}`, d.Session()))
	way, _ := out["path"].(string)
	w := daf.TextOf("fr")
	d.do(way+"/fund", url.Values{"fund": {d.fund("Aldergrove")}}).has(t, 422,
		daf.Say(w.Notices.Minimum[1], "Aldergrove Charitable", "50\u00a0$US"))
	d.do(way+"/fund", url.Values{"fund": {d.fund("Evergreen")}}).has(t, 422,
		daf.Say(w.Notices.Down[1], "Evergreen Philanthropic Trust"))
	visit := strings.TrimPrefix(d.sends(way+"/fund", "fund", d.fund("Cedar")), visitsURL)
	d.do(visit, nil).has(t, 200, `<html lang="fr"`, w.Visit.Loading, "10\u00a0$US", w.Visit.Unsaved,
		w.Reports["daf_session_used"])
	d.posts(visit+"/exit", `{"reason":"NO_CHARITABLE_ACCOUNTS","session":""}`)
	d.page(way+"/return").has(t, 200, w.Notices.NoAccount[0],
		daf.Say(w.Notices.NoAccount[1], "Cedar &amp; Stone Giving"))
}

// The agreement is in English, and says so: it is a legal text.
func TestTheBankModalInThePayersLanguage(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	for _, locale := range text.ModalLanguages() {
		w := bank.TextOf(locale)
		way := h.begins(processor.ACH, string(locale))
		h.page(way).has(t, 200, fmt.Sprintf(`<html lang=%q`, locale), w.Where, w.Found(10), w.TypeInstead)
		h.do(way+"/banks", url.Values{"bank": {"bank_none"}}).has(t, 422, w.ChooseBank[1])
		h.page(way+"/return").has(t, 200, w.CameBack[0])
		h.shows(way, "good@bank.example")
		h.page(way+"/return").has(t, 200, w.ChooseAccount, w.Savings)
		h.page(h.sends(way+"/accounts", "account", "rainy-day")).has(t, 200, w.AuthorizeDebits, w.Agree,
			`id="mandate-text" lang="en"`)
	}
}
