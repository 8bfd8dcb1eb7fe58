package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"svcpay/internal/platform/mailbox"
)

// sendTimeout bounds one attempt at a mail server.
const sendTimeout = 20 * time.Second

// SMTP sends letters to a mail server.
type SMTP struct {
	from    *mail.Address
	host    string
	options []gomail.Option
}

var errServer = errors.New("not smtps://user:password@host or smtp://user:password@host:587")

// NewSMTP reads where letters go and whom they are from. smtp:// is encrypted by STARTTLS, which the server must
// offer unless it is on this machine's loopback; smtps:// is encrypted from the start.
func NewSMTP(server, from string) (*SMTP, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("the sender is not like SvcPay <pay@example.org>")
	}
	sender.Address = mailbox.Normal(sender.Address)
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "" {
		return nil, errServer
	}
	s := &SMTP{from: sender, host: u.Hostname()}
	port := map[string]int{"smtp": 587, "smtps": 465}[u.Scheme]
	if port == 0 {
		return nil, errServer
	}
	if text := u.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, errServer
		}
	}
	s.options = []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(sendTimeout), gomail.WithoutNoop()}
	switch {
	case u.Scheme == "smtps":
		s.options = append(s.options, gomail.WithSSL())
	case isLoopback(s.host):
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if name := u.User.Username(); name != "" {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(name),
			gomail.WithPassword(password))
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Keeps implements Sender.
func (*SMTP) Keeps() bool { return false }

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, l Letter) error {
	m, err := write(l, s.from)
	if err != nil {
		return err
	}
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return client.DialAndSendWithContext(ctx, m)
}

// Reach reports whether the server lets this program in; nothing is sent.
func (s *SMTP) Reach(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

// Files writes letters as files, one for each, for a deployment whose mails go nowhere. An empty Dir writes none: the
// inbox has them.
type Files struct{ Dir string }

// sandboxSender is whom letters are from that go nowhere.
var sandboxSender = &mail.Address{Name: "SvcPay", Address: "svcpay@localhost"}

// Keeps implements Sender.
func (Files) Keeps() bool { return true }

// Send implements Sender.
func (f Files) Send(_ context.Context, l Letter) error {
	if f.Dir == "" {
		return nil
	}
	m, err := write(l, sandboxSender)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.Dir, l.CreatedAt.UTC().Format("20060102-150405-")+l.ID.String()+".eml"),
		b.Bytes(), 0o600)
}

// write makes a letter as it goes over the wire, always with the same Message-ID: who gets it twice shows it once.
func write(l Letter, from *mail.Address) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	if err := m.To(mailbox.Normal(l.To)); err != nil {
		return nil, errors.New("mail: the recipient is no address")
	}
	_, host, _ := strings.Cut(from.Address, "@")
	m.SetMessageIDWithValue(l.ID.String() + "@" + host)
	m.SetDateWithValue(l.CreatedAt)
	m.Subject(l.Subject)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Plain())
	shown, err := l.HTML()
	if err != nil {
		return nil, err
	}
	m.AddAlternativeString(gomail.TypeTextHTML, shown)
	for _, f := range l.Files {
		if err := m.AttachReader(f.Name, bytes.NewReader(f.Content),
			gomail.WithFileContentType(gomail.ContentType(f.Type))); err != nil {
			return nil, fmt.Errorf("mail: %w", err)
		}
	}
	return m, nil
}

// Plain is the message as text.
func (m Message) Plain() string {
	parts := append([]string{}, m.Lines...)
	if m.Link.URL != "" {
		parts = append(parts, m.Link.Label+":\n"+m.Link.URL)
	}
	if m.Note != "" {
		parts = append(parts, "--\n"+m.Note)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// HTML is the message as a page.
func (m Message) HTML() (string, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, m); err != nil {
		return "", fmt.Errorf("mail: %w", err)
	}
	return b.String(), nil
}

// page is the message for programs that show more than text: they know styles of single elements only.
var page = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
<p style="font-size:18px;font-weight:600;margin:0 0 24px">SvcPay</p>
{{range .Lines}}<p style="margin:0 0 16px">{{.}}</p>
{{end}}{{if .Link.URL}}<p style="margin:24px 0"><a href="{{.Link.URL}}" style="display:inline-block;padding:10px 20px;border-radius:8px;background:#1f4fd8;color:#ffffff;text-decoration:none;font-weight:600">{{.Link.Label}}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#6b7280;word-break:break-all">{{.Link.URL}}</p>
{{end}}{{if .Note}}<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #d1d5db;font-size:13px;color:#6b7280">{{.Note}}</p>
{{end}}</div></body></html>
`))
