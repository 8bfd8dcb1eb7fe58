package token

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/platform/security"
)

// Sizes of a challenge. A solution has a number for each of several small puzzles, so that the time to find it varies
// little.
const (
	puzzles       = 16
	bitsSuspected = 13 // 130,000 hashes on average, a fifth of a second of a browser
	bitsAttacked  = 15
	proofLife     = 5 * time.Minute
	seedSize      = 27 // of these 36 characters: its end, the bits, a nonce, and a digest of these
	seedSigned    = 13
)

// usedProofs makes each proof good for one token.
var usedProofs = ratelimit.Bound{What: "card_proof", Most: 1, Within: 2 * proofLife}

// Proof is the solution of a challenge.
type Proof struct {
	Seed     string   `json:"seed"`
	Solution []uint32 `json:"solution"`
}

// Challenge asks a browser to prove work: for each of Puzzles numbers i it must find a number n for which the SHA-256
// of Seed, i and n begins with Bits zero bits. Both numbers have four bytes, the most significant first.
type Challenge struct {
	Seed    string `json:"seed"`
	Bits    int    `json:"bits"`
	Puzzles int    `json:"puzzles"`
}

// Solves reports whether a solution is right.
func (c Challenge) Solves(solution []uint32) bool {
	if len(solution) != c.Puzzles {
		return false
	}
	for i, n := range solution {
		text := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte(c.Seed), uint32(i)), n)
		sum := sha256.Sum256(text)
		if bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) < c.Bits {
			return false
		}
	}
	return true
}

// Solve finds a solution.
func (c Challenge) Solve() []uint32 {
	out := make([]uint32, c.Puzzles)
	text := append([]byte(c.Seed), make([]byte, 8)...)
	for i := range out {
		binary.BigEndian.PutUint32(text[len(c.Seed):], uint32(i))
		for {
			binary.BigEndian.PutUint32(text[len(c.Seed)+4:], out[i])
			if sum := sha256.Sum256(text); bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) >= c.Bits {
				break
			}
			out[i]++
		}
	}
	return out
}

// bitsOf is how hard a challenge is.
func (s *Service) bitsOf(l level) int {
	if l == restricted {
		return bitsAttacked - s.deps.EasierProofs
	}
	return bitsSuspected - s.deps.EasierProofs
}

// prove accepts a proof that is hard enough for a level, of this session, in time, and not used before. The error is a
// new challenge.
func (s *Service) prove(ctx context.Context, session SessionUse, p Proof, l level) (bool, error) {
	now := s.deps.Now()
	c, err := s.opened(session, p.Seed, now)
	if err != nil {
		return false, err
	}
	ok := c.Bits >= s.bitsOf(l) && c.Solves(p.Solution)
	if ok {
		key := sha256.Sum256([]byte(p.Seed))
		if ok, err = usedProofs.Take(ctx, s.deps.Pool, session.ApplicationID, key[:], now); err != nil {
			return false, err
		}
	}
	if ok {
		return true, nil
	}
	outcome := security.Challenged
	if p.Seed != "" {
		outcome = "proof_rejected"
	}
	s.noteTesting(ctx, session, outcome)
	return false, s.challenge(session, s.bitsOf(l), now)
}

// challenge is the fault that asks a browser to prove work.
func (s *Service) challenge(session SessionUse, hard int, now time.Time) error {
	seed := make([]byte, 0, seedSize)
	seed = binary.BigEndian.AppendUint32(seed, uint32(now.Add(proofLife).Unix()))
	seed = append(append(seed, byte(hard)), make([]byte, 8)...)
	rand.Read(seed[5:]) // never fails (crypto/rand)
	sum, err := s.seedSum(session, seed)
	if err != nil {
		return err
	}
	return fault.New(fault.KindLimited, "card_testing_suspected",
		"The payment could not be checked. Reload the page and try again.").
		With("challenge", Challenge{base64.RawURLEncoding.EncodeToString(append(seed, sum...)), hard, puzzles})
}

// opened is the challenge of a seed; one without bits if the seed is not one of this session, or too old.
func (s *Service) opened(session SessionUse, text string, now time.Time) (Challenge, error) {
	seed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(seed) != seedSize {
		return Challenge{}, nil
	}
	sum, err := s.seedSum(session, seed[:seedSigned])
	if err != nil || !hmac.Equal(sum, seed[seedSigned:]) ||
		now.Unix() >= int64(binary.BigEndian.Uint32(seed)) {
		return Challenge{}, err
	}
	return Challenge{text, int(seed[4]), puzzles}, nil
}

// seedSum is the keyed digest that binds a seed to its session.
func (s *Service) seedSum(session SessionUse, seed []byte) ([]byte, error) {
	mac := s.deps.Vault.MAC("card challenges")
	sum, err := mac.Sum(mac.Key(), append(append([]byte{}, session.Hash...), seed...))
	if err != nil {
		return nil, err
	}
	return sum[:seedSize-seedSigned], nil
}
