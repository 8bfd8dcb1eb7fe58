// Package bank renders the pages of the bank account modal, in English and French, from plain values, and those of the
// sandbox's banks, which look like other companies'. They need no JavaScript.
package bank

// Text is what the modal's pages say in one language.
type Text struct {
	Lang                                                  string
	PayTo, Step1, Step2, Step3, Cancel, Sandbox, Done     string
	FormTitle, FormLead, Holder, Account                  string
	First, Last, Email, Type, Choose, Checking, Savings   string
	Routing, RoutingHint, Institution, InstitutionHint    string
	Transit, TransitHint, Number, NumberHint, NumberHint2 string
	Agreement, Agree, Authorize, Back, Check, Error       string
	Authorized, AuthorizedText, Pending                   string
	Canceled, CanceledText, Close                         string
	Missing, MissingText, Expired, ExpiredText            string
	Broken, BrokenText, Foreign, ForeignText, Again       string
	Busy, BusyText                                        string
	Mistakes                                              map[string]string // by error code
}

// English and French are the languages of the modal.
var (
	English = Text{
		Lang: "en", PayTo: "Payment to", Step1: "Your bank", Step2: "Your account", Step3: "Authorize",
		Cancel: "Cancel", Sandbox: "Sandbox: no real money moves.", Done: "done",
		FormTitle: "Pay from your bank account", FormLead: "Your account details go directly to SvcPay.",
		Holder: "Account holder", Account: "Bank account",
		First: "First name", Last: "Last name", Email: "Email", Type: "Account type", Choose: "Choose one",
		Checking: "Checking", Savings: "Savings",
		Routing: "Routing number", RoutingHint: "9 digits", Institution: "Institution number",
		InstitutionHint: "3 digits", Transit: "Transit number", TransitHint: "5 digits", Number: "Account number",
		NumberHint: "5 to 12 digits", NumberHint2: "4 to 17 digits",
		Agreement: "Your agreement", Agree: "I agree to this authorization", Authorize: "Authorize", Back: "Back",
		Check: "Please check what you entered", Error: "Error: ",
		Authorized:     "Thank you",
		AuthorizedText: "You authorized debits from your bank account. You can close this window to finish your payment.",
		Pending:        "Two small deposits will reach your account within two business days. Their amounts verify that the account is yours.",
		Canceled:       "Nothing was authorized",
		CanceledText:   "Your bank account will not be debited. You can close this window.", Close: "Close",
		Missing: "This form does not exist", MissingText: "Close this window and start again from the payment page.",
		Expired:     "This form has expired",
		ExpiredText: "For your safety it is open for a limited time only. Nothing was authorized. Close this window and start again.",
		Broken:      "Something went wrong",
		BrokenText:  "SvcPay or your bank isn’t responding. Nothing was authorized. Try again in a moment.",
		Foreign:     "This form was sent from another website", ForeignText: "Close this window and start again.",
		Again: "Try again",
		Busy:  "Too many requests", BusyText: "Your network sent too many requests. Try again in a moment.",
		Mistakes: map[string]string{
			"incomplete_account_holder_name": "Enter the first and last name of the account holder.",
			"invalid_account_holder_name":    "Enter a valid name.",
			"invalid_token_data":             "This text cannot be used here.",
			"incomplete_email":               "Enter an email address such as dana@example.org.",
			"invalid_email":                  "Enter an email address such as dana@example.org.",
			"incomplete_account_type":        "Choose checking or savings.",
			"invalid_account_type":           "Choose checking or savings.",
			"incomplete_routing_number":      "A routing number has nine digits.",
			"invalid_routing_number":         "This routing number is not valid.",
			"incomplete_account_number":      "Enter the account number.",
			"invalid_account_number":         "This account number is not valid.",
			"incomplete_institution_number":  "An institution number has three digits.",
			"invalid_institution_number":     "An institution number has three digits.",
			"incomplete_transit_number":      "A transit number has five digits.",
			"invalid_transit_number":         "A transit number has five digits.",
			"mandate_not_accepted":           "Agree to the authorization to continue.",
		},
	}
	French = Text{
		Lang: "fr", PayTo: "Paiement à", Step1: "Votre banque", Step2: "Votre compte", Step3: "Autorisation",
		Cancel: "Annuler", Sandbox: "Bac à sable\u00a0: aucun argent réel.", Done: "terminé",
		FormTitle: "Payer depuis votre compte bancaire",
		FormLead:  "Vos numéros ne sont transmis qu’au service de paiement.", Holder: "Titulaire du compte",
		Account: "Compte bancaire",
		First:   "Prénom", Last: "Nom", Email: "Courriel", Type: "Type de compte", Choose: "Choisissez",
		Checking: "Compte chèques", Savings: "Compte d’épargne",
		Routing: "Numéro d’acheminement", RoutingHint: "9 chiffres", Institution: "Numéro d’institution",
		InstitutionHint: "3 chiffres",
		Transit:         "Numéro de transit", TransitHint: "5 chiffres", Number: "Numéro de compte",
		NumberHint: "5 à 12 chiffres", NumberHint2: "4 à 17 chiffres",
		Agreement: "Votre accord", Agree: "J’accepte cette autorisation", Authorize: "Autoriser", Back: "Retour",
		Check: "Veuillez vérifier votre saisie", Error: "Erreur\u00a0: ",
		Authorized:     "Merci",
		AuthorizedText: "Les débits de votre compte bancaire sont autorisés. Vous pouvez fermer cette fenêtre pour terminer votre paiement.",
		Pending:        "Deux petits dépôts parviendront à votre compte d’ici deux jours ouvrables. Leurs montants prouvent que le compte est le vôtre.",
		Canceled:       "Rien n’a été autorisé",
		CanceledText:   "Votre compte bancaire ne sera pas débité. Vous pouvez fermer cette fenêtre.", Close: "Fermer",
		Missing:     "Ce formulaire n’existe pas",
		MissingText: "Fermez cette fenêtre et recommencez depuis la page de paiement.",
		Expired:     "Ce formulaire a expiré",
		ExpiredText: "Par sécurité, il n’est ouvert que pour un temps limité. Rien n’a été autorisé. Fermez cette fenêtre et recommencez.",
		Broken:      "Nous ne pouvons pas continuer",
		BrokenText:  "SvcPay ou votre banque ne répond pas. Rien n’a été autorisé. Veuillez réessayer dans un instant.",
		Foreign:     "Ce formulaire provient d’un autre site", ForeignText: "Fermez cette fenêtre et recommencez.",
		Again: "Réessayer", Busy: "Trop de demandes",
		BusyText: "Votre réseau a envoyé trop de demandes. Veuillez réessayer dans un instant.",
		Mistakes: map[string]string{
			"incomplete_account_holder_name": "Entrez le prénom et le nom du titulaire du compte.",
			"invalid_account_holder_name":    "Entrez un nom valide.",
			"invalid_token_data":             "Ce texte ne peut pas être utilisé ici.",
			"incomplete_email":               "Entrez une adresse courriel telle que dana@example.org.",
			"invalid_email":                  "Entrez une adresse courriel telle que dana@example.org.",
			"incomplete_account_type":        "Choisissez le type de compte.",
			"invalid_account_type":           "Choisissez le type de compte.",
			"incomplete_account_number":      "Entrez le numéro de compte.",
			"invalid_account_number":         "Ce numéro de compte n’est pas valide.",
			"incomplete_institution_number":  "Un numéro d’institution compte trois chiffres.",
			"invalid_institution_number":     "Un numéro d’institution compte trois chiffres.",
			"incomplete_transit_number":      "Un numéro de transit compte cinq chiffres.",
			"invalid_transit_number":         "Un numéro de transit compte cinq chiffres.",
			"mandate_not_accepted":           "Acceptez l’autorisation pour continuer.",
		},
	}
)

// TextOf are the words in a language: French for "fr", else English.
func TextOf(language string) Text {
	if language == "fr" {
		return French
	}
	return English
}
