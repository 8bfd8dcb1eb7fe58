package accounts_test

import (
	"slices"
	"testing"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/testing/fixture"
)

func TestKeyringOpensCredentialsAndListsAccounts(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	main := connect(t, w, cards(w, "main"))
	own := connect(t, w, cards(w, "own"))
	if _, err := w.Accounts.SetStatus(t.Context(), w.Admin(), own.ID.String(), accounts.Disabled, nil); err != nil {
		t.Fatal(err)
	}
	k := accounts.NewKeyring(w.Pool, w.Keys.Secrets)
	all, err := k.Connected(t.Context(), "sandbox")
	if err != nil || len(all) != 2 || !slices.Contains(all, main.Account()) || !slices.Contains(all, own.Account()) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := k.Connected(t.Context(), "other"); err != nil || len(all) != 0 {
		t.Errorf("of another adapter: %v, %v", all, err)
	}
	if c, err := k.Credentials(t.Context(), own.Account()); err != nil || c.Reveal() != secret {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := k.Credentials(t.Context(), processor.Account{Adapter: "sandbox", External: "none"}); err != nil ||
		!c.IsZero() {
		t.Errorf("of an account that no one connected: %v, %v", c, err)
	}
	if id, err := k.ID(t.Context(), own.Account()); err != nil || id != own.ID.String() {
		t.Errorf("%v, %v", id, err)
	}
	if id, err := k.ID(t.Context(), processor.Account{Adapter: "sandbox", External: "none"}); err != nil || id != "" {
		t.Errorf("of an account that no one connected: %v, %v", id, err)
	}
	if grants, err := k.Grants(t.Context(), own.Account()); err != nil || len(grants) != 0 {
		t.Errorf("before a test found any: %v, %v", grants, err)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE processor_accounts SET report = '{"grants": ["wallet_tokens"]}'
		WHERE id = @id`, pg.Args{"id": own.ID}); err != nil {
		t.Fatal(err)
	}
	if grants, err := k.Grants(t.Context(), own.Account()); err != nil || len(grants) != 1 ||
		grants[0] != processor.GrantWalletTokens {
		t.Errorf("after a test found one: %v, %v", grants, err)
	}
	if grants, err := k.Grants(t.Context(), main.Account()); err != nil || len(grants) != 0 {
		t.Errorf("of another account: %v, %v", grants, err)
	}
	if c, err := accounts.NewKeyring(w.Pool, nil).Credentials(t.Context(), own.Account()); err == nil {
		t.Errorf("without the key: %v", c)
	}
}
