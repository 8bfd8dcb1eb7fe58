package identity

import "testing"

func TestGuessablePasswords(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		// the person's own
		"dana.reed@example.org": true, "Dana.Reed@Example.org2026": true, "danareeddanareed": true,
		"Example-Dana-2026!": true, "reedreed12345678": true, "Okonkwo-Okonkwo-1": true, "dana okonkwo xyz 1": true,
		// the service's
		"svcpaysvcpaysvcpay": true, "SvcPay-Payments-2026": true, "svcpay portal admin": true,
		// runs
		"qwertyuiopasdfgh": true, "QWERTZUIOPasdfgh1": true, "poiuytrewqlkjhgf": true, "1qaz2wsx3edc4rfv": true,
		"qazwsxedcrfvtgb": true, "abcdefghijklmnop": true, "zyxwvutsrqponmlk": true, "azertyuiopqsdfgh": true,
		"1234567890123456": true, "!@#$%^&*()!@#$%^": true, "asdfasdfasdfasdf": true,
		// common words, ornaments and repetition
		"passwordpassword": true, "P@ssw0rdP@ssw0rd": true, "Welcome-Summer-2026": true, "letmein letmein 1": true,
		"zzzzzzzzzzzzzzzzz": true, "abababababababab": true, "20261129202611292": true,
		// hard to guess
		"correct horse battery": false, "another good password": false, "dana likes violet horses": false,
		"MZXW6YTBOI5DAMBR": false, "Gr\u00fc\u00dfe aus K\u00f6ln 7": false, "7$kV!q9#Lw2@zR8x": false,
		"\u79c1\u306f\u6bce\u65e5\u99c5\u307e\u3067\u6b69\u3044\u3066\u901a\u3044\u307e\u3059": false,
	} {
		if got := guessable(prepared(password), "dana.reed@example.org", "Dana Okonkwo"); got != want {
			t.Errorf("%q: guessable %v, want %v", password, got, want)
		}
	}
	if guessable("danareed violet", "li@example.org", "Li Bo") {
		t.Error("the name of another person counts")
	}
}
