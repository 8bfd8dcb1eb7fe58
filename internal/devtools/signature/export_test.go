package signature

// Sent is an event's text as webhooks have it.
func Sent(event []byte) []byte {
	n, err := nodeOf(event)
	if err != nil {
		panic(err)
	}
	return n.sent()
}
