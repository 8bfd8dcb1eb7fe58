package vault

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"svcpay/internal/ids"
	"svcpay/internal/platform/atomicfile"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

// The vault's wrapping key is changed in three steps, between which servers read the file again: [AddKey] puts a key
// next to the present one, so that every server can open what it wraps; [UseNewest] has it wrap, and [Vault.Rotate]
// seals again what the former key wrapped; [DropFormer] takes the former out of the file. Each step may die anywhere
// and be made again.

// ErrOneKey is returned where a key is to take another's place and there is no other.
var ErrOneKey = errors.New("vault: the key file has one key: prepare another first")

// ErrOwner is returned to anyone who would change a key file of someone else.
var ErrOwner = errors.New("vault: the key file is changed by its owner alone: run this as the service's user")

// AddKey puts a new wrapping key into a file, behind the present one; false if one waits there already.
func AddKey(path string) (added bool, err error) {
	err = changeWrap(path, func(m *keyset.Manager, ids []uint32, _ uint32) error {
		if len(ids) > 1 {
			return nil
		}
		added = true
		_, err := m.Add(aead.AES256GCMKeyTemplate())
		return err
	})
	return added, err
}

// UseNewest has the key that came last wrap from now on.
func UseNewest(path string) error {
	return changeWrap(path, func(m *keyset.Manager, ids []uint32, _ uint32) error {
		if len(ids) < 2 {
			return ErrOneKey
		}
		return m.SetPrimary(ids[len(ids)-1])
	})
}

// DropFormer leaves the wrapping key in the file alone. What another has wrapped does not open any more.
func DropFormer(path string) error {
	return changeWrap(path, func(m *keyset.Manager, ids []uint32, primary uint32) error {
		for _, id := range ids {
			if id == primary {
				continue
			}
			if err := m.Delete(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeWrap changes the wrapping keyset of a file; a process that dies leaves the former file or the new one.
func changeWrap(path string, change func(m *keyset.Manager, ids []uint32, primary uint32) error) error {
	if _, err := ReadKeyFile(path); err != nil { // its mode and all of its keysets
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("vault: key file: %w", err)
	}
	if owner, ok := st.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return ErrOwner // the new file would be ours, and closed to those who read it now
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("vault: key file: %w", err)
	}
	var f keyFile
	if err := json.Unmarshal(text, &f); err != nil {
		return errors.New("vault: the key file is not valid JSON")
	}
	h, err := readKeyset(f.Wrap)
	if err != nil {
		return err
	}
	var all []uint32
	for _, k := range h.KeysetInfo().GetKeyInfo() {
		all = append(all, k.GetKeyId())
	}
	m := keyset.NewManagerFromHandle(h)
	if err := change(m, all, h.KeysetInfo().GetPrimaryKeyId()); err != nil {
		return err
	}
	if h, err = m.Handle(); err != nil {
		return fmt.Errorf("vault: key encryption keyset: %w", err)
	}
	f.Wrap = writeKeyset(h)
	if text, err = json.Marshal(f); err != nil {
		return err
	}
	return atomicfile.Replace(path, text)
}

// mark is how everything begins that a key of that id has encrypted (Tink's own prefix).
func mark(id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{1}, id) }

// rotationPage is how many tokens one statement looks at for those that a former key has wrapped: it has seconds, and
// nearly all of millions may have been sealed again.
const rotationPage = 10_000

// pageEnd is the last token of the page after one; the zero token when the page is the last.
func (v *Vault) pageEnd(ctx context.Context, q pg.Querier, after ids.Token) (ids.Token, error) {
	last, err := pg.Value[ids.Token](ctx, q, endOfPage, pg.Args{"after": after, "others": v.Page - 1})
	if errors.Is(err, pg.ErrNone) {
		return ids.Token{}, nil
	}
	return last, err
}

const (
	// The lowest id is none's.
	ofPage    = `k.token_id > coalesce(@after::uuid, '00000000-0000-0000-0000-000000000000')`
	endOfPage = `SELECT k.token_id FROM vault_keys k WHERE ` + ofPage + ` ORDER BY k.token_id OFFSET @others LIMIT 1`
	ofFormer  = ofPage + ` AND k.token_id <= coalesce(@end::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
				AND position(@mark::bytea IN substring(k.wrapped_key FOR 16)) = 0`
	countFormer = `
		SELECT count(*)::int AS left_over, count(c.token_id)::int AS waiting
		FROM vault_keys k LEFT JOIN vault_cvcs c ON c.token_id = k.token_id
		WHERE ` + ofFormer
	countPassing = `
		SELECT count(*)::int FROM bank_links
		WHERE wrapped_key IS NOT NULL AND position(@mark::bytea IN substring(wrapped_key FOR 16)) = 0`
	lockFormer = `
		SELECT k.token_id, t.application_id, t.merchant_id, k.wrapped_key, v.field, v.sealed, NULL::bytea AS once,
			NULL::text AS once_field
		FROM vault_keys k
		JOIN tokens t ON t.id = k.token_id
		JOIN vault_values v ON v.token_id = k.token_id
		WHERE ` + ofFormer + `
			AND NOT EXISTS (SELECT FROM vault_cvcs c WHERE c.token_id = k.token_id)
		ORDER BY k.token_id LIMIT @most FOR UPDATE OF k`
)

// Left says how many tokens a former key has wrapped, and how many of them still have a verification code, which
// are sealed again once it is gone. Accounts that become tokens yet are among both: they are gone as soon.
func (v *Vault) Left(ctx context.Context, pool *pgxpool.Pool) (left, waiting int, err error) {
	type counts struct {
		Left    int `db:"left_over"`
		Waiting int `db:"waiting"`
	}
	left, err = pg.Value[int](ctx, pool, countPassing, pg.Args{"mark": mark(v.keys.primary)})
	if err != nil {
		return 0, 0, err
	}
	waiting = left
	for after := (ids.Token{}); ; {
		end, err := v.pageEnd(ctx, pool, after)
		if err != nil {
			return left, waiting, err
		}
		c, err := pg.One[counts](ctx, pool, countFormer,
			pg.Args{"after": after, "end": end, "mark": mark(v.keys.primary)})
		left, waiting, after = left+c.Left, waiting+c.Waiting, end
		if err != nil || end.IsZero() {
			return left, waiting, err
		}
	}
}

// Rotate seals again, each with a data key of its own that the present key wraps, what a former key has wrapped of a
// page of the tokens after one: at most so many, in one transaction. It says how many those were and where to go on;
// the zero token when none is left.
//
// A token with a verification code is left out: an authorization that takes the code while its key changes would
// find that the two do not fit. Codes are gone within 15 minutes.
func (v *Vault) Rotate(ctx context.Context, pool *pgxpool.Pool, after ids.Token, most int) (done int, last ids.Token,
	err error) {
	err = pg.InTx(ctx, pool, func(tx *pg.Tx) error {
		end, err := v.pageEnd(ctx, tx, after)
		if err != nil {
			return err
		}
		rows, err := pg.All[examinedRow](ctx, tx, lockFormer,
			pg.Args{"after": after, "end": end, "mark": mark(v.keys.primary), "most": most})
		if err != nil {
			return err
		}
		done, last = len(rows), end
		for _, r := range rows {
			if err := v.againTx(tx, r); err != nil {
				return fmt.Errorf("%s: %w", r.Token, err)
			}
		}
		if done == most {
			last = rows[done-1].Token
		}
		crash.Point("vault.sealed_again")
		return nil
	})
	crash.Point("vault.rotated")
	return done, last, err
}

// againTx queues a token's data sealed by a fresh key.
func (v *Vault) againTx(tx *pg.Tx, r examinedRow) error {
	ref, old := Ref{r.Token, r.ApplicationID, r.MerchantID}, r.sealed()
	var fresh Sealed
	value := &fresh.PAN
	if len(old.AccountNumber) > 0 {
		number, err := v.OpenAccount(ref, old)
		if err != nil {
			return err
		}
		if fresh, err = v.SealAccount(ref, number); err != nil {
			return err
		}
		value = &fresh.AccountNumber
	} else {
		card, err := v.Open(ref, old)
		if err != nil {
			return err
		}
		if fresh, err = v.Seal(ref, card); err != nil {
			return err
		}
	}
	tx.Later(`UPDATE vault_keys SET wrapped_key = @key WHERE token_id = @token`,
		pg.Args{"token": r.Token, "key": fresh.WrappedKey})
	tx.Later(`UPDATE vault_values SET sealed = @sealed WHERE token_id = @token AND field = @field`,
		pg.Args{"token": r.Token, "field": r.Field, "sealed": *value})
	return nil
}
