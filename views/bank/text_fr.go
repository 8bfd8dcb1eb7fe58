package bank

import (
	"strings"

	"svcpay/views/text"
)

// canadianFrench is the French of Canada, where most of it is read: the agreement to its debits is in French, too.
var canadianFrench = Text{
	Lang: text.LanguageCanadianFrench, PayTo: "Paiement à", Step1: "Votre banque", Step2: "Votre compte",
	Step3:  "Autorisation",
	Cancel: "Annuler", Sandbox: "Bac à sable\u00a0: aucun argent réel.", Done: "terminé",
	Where:      "Où se trouve votre compte?",
	WhereLead:  "Vous vous connectez à votre banque. Ni nous ni %s ne voyons jamais ce que vous y entrez.",
	SearchBank: "Rechercher une banque", Search: "Rechercher", FoundNone: "Aucune banque trouvée.",
	FoundOne: "1 banque trouvée", FoundMany: "%d banques", Nothing: "Aucun résultat",
	NothingText: "Vérifiez l’orthographe ou entrez plutôt les coordonnées de votre compte.",
	TypeInstead: "Entrer plutôt les coordonnées du compte", ChooseAccount: "Choisissez un compte",
	Showed: "%s nous a présenté ces comptes.", AnotherBank: "Choisir une autre banque",
	AuthorizeDebits: "Autoriser les débits", Bank: "Banque", AccountFact: "Compte",
	FormTitle: "Payer depuis votre compte bancaire",
	FormLead:  "Les coordonnées de votre compte sont transmises directement à SvcPay.", Holder: "Titulaire du compte",
	Account: "Compte bancaire",
	First:   "Prénom", Last: "Nom", Email: "Courriel", Type: "Type de compte", Choose: "Choisissez",
	Checking: "Compte chèques", Savings: "Compte d’épargne",
	Routing: "Numéro d’acheminement", RoutingHint: "9 chiffres", Institution: "Numéro d’institution",
	InstitutionHint: "3 chiffres",
	Transit:         "Numéro de transit", TransitHint: "5 chiffres", Number: "Numéro de compte",
	NumberHint: "5 à 12 chiffres", NumberHint2: "4 à 17 chiffres",
	Agreement: "Votre accord", Agree: "J’accepte cette autorisation", Authorize: "Autoriser", Back: "Retour",
	Check: "Veuillez vérifier votre saisie", Error: "Erreur\u00a0: ",
	Authorized: "Merci",
	AuthorizedText: "Les débits de votre compte bancaire sont autorisés. Vous pouvez fermer cette fenêtre pour " +
		"terminer votre paiement.",
	Pending: "Deux petits dépôts parviendront à votre compte d’ici deux jours ouvrables. Leurs montants " +
		"prouvent que le compte est le vôtre.",
	Canceled:     "Rien n’a été autorisé",
	CanceledText: "Votre compte bancaire ne sera pas débité. Vous pouvez fermer cette fenêtre.", Close: "Fermer",
	Missing:     "Ce formulaire n’existe pas",
	MissingText: "Fermez cette fenêtre et recommencez depuis la page de paiement.",
	Expired:     "Ce formulaire a expiré",
	ExpiredText: "Par sécurité, il n’est ouvert que pour un temps limité. Rien n’a été autorisé. Fermez cette " +
		"fenêtre et recommencez.",
	Broken:     "Nous ne pouvons pas continuer",
	BrokenText: "SvcPay ou votre banque ne répond pas. Rien n’a été autorisé. Veuillez réessayer dans un instant.",
	Foreign:    "Ce formulaire provient d’un autre site", ForeignText: "Fermez cette fenêtre et recommencez.",
	Again: "Réessayer", Busy: "Trop de demandes",
	BusyText:   "Votre réseau a envoyé trop de demandes. Veuillez réessayer dans un instant.",
	ChooseBank: [2]string{"Choisissez votre banque", "Choisissez la banque où se trouve votre compte."},
	NotFinished: [2]string{"Vous n’avez pas terminé auprès de %s",
		"Choisissez de nouveau votre banque pour continuer."},
	CouldNotShow: [2]string{"%s n’a pas pu présenter de compte",
		"Vous n’avez pas pu vous connecter, ou aucun compte ne peut être débité. Essayez une autre banque ou entrez " +
			"les numéros."},
	CameBack: [2]string{"Aucun compte n’a été présenté",
		"Choisissez une banque pour continuer, entrez les numéros ou annulez ci-dessous."},
	Mistakes: map[string]string{
		"incomplete_routing_number":      "Un numéro d’acheminement compte neuf chiffres.",
		"invalid_routing_number":         "Ce numéro d’acheminement n’est pas valide.",
		"incomplete_account_holder_name": "Entrez le prénom et le nom du titulaire du compte.",
		"invalid_account_holder_name":    "Entrez un nom valide.",
		"invalid_token_data":             "Ce texte ne peut pas être utilisé ici.",
		"incomplete_email":               "Entrez une adresse de courriel telle que dana@example.org.",
		"invalid_email":                  "Entrez une adresse de courriel telle que dana@example.org.",
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

// french is the French of everyone else.
var french = european(canadianFrench)

func european(t Text) Text {
	t.Lang = text.LanguageFrench
	t.Sandbox = "Environnement de test\u00a0: aucun argent réel."
	t.Where = "Où se trouve votre compte\u00a0?"
	t.WhereLead = "Vous vous connectez à votre banque. Ni nous ni %s ne voyons jamais ce que vous y saisissez."
	t.NothingText = "Vérifiez l’orthographe ou saisissez plutôt les coordonnées de votre compte."
	t.TypeInstead = "Saisir plutôt les coordonnées du compte"
	t.Email, t.Checking = "E-mail", "Compte courant"
	t.CouldNotShow[1] =
		"Vous n’avez pas pu vous connecter, ou aucun compte ne peut être débité. Essayez une autre banque ou " +
			"saisissez les numéros."
	t.CameBack[1] = "Choisissez une banque pour continuer, saisissez les numéros ou annulez ci-dessous."
	mistakes := map[string]string{}
	for code, words := range t.Mistakes {
		mistakes[code] = strings.NewReplacer("Entrez", "Saisissez", "adresse de courriel",
			"adresse e-mail").Replace(words)
	}
	t.Mistakes = mistakes
	return t
}
