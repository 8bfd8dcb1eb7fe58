package daf

import (
	"fmt"

	"github.com/a-h/templ"
)

// found says how many funds a search found.
func found(query string, n int) string {
	switch {
	case n == 0:
		return "No funds found."
	case query == "":
		return fmt.Sprintf("%d funds", n)
	case n == 1:
		return "1 fund found"
	}
	return fmt.Sprintf("%d funds found", n)
}

// checkEntries heads the list of what is wrong with a form.
const checkEntries = "Please check what you entered"

// For is the page of a step of the visit: sign_in, code, account, review, or over in some state.
func (v Visit) For(step, state string) templ.Component {
	switch step {
	case "sign_in":
		v.Title = "Sign in"
		return SignInPage(v)
	case "code":
		v.Title = "Enter your code"
		return CodePage(v)
	case "account":
		v.Title = "Choose an account"
		return AccountPage(v)
	case "review":
		v.Title = "Review your grant"
		return ReviewPage(v)
	}
	v.Title = "Finished"
	switch state {
	case "authorized":
		return OverPage(v, "Your grant is authorized", "Go back to finish your donation.")
	case "failed":
		return OverPage(v, "Something went wrong",
			"Your sign-in was declined or timed out. No grant was authorized.")
	}
	return OverPage(v, "Grant canceled", "No grant was authorized.")
}
