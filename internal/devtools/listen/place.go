package listen

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"svcpay/internal/devtools/signature"
	"svcpay/internal/platform/atomicfile"
)

// Target says whose events go where.
type Target struct {
	BaseURL       string `json:"base_url"` // the deployment
	ApplicationID int64  `json:"application_id"`
	ForwardTo     string `json:"forward_to"`
}

// Place is how far a target is in the log, kept in a file. One program at a time has it.
type Place struct {
	target Target
	path   string
	lock   *os.File
	// after is the sequence of the last event that needs nothing more; -1 if nothing was kept.
	after int64
}

// kept is what the file has.
type kept struct {
	Target
	AfterSequence *int64 `json:"after_sequence"`
}

// short is a name for a file, of what people call things in their own ways.
func short(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return fmt.Sprintf("%x", sum[:8])
}

// place is the directory in dir of what is kept for an application.
func place(dir string, t Target) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%s", t.ApplicationID, short(t.BaseURL)))
}

// application makes the directory in dir of what is kept for an application.
func application(dir string, t Target) (string, error) {
	dir = place(dir, t)
	return dir, os.MkdirAll(dir, 0o700)
}

// Open takes the place of a target, which is kept in dir, and keeps others away from it until Close.
func Open(dir string, t Target) (*Place, error) {
	dir, err := application(dir, t)
	if err != nil {
		return nil, err
	}
	p := &Place{target: t, path: filepath.Join(dir, short(t.ForwardTo)+".json"), after: -1}
	if p.lock, err = atomicfile.Lock(p.path + ".lock"); err != nil {
		return nil, err
	}
	if p.lock == nil {
		return nil, fmt.Errorf("another program forwards application %d to %s: stop it first",
			t.ApplicationID, t.ForwardTo)
	}
	if err := errors.Join(p.tidy(), p.read()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// tidy removes what anyone who had the place before was killed over.
func (p *Place) tidy() error {
	dir, name := filepath.Split(p.path)
	all, err := os.ReadDir(dir)
	for _, e := range all {
		if strings.HasPrefix(e.Name(), name+".") && e.Name() != filepath.Base(p.lock.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

func (p *Place) read() error {
	text, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil || k.AfterSequence == nil || *k.AfterSequence < 0 ||
		k.Target != p.target {
		return fmt.Errorf("%s does not say how far %s is: remove it, or say where to begin", p.path, p.target.ForwardTo)
	}
	p.after = *k.AfterSequence
	return nil
}

// After is the sequence of the last event that needs nothing more; false if no place was kept.
func (p *Place) After() (int64, bool) { return max(0, p.after), p.after >= 0 }

// Move notes the sequence of the last event that needs nothing more, and brings it to the disk.
func (p *Place) Move(after int64) error {
	text, err := json.Marshal(kept{p.target, &after})
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(p.path, append(text, '\n')); err != nil {
		return err
	}
	p.after = after
	return nil
}

// Close gives the place back. The kernel does so too, however the program ends.
func (p *Place) Close() error { return p.lock.Close() }

// Secret is what events of an application are signed with on this machine, wherever they go: made once, and kept in
// dir.
func Secret(dir string, t Target) (signature.Secret, error) {
	s, ok, err := KeptSecret(dir, t)
	if ok || err != nil {
		return s, err
	}
	if _, err := application(dir, t); err != nil {
		return s, err
	}
	if err := atomicfile.PutOnce(secretFile(dir, t), []byte(signature.NewSecret().Text()+"\n")); err != nil {
		return s, err
	}
	s, _, err = KeptSecret(dir, t)
	return s, err
}

// KeptSecret is Secret without making one; false if there is none.
func KeptSecret(dir string, t Target) (s signature.Secret, ok bool, err error) {
	path := secretFile(dir, t)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	if s, err = signature.SecretOf(strings.TrimSpace(string(text))); err != nil {
		return s, false, fmt.Errorf("%s has no secret; remove it to have one made: %w", path, err)
	}
	return s, true, nil
}

func secretFile(dir string, t Target) string { return filepath.Join(place(dir, t), "secret") }
