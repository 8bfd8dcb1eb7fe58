package daf

import "svcpay/views/text"

var spanish = Text{
	Language: text.LanguageSpanish,
	Frame: FrameText{
		Donation: "Donación", Nonprofit: "una organización sin fines de lucro", DonationTo: "Donación a",
		Amount: "Importe", StepsAre: "Pasos", Steps: [3]string{"Su donación", "Su fondo", "Autorización"},
		StepDone: "completado", Cancel: "Cancelar la donación", Sandbox: "Entorno de pruebas: no se mueve dinero real.",
		Error: "Error: ", Check: "Revise los datos que escribió", Back: "Atrás", Close: "Cerrar",
		TryAgain: "Intentar de nuevo",
	},
	Gift: GiftText{
		Title: "Done desde su fondo asesorado por el donante",
		Lead: "Elija un importe. A continuación, iniciará sesión en su fondo. No se envía nada hasta que usted lo " +
			"autorice allí.",
		Amount: "Importe en dólares estadounidenses", WholeDollars: "Solo dólares enteros.", About: "Sus datos",
		Optional: "opcional", FirstName: "Nombre", LastName: "Apellidos", Email: "Correo electrónico",
		Note: "Nota para %s", More: "Teléfono y dirección para su fondo", Phone: "Teléfono", Street: "Calle y número",
		Apartment: "Apartamento, piso", City: "Ciudad", State: "Estado", ZIP: "Código postal (ZIP)",
		Anonymous: "Pedir a mi fondo que done de forma anónima", Continue: "Continuar",
	},
	Funds: FundsText{
		Title:  "¿Dónde tiene su cuenta?",
		Lead:   "Elija el fondo o la fundación que administra su fondo asesorado por el donante.",
		Search: "Buscar un fondo", Submit: "Buscar", FoundNone: "No se encontró ningún fondo.",
		FoundOne: "Se encontró 1 fondo", FoundMany: "Se encontraron %d fondos", All: "%d fondos",
		Integrated:    "Inicie sesión y autorice aquí",
		Nonintegrated: "Usted recomienda la subvención en el sitio web del fondo", Nothing: "Sin resultados",
		NothingText: "Revise la ortografía o busque otra parte del nombre. Si su fondo no aparece, todavía no está " +
			"disponible.",
	},
	Offline: OfflineText{
		Name: "Su subvención", Title: "Recomiende su subvención en %s",
		Instructions: "Inicie sesión en su cuenta de %s y recomiende una subvención a la organización por su EIN. " +
			"Indique el importe y su nota.",
		Organization: "Organización", EIN: "EIN", Note: "Nota", Open: "Abrir %s",
		NewWindow: "se abre en una ventana nueva",
		WhenConfirmed: "Cuando usted confirme, avisaremos a %s de que su subvención está en camino. Su fondo decide " +
			"cuándo se paga.",
		Confirm: "Confirmar la subvención de %s",
	},
	Visit: VisitText{
		Name: "Autorización", Title: "Autorice en %s",
		Lead: "Inicie sesión en su fondo y autorice la subvención. Los datos con los que inicia sesión se quedan en " +
			"su fondo: %s nunca los ve.",
		Script:  "Este paso necesita JavaScript. Actívelo y vuelva a cargar la página.",
		Loading: "Cargando el inicio de sesión…", Another: "Elegir otro fondo",
		Unreached: "No se puede contactar con el servicio en este momento. Lo estamos intentando de nuevo.",
		Unsaved: "Usted autorizó la subvención, pero no podemos guardarla en este momento. No cierre esta " +
			"ventana: lo estamos intentando de nuevo.",
		Unrepeated: "No se puede contactar con el servicio. No se donó nada. Cierre esta ventana y empiece de nuevo.",
		Unloaded: "No se puede cargar el inicio de sesión de su fondo. Compruebe su conexión e inténtelo de " +
			"nuevo.",
	},
	Ends: EndsText{
		Unfinished: "Sin terminar", UnfinishedTitle: "Su subvención en %s no está terminada",
		UnfinishedText: "Todavía no ha autorizado ninguna subvención. Continúe donde lo dejó o elija otro fondo.",
		ContinueAt:     "Continuar en %s", AnotherFund: "Elegir otro fondo", Thanks: "Gracias",
		Authorized: "Su subvención está autorizada. Puede cerrar esta ventana: %s se encarga del resto.",
		Confirmed:  "%s espera su subvención. Recuerde recomendarla en el sitio web de su fondo.", Fund: "Fondo",
		Canceled:     "La donación se canceló",
		CanceledText: "No se autorizó ni se envió nada. Puede cerrar esta ventana.", Busy: "Demasiadas solicitudes",
		BusyText: "Muchas personas están usando su red en este momento. No se ha perdido nada. Inténtelo de nuevo en " +
			"un momento.",
		BusyVisits: "Demasiadas visitas a la vez", Foreign: "Este formulario se envió desde otro sitio web",
		ForeignText: "Cierre esta ventana y empiece de nuevo.", Missing: "Este formulario de donación no existe",
		MissingPage: "Esta página no existe",
		MissingText: "Cierre esta ventana y empiece de nuevo desde la página de la donación.",
		Expired:     "Este formulario ha caducado",
		ExpiredText: "Por su seguridad, solo está abierto por un tiempo limitado. No se autorizó nada. Cierre esta " +
			"ventana y empiece de nuevo.",
		Failed: "Algo salió mal", FailedTitle: "No podemos continuar en este momento",
		FailedText: "Nuestro servicio o el del fondo no responde. No se autorizó nada. Inténtelo de nuevo en un " +
			"momento.",
		Waiting: "Su confirmación", WaitingTitle: "Esperamos su confirmación",
		WaitingText: "Todavía no hemos recibido su confirmación de esta subvención. Puede tardar un minuto. " +
			"Compruébelo de nuevo.",
		CheckAgain: "Comprobar de nuevo",
	},
	Notices: NoticesText{
		Choose: [2]string{"Elija su fondo", "Elija el fondo en el que tiene su cuenta."},
		Down: [2]string{"No se puede usar este fondo",
			"No se puede contactar con %s en este momento. Inténtelo más tarde o elija otro fondo."},
		Minimum: [2]string{"No se puede usar este fondo",
			"La subvención mínima de %s es de %s. Vuelva atrás para aumentar su donación o elija otro fondo."},
		SignIn: [2]string{"No se pudo iniciar sesión en %s",
			"No se autorizó nada. Compruebe allí su usuario, contraseña y código, o elija otro fondo."},
		FundDown: [2]string{"No se puede contactar con %s en este momento",
			"No se autorizó nada. Inténtelo más tarde o elija otro fondo."},
		NoAccount: [2]string{"No hay ninguna cuenta desde la que donar",
			"Este usuario no tiene ningún fondo asesorado por el donante en %s. Elija otro fondo."},
		NotIntegrated: [2]string{"Esta subvención la recomienda usted",
			"El fondo que eligió no admite la autorización aquí. Elíjalo en esta lista para ver cómo recomendar la " +
				"subvención."},
		Organization: [2]string{"%s no puede aceptar esta subvención en este momento",
			"No se autorizó nada. Elija un fondo en cuyo sitio web usted recomiende la subvención, o cancele más " +
				"abajo."},
		Monthly: [2]string{"Aquí solo se pueden hacer subvenciones únicas",
			"No se autorizó nada. Elija de nuevo su fondo y done una sola vez."},
		Late: [2]string{"Se acabó el tiempo",
			"Una autorización vale 15 minutos. No se donó nada. Elija su fondo para autorizar de nuevo."},
		CouldNot: [2]string{"%s no pudo continuar", "No se autorizó nada. Inténtelo de nuevo o elija otro fondo."},
		CameBack: [2]string{"Volvió sin autorizar", "Elija un fondo para continuar o cancele la donación más abajo."},
	},
	Mistakes: map[string]string{
		"amount_invalid":   "Escriba un importe en dólares, por ejemplo 125.",
		"amount_not_whole": "Los fondos solo conceden importes en dólares enteros. El importe más cercano es %s.",
		"amount_too_small": "La subvención mínima es de %s.",
		"amount_too_large": "La subvención máxima es de %s.",
		"text_too_long":    "Es demasiado largo: como máximo %d caracteres.",
		"text_invalid":     "Parece un número de tarjeta. Quítelo, por favor.",
		"email_invalid":    "Escriba una dirección de correo electrónico como dana@example.org.",
	},
	Reports: map[string]string{
		"daf_visit_unreadable": "No se puede leer la respuesta de las páginas de su fondo. No se donó nada. " +
			"Inténtelo de nuevo.",
		"daf_session_used": "Esta autorización es de otra donación y no se puede usar otra vez. Autorice esta " +
			"donación.",
		"daf_authorization_expired": "Una autorización vale 15 minutos y esta es más antigua. No se donó nada. " +
			"Autorice de nuevo.",
		"daf_visit_missing": "Esta visita ya no existe. Cierre esta ventana y empiece de nuevo desde la página de la " +
			"donación.",
	},
}
