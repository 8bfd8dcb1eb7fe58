package stripe

// DeclineOf is the API's word for a decline with Stripe's reason and code.
func DeclineOf(reason, code string) string { return declineOf(reason, code).DeclineCode }
