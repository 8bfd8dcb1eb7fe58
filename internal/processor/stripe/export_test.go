package stripe

// DeclineOf is the API's word for a decline with Stripe's reason and code.
func DeclineOf(reason, code string) string { return declineOf(reason, code).DeclineCode }

// The scopes of webhook endpoints, and the event types of each.
const (
	OwnEvents       = ownEvents
	ConnectedEvents = connectedEvents
)

func EventsIn(scope string) []string { return eventsIn(scope) }
