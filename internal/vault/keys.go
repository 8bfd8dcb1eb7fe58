package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"

	"svcpay/internal/platform/atomicfile"
	box "svcpay/internal/platform/seal"
)

// Keys are the keysets that never enter the database: one wraps the tokens' data keys, one makes
// fingerprints, and one seals the service's own secrets.
type Keys struct {
	wrap        tink.AEAD
	primary     uint32 // id of the key that wraps
	fingerprint *prf.Set
	// Secrets seals what is no payment data, such as the secrets of webhooks.
	Secrets *box.Box
}

// keyFile is the file form: Tink keysets in Tink's own JSON.
type keyFile struct {
	Wrap        json.RawMessage `json:"key_encryption"`
	Fingerprint json.RawMessage `json:"fingerprint"`
	Secrets     json.RawMessage `json:"secrets"`
}

// ErrKeyFileMode is returned for a key file that others may read.
var ErrKeyFileMode = errors.New("vault: the key file must be readable by its owner alone (chmod 600)")

// ReadKeyFile loads the keysets from a file, which must have mode 0600.
func ReadKeyFile(path string) (*Keys, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("vault: key file: %w", err)
	}
	defer file.Close()
	if st, err := file.Stat(); err != nil || st.Mode().Perm()&0o077 != 0 {
		return nil, errors.Join(ErrKeyFileMode, err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("vault: key file: %w", err)
	}
	var f keyFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, errors.New("vault: the key file is not valid JSON")
	}
	var sets [3]*keyset.Handle
	for i, text := range []json.RawMessage{f.Wrap, f.Fingerprint, f.Secrets} {
		if sets[i], err = readKeyset(text); err != nil {
			return nil, err
		}
	}
	return newKeys(sets[0], sets[1], sets[2])
}

// CreateKeyFile makes fresh keysets at path unless a file is there already, and loads them.
func CreateKeyFile(path string) (*Keys, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return ReadKeyFile(path)
	}
	wrap, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	fingerprint, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	if err != nil {
		return nil, err
	}
	secrets, err := box.NewKeyset()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(keyFile{Wrap: writeKeyset(wrap), Fingerprint: writeKeyset(fingerprint),
		Secrets: writeKeyset(secrets)})
	if err != nil {
		return nil, err
	}
	// Neither a crash nor two makers at once may leave a half file or replace another: either would lose every
	// token sealed since.
	if err := atomicfile.PutOnce(path, text); err != nil {
		return nil, fmt.Errorf("vault: key file: %w", err)
	}
	return ReadKeyFile(path)
}

func newKeys(wrap, fingerprint, secrets *keyset.Handle) (*Keys, error) {
	w, err := aead.New(wrap)
	if err != nil {
		return nil, fmt.Errorf("vault: key encryption keyset: %w", err)
	}
	f, err := prf.NewPRFSet(fingerprint)
	if err != nil {
		return nil, fmt.Errorf("vault: fingerprint keyset: %w", err)
	}
	b, err := box.New(secrets)
	if err != nil {
		return nil, err
	}
	return &Keys{wrap: w, primary: wrap.KeysetInfo().GetPrimaryKeyId(), fingerprint: f, Secrets: b}, nil
}

// AuditMAC is the purpose of the audit log's hashes.
const AuditMAC = "audit log"

// MAC makes keyed hashes for one purpose, with the keyset of fingerprints. The hashed text contains a zero byte and a
// fingerprinted text does not, so no hash is a fingerprint.
func (k *Keys) MAC(purpose string) *box.MAC { return box.NewMAC(k.fingerprint, purpose) }

func readKeyset(text []byte) (*keyset.Handle, error) {
	h, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return nil, errors.New("vault: the key file holds no valid keyset") // the cause could quote key bytes
	}
	return h, nil
}

func writeKeyset(h *keyset.Handle) []byte {
	var b bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&b)); err != nil {
		panic("vault: a fresh keyset cannot be written: " + err.Error()) // only a bug in the template can do this
	}
	return b.Bytes()
}
