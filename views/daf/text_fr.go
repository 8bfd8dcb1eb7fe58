package daf

import (
	"maps"

	"svcpay/views/text"
)

var french = Text{
	Language: text.LanguageFrench,
	Frame: FrameText{
		Donation: "Don", Nonprofit: "une association à but non lucratif", DonationTo: "Don à", Amount: "Montant",
		StepsAre: "Étapes", Steps: [3]string{"Votre don", "Votre fonds", "Autorisation"}, StepDone: "terminé",
		Cancel: "Annuler le don", Sandbox: "Environnement de test\u00a0: aucun argent réel.", Error: "Erreur\u00a0: ",
		Check: "Veuillez vérifier votre saisie", Back: "Retour", Close: "Fermer", TryAgain: "Réessayer",
	},
	Gift: GiftText{
		Title: "Donner à partir de votre fonds orienté par le donateur",
		Lead: "Choisissez un montant. Vous vous connecterez ensuite à votre fonds. Rien n’est envoyé tant que vous " +
			"ne l’y avez pas autorisé.",
		Amount: "Montant en dollars américains", WholeDollars: "Dollars entiers uniquement.",
		About: "À propos de vous", Optional: "facultatif", FirstName: "Prénom", LastName: "Nom", Email: "E-mail",
		Note: "Message à %s", More: "Téléphone et adresse pour votre fonds", Phone: "Téléphone",
		Street: "Numéro et rue", Apartment: "Appartement, étage", City: "Ville", State: "État",
		ZIP: "Code postal (ZIP)", Anonymous: "Demander à mon fonds de donner anonymement", Continue: "Continuer",
	},
	Funds: FundsText{
		Title:  "Où se trouve votre compte\u00a0?",
		Lead:   "Choisissez le fonds ou la fondation qui gère votre fonds orienté par le donateur.",
		Search: "Rechercher un fonds", Submit: "Rechercher", FoundNone: "Aucun fonds trouvé.",
		FoundOne: "1 fonds trouvé", FoundMany: "%d fonds trouvés", All: "%d fonds",
		Integrated:    "Connectez-vous et autorisez ici",
		Nonintegrated: "Vous recommandez la subvention sur le site du fonds", Nothing: "Aucun résultat",
		NothingText: "Vérifiez l’orthographe ou recherchez une autre partie du nom. Si votre fonds n’est pas dans la " +
			"liste, il n’est pas encore pris en charge.",
	},
	Offline: OfflineText{
		Name: "Votre subvention", Title: "Recommandez votre subvention auprès de %s",
		Instructions: "Connectez-vous à votre compte auprès de %s et recommandez une subvention à l’organisme par " +
			"son EIN. Indiquez le montant et votre message.",
		Organization: "Organisme", EIN: "EIN", Note: "Message", Open: "Ouvrir %s",
		NewWindow: "s’ouvre dans une nouvelle fenêtre",
		WhenConfirmed: "Dès votre confirmation, nous informerons %s que votre subvention est en route. Votre fonds " +
			"décide de la date du versement.",
		Confirm: "Confirmer la subvention de %s",
	},
	Visit: VisitText{
		Name: "Autorisation", Title: "Autorisez auprès de %s",
		Lead: "Connectez-vous à votre fonds et autorisez la subvention. Vos identifiants restent chez votre " +
			"fonds\u00a0: %s ne les voit jamais.",
		Script:  "Cette étape nécessite JavaScript. Activez-le et rechargez la page.",
		Loading: "Chargement de la connexion…", Another: "Choisir un autre fonds",
		Unreached: "Le service est injoignable pour le moment. Nous réessayons.",
		Unsaved: "Vous avez autorisé la subvention, mais nous ne pouvons pas l’enregistrer pour le moment. Laissez " +
			"cette fenêtre ouverte\u00a0: nous réessayons.",
		Unrepeated: "Le service est injoignable. Rien n’a été donné. Fermez cette fenêtre et recommencez.",
		Unloaded: "La connexion à votre fonds ne peut pas être chargée. Vérifiez votre connexion Internet et " +
			"réessayez.",
	},
	Ends: EndsText{
		Unfinished: "Non terminé", UnfinishedTitle: "Votre subvention auprès de %s n’est pas terminée",
		UnfinishedText: "Vous n’avez pas encore autorisé de subvention. Reprenez où vous en étiez ou choisissez un " +
			"autre fonds.",
		ContinueAt: "Continuer auprès de %s", AnotherFund: "Choisir un autre fonds", Thanks: "Merci",
		Authorized: "Votre subvention est autorisée. Vous pouvez fermer cette fenêtre\u00a0: %s s’occupe de la " +
			"suite.",
		Confirmed:    "%s attend votre subvention. N’oubliez pas de la recommander sur le site de votre fonds.",
		Fund:         "Fonds",
		Canceled:     "Le don a été annulé",
		CanceledText: "Rien n’a été autorisé ni envoyé. Vous pouvez fermer cette fenêtre.", Busy: "Trop de demandes",
		BusyText: "De nombreuses personnes utilisent votre réseau en ce moment. Rien n’est perdu. Veuillez réessayer " +
			"dans un instant.",
		BusyVisits: "Trop de visites à la fois", Foreign: "Ce formulaire provient d’un autre site",
		ForeignText: "Fermez cette fenêtre et recommencez.", Missing: "Ce formulaire de don n’existe pas",
		MissingPage: "Cette page n’existe pas",
		MissingText: "Fermez cette fenêtre et recommencez depuis la page du don.", Expired: "Ce formulaire a expiré",
		ExpiredText: "Par sécurité, il n’est ouvert que pour un temps limité. Rien n’a été autorisé. Fermez cette " +
			"fenêtre et recommencez.",
		Failed: "Un problème est survenu", FailedTitle: "Nous ne pouvons pas continuer pour le moment",
		FailedText: "Notre service ou celui du fonds ne répond pas. Rien n’a été autorisé. Veuillez " +
			"réessayer dans un instant.",
		Waiting: "Votre confirmation", WaitingTitle: "Nous attendons votre confirmation",
		WaitingText: "Votre confirmation de cette subvention ne nous est pas encore parvenue. Cela peut prendre une " +
			"minute. Veuillez vérifier de nouveau.",
		CheckAgain: "Vérifier de nouveau",
	},
	Notices: NoticesText{
		Choose: [2]string{"Choisissez votre fonds", "Choisissez le fonds où se trouve votre compte."},
		Down: [2]string{"Ce fonds ne peut pas être utilisé",
			"%s est injoignable pour le moment. Réessayez plus tard ou choisissez un autre fonds."},
		Minimum: [2]string{"Ce fonds ne peut pas être utilisé",
			"La subvention minimale de %s est de %s. Revenez en arrière pour augmenter votre don ou choisissez un " +
				"autre fonds."},
		SignIn: [2]string{"La connexion à %s a échoué",
			"Rien n’a été autorisé. Vérifiez-y votre identifiant, votre mot de passe et votre code, ou choisissez un " +
				"autre fonds."},
		FundDown: [2]string{"%s est injoignable pour le moment",
			"Rien n’a été autorisé. Réessayez plus tard ou choisissez un autre fonds."},
		NoAccount: [2]string{"Aucun compte ne permet de donner",
			"Aucun fonds orienté par le donateur n’est associé à cet identifiant auprès de %s. Choisissez un autre " +
				"fonds."},
		NotIntegrated: [2]string{"Vous recommandez cette subvention vous-même",
			"Le fonds que vous avez choisi n’accepte pas d’autorisation ici. Choisissez-le dans cette liste pour " +
				"voir comment recommander la subvention."},
		Organization: [2]string{"%s ne peut pas accepter cette subvention pour le moment",
			"Rien n’a été autorisé. Choisissez un fonds sur le site duquel vous recommandez la subvention vous-même, " +
				"ou annulez ci-dessous."},
		Monthly: [2]string{"Seules des subventions uniques sont possibles ici",
			"Rien n’a été autorisé. Choisissez de nouveau votre fonds et donnez une seule fois."},
		Late: [2]string{"Le délai est dépassé",
			"Une autorisation est valable 15 minutes. Rien n’a été donné. Choisissez votre fonds pour autoriser de " +
				"nouveau."},
		CouldNot: [2]string{"%s n’a pas pu continuer",
			"Rien n’a été autorisé. Réessayez ou choisissez un autre fonds."},
		CameBack: [2]string{"Retour sans autorisation",
			"Choisissez un fonds pour continuer ou annulez le don ci-dessous."},
	},
	Mistakes: map[string]string{
		"amount_invalid": "Saisissez un montant en dollars, par exemple 125.",
		"amount_not_whole": "Les fonds n’accordent que des montants en dollars entiers. Le montant le plus proche " +
			"est %s.",
		"amount_too_small": "La subvention minimale est de %s.",
		"amount_too_large": "La subvention maximale est de %s.",
		"text_too_long":    "Ce texte est trop long\u00a0: %d caractères au maximum.",
		"text_invalid":     "Cela ressemble à un numéro de carte. Veuillez le retirer.",
		"email_invalid":    "Saisissez une adresse e-mail telle que dana@example.org.",
	},
	Reports: map[string]string{
		"daf_visit_unreadable": "La réponse des pages de votre fonds ne peut pas être lue. Rien n’a été donné. " +
			"Veuillez réessayer.",
		"daf_session_used": "Cette autorisation appartient à un autre don et ne peut pas être réutilisée. Veuillez " +
			"autoriser ce don.",
		"daf_authorization_expired": "Une autorisation est valable 15 minutes, et celle-ci est plus ancienne. Rien " +
			"n’a été donné. Veuillez autoriser de nouveau.",
		"daf_visit_missing": "Cette visite n’existe plus. Fermez cette fenêtre et recommencez depuis la page du don.",
	},
}

// canadianFrench is the French of Canada, where it differs.
var canadianFrench = canadian(french)

func canadian(t Text) Text {
	t.Language = text.LanguageCanadianFrench
	t.Frame.Nonprofit = "un organisme sans but lucratif"
	t.Frame.Sandbox = "Bac à sable\u00a0: aucun argent réel."
	t.Gift.Email = "Courriel"
	t.Funds.Title = "Où se trouve votre compte?"
	t.Funds.Nonintegrated = "Vous recommandez la subvention sur le site Web du fonds"
	t.Ends.Confirmed = "%s attend votre subvention. N’oubliez pas de la recommander sur le site Web de votre fonds."
	t.Ends.Foreign = "Ce formulaire provient d’un autre site Web"
	t.Notices.Organization[1] =
		"Rien n’a été autorisé. Choisissez un fonds sur le site Web duquel vous recommandez la subvention vous-même, " +
			"ou annulez ci-dessous."
	mistakes := maps.Clone(t.Mistakes)
	mistakes["amount_invalid"] = "Entrez un montant en dollars, par exemple 125."
	mistakes["email_invalid"] = "Entrez une adresse de courriel telle que dana@example.org."
	t.Mistakes = mistakes
	return t
}
