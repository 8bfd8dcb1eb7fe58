package web

import (
	"bytes"
	"testing"
)

func TestOnlyFormsThatChangeSomethingAreMarked(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<p>no form</p>`: `<p>no form</p>`,
		`<form action="/x" method="post" novalidate><b></b>`: `<form action="/x" method="post" novalidate><input type="hidden" name="drawn_in" value="a&#34;"/><b></b>`,
		`<form method="get"></form>`:                         `<form method="get"></form>`,
	} {
		var out bytes.Buffer
		if markForms(&out, []byte(page), `a"`); out.String() != want {
			t.Errorf("%s becomes %s", page, &out)
		}
	}
}
