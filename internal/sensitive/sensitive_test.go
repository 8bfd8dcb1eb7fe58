package sensitive_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"svcpay/internal/sensitive"
)

const (
	number = "4000056655665556"
	code   = "97100971" // longer than a real one, so that no one an address contain it
)

// holder keeps values where package fmt cannot call their methods.
type holder struct {
	pan   sensitive.PAN
	cvc   sensitive.CVC
	inner struct{ pan *sensitive.PAN }
	all   []sensitive.PAN
	named map[string]sensitive.CVC
	any   any
}

func samples() map[string]any {
	pan, cvc := sensitive.NewPAN(number), sensitive.NewCVC(code)
	h := holder{pan: pan, cvc: cvc, all: []sensitive.PAN{pan}, named: map[string]sensitive.CVC{"c": cvc}, any: pan}
	h.inner.pan = &pan
	return map[string]any{
		"pan": pan, "cvc": cvc, "account": sensitive.NewAccountNumber(number),
		"cryptogram": sensitive.NewCryptogram(code), "pointer": &pan, "code's pointer": &cvc, "holder": h,
		"holder's pointer": &h,
		"slice":            []sensitive.PAN{pan}, "map": map[string]any{"p": pan, "c": cvc}, "exported": struct {
			PAN sensitive.PAN
			CVC sensitive.CVC
		}{pan, cvc}, "error": fmt.Errorf("no: %v %w", pan, errors.New(fmt.Sprint(cvc))),
	}
}

// leaks reports whether a text shows the code or more of the number than its last four digits, in
// decimal or hexadecimal.
func leaks(text string) bool {
	for _, secret := range []string{number[:len(number)-4], number[2:14], code, fmt.Sprintf("%x", number[:12]),
		fmt.Sprintf("%X", number[:12]), fmt.Sprintf("%x", code)} {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

func TestLeaksAreRecognized(t *testing.T) {
	t.Parallel()
	for _, text := range []string{number, "n=" + code + ";", fmt.Sprintf("%x", number)} {
		if !leaks(text) {
			t.Errorf("%q is taken for harmless", text)
		}
	}
}

func TestNoVerbShowsDigits(t *testing.T) {
	t.Parallel()
	for name, v := range samples() {
		for _, verb := range "vTtbcdoOqxXUeEfFgGsp" {
			for _, flags := range []string{"", "+", "#", "+#", "30", "-30.20", "x"} {
				if got := fmt.Sprintf("%"+flags+string(verb), v); leaks(got) {
					t.Errorf("%s with %%%s%c prints %s", name, flags, verb, got)
				}
			}
		}
		if got := fmt.Sprint(v) + fmt.Sprintln(v); leaks(got) {
			t.Errorf("%s prints %s", name, got)
		}
	}
}

func TestNothingMarshals(t *testing.T) {
	t.Parallel()
	for name, v := range samples() {
		text, err := json.Marshal(v)
		if leaks(string(text)) {
			t.Errorf("%s as JSON: %s", name, text)
		}
		if !strings.HasPrefix(name, "holder") && name != "error" && !errors.Is(err, sensitive.ErrMarshal) {
			t.Errorf("%s as JSON: %s, %v; want a refusal", name, text, err)
		}
		var b bytes.Buffer
		_ = gob.NewEncoder(&b).Encode(v) // whatever it says, it must write no digit
		if leaks(b.String()) {
			t.Errorf("%s as gob shows digits", name)
		}
	}
	if text, err := sensitive.NewPAN(number).MarshalText(); err == nil {
		t.Errorf("marshals as %s", text)
	}
}

func TestNoLogShowsDigits(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		for name, v := range samples() {
			slog.New(h).With("with", v).WithGroup("g").Info(name, "value", v, slog.Group("sub", "value", v))
		}
	}
	if out := b.String(); leaks(out) || strings.Count(out, "\n") != 2*len(samples()) {
		t.Errorf("the logs show digits or lack lines:\n%s", out)
	}
}

func TestWhatMayBeShown(t *testing.T) {
	t.Parallel()
	pan, cvc := sensitive.NewPAN(number), sensitive.NewCVC(code)
	if pan.String() != "••••5556" || cvc.String() != "•••" || pan.Last4() != "5556" || pan.BIN() != "400005" {
		t.Errorf("%s %s %s %s", pan, cvc, pan.Last4(), pan.BIN())
	}
	if pan.Reveal() != number || cvc.Reveal() != code || pan.IsZero() || !(sensitive.CVC{}).IsZero() ||
		!sensitive.NewCVC("").IsZero() {
		t.Error("the content is lost")
	}
	if short := sensitive.NewPAN("12"); short.BIN() != "12" || short.Last4() != "12" ||
		(sensitive.PAN{}).Last4() != "" {
		t.Error("a short number is cut wrongly")
	}
}

func TestShortAccountNumbersStayHalfHidden(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"": "", "1": "", "1234": "34", "12345": "45", "1234567": "567",
		"12345678": "5678", "000123456789": "6789"} {
		if got := sensitive.NewAccountNumber(number).Last4(); got != want {
			t.Errorf("%s shows %s, want %s", number, got, want)
		}
	}
}
