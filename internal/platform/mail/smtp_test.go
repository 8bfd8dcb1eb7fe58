package mail_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"svcpay/internal/platform/mail"
)

// server is a mail server that keeps what it is given, and refuses one address.
type server struct{ taken chan string }

func (s server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

type session struct {
	server
	from, to string
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.from = from; return nil }
func (s *session) Reset()                                      {}
func (s *session) Logout() error                               { return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "refused@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	s.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.taken <- s.from + " " + s.to + "\n" + string(text)
	return err
}

func TestLettersGoToAMailServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	backend := server{make(chan string, 1)}
	at := smtp.NewServer(backend)
	at.Domain = "localhost"
	go func() { _ = at.Serve(l) }()
	t.Cleanup(func() { at.Close() })
	sender, err := mail.NewSMTP("smtp://"+l.Addr().String(), "SvcPay <pay@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	letter := mail.Letter{Message: hello, CreatedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	if err := sender.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	taken := <-backend.taken
	for _, want := range []string{"pay@example.org dana@example.org\n", `From: "SvcPay" <pay@example.org>`,
		"Message-ID: <", "Sat, 21 Nov 2026 09:00:00 +0000", "receipt.pdf"} {
		if !strings.Contains(taken, want) {
			t.Errorf("%q is not in\n%s", want, taken)
		}
	}
	international, err := mail.NewSMTP("smtp://"+l.Addr().String(), "SvcPay <pay@BÜCHER.example>")
	if err != nil {
		t.Fatal(err)
	}
	letter.To = "dana@bücher.example" // put on its way by a server of before
	if err := international.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	taken = <-backend.taken
	for _, want := range []string{"pay@xn--bcher-kva.example dana@xn--bcher-kva.example\n",
		`From: "SvcPay" <pay@xn--bcher-kva.example>`,
		"To: <dana@xn--bcher-kva.example>"} {
		if !strings.Contains(taken, want) {
			t.Errorf("%q is not in\n%s", want, taken)
		}
	}
	letter.To = "refused@example.org"
	if err := sender.Send(t.Context(), letter); err == nil {
		t.Error("a letter that was refused counts as sent")
	}
	letter.To = "dana@example.org\r\nBcc: all@example.org"
	if err := sender.Send(t.Context(), letter); err == nil {
		t.Error("an address adds headers")
	}
	if sender.Keeps() {
		t.Error("letters that were sent are kept")
	}
}

func TestSettingsOfAMailServer(t *testing.T) {
	t.Parallel()
	const from = "SvcPay <pay@example.org>"
	for address, ok := range map[string]bool{"smtp://mail.example": true, "smtps://u:p@mail.example:465": true,
		"smtp://[::1]:2525": true,
		"mail.example":      false, "http://mail.example": false, "smtp://mail.example/path": false,
		"smtp://mail.example:0": false, "smtp://mail.example:x": false, "": false} {
		if _, err := mail.NewSMTP(address, from); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := mail.NewSMTP("smtp://mail.example", "nobody"); err == nil {
		t.Error("mails are from nobody")
	}
}
