// Package returns is a stub.
package returns

type Class string

const Retryable Class = "retryable"

type Code struct {
	Title string
	Class Class
}

func (c Code) Disables() bool { return false }

func Find(code string) (Code, bool) { return Code{}, false }
