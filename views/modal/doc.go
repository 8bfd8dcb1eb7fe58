// Package modal renders what the pages of all modals share, from plain values.
package modal

// Initial is the first letter of a name.
func Initial(name string) string {
	for _, r := range name {
		return string(r)
	}
	return ""
}
