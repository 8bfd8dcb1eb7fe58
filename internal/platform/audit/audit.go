// Package audit authorizes actions and records them: everything that people and operators did or were refused, and what
// programs administer. (Programs' requests are in the request log, and their payments have events.)
//
// Invariants: an action is recorded in the transaction that performs it, a refusal in one of its own. Entries never
// change. The entries of an application form a chain: the hash of each covers its content and the hash before it, and
// the end of the chain is stored separately; [Log.Inspect] finds an entry that was changed, removed, inserted or moved.
// Hashes are keyed, and heads of chains are exported: a rewritten or shortened chain doesn't match them.
package audit

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/seal"
)

// Log is the policy with a memory.
type Log struct {
	authz.Checker
	pool *pgxpool.Pool
	now  func() time.Time

	mac *seal.MAC // nil: entries have plain hashes

	looking sync.Mutex
	looked  map[int64]looked // by application

	exporting sync.Mutex
	exported  map[int64]Head // by application
	wholeAt   time.Time
}

// New makes the log. now is the machine's time. The key of the hashes comes with the policy ([Keyed]).
func New(pool *pgxpool.Pool, check authz.Checker, now func() time.Time) *Log {
	l := &Log{Checker: check, pool: pool, now: now, looked: map[int64]looked{}}
	if k, ok := check.(keyed); ok {
		l.mac = k.mac
	}
	return l
}

// Outcome says how an attempt ended.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"
	Denied Outcome = "denied" // the actor lacks the permission, or something of ours failed ([Log.Failed])
)

// ActorKind says what sort of actor it was.
type ActorKind string

// The kinds.
const (
	Person  ActorKind = "person"  // in the portal
	Key     ActorKind = "key"     // a program
	Command ActorKind = "command" // an operator of the deployment, at its machine
)

// Entry is one line of the log.
type Entry struct {
	ID             ids.AuditEntry `db:"id" json:"id"`
	ApplicationID  int64          `db:"application_id" json:"application_id"` // 0: the whole deployment
	OrganizationID *int64         `db:"organization_id" json:"organization_id"`
	MerchantID     *int64         `db:"merchant_id" json:"merchant_id"`
	ActorKind      ActorKind      `db:"actor_kind" json:"actor_kind"`
	PersonID       *int64         `db:"person_id" json:"person_id"`
	KeyID          *ids.Key       `db:"key_id" json:"key_id"`
	ActorName      string         `db:"actor_name" json:"actor_name"` // as it was then; of a command its operator
	Role           authz.Role     `db:"role" json:"role"`
	// Viewer is the role of someone who looked through Role; "" of everybody else.
	Viewer      authz.Role       `db:"viewer" json:"viewer,omitempty"`
	Domain      string           `db:"domain" json:"domain"` // where the role was granted
	Permission  authz.Permission `db:"permission" json:"permission"`
	SubjectKind string           `db:"subject_kind" json:"subject_kind"`
	SubjectID   string           `db:"subject_id" json:"subject_id"` // "" if it is none yet
	Outcome     Outcome          `db:"outcome" json:"outcome"`
	// Before and After are objects of the members that changed; of something new Before is empty.
	Before    json.RawMessage `db:"before" json:"before"`
	After     json.RawMessage `db:"after" json:"after"`
	RequestID *ids.Request    `db:"request_id" json:"request_id"`
	Address   *netip.Addr     `db:"address" json:"address"`
	CreatedAt instant.Time    `db:"created_at" json:"created_at"` // by the machine's clock
	// Position is the entry's place in its application's chain, and Hash what the next one follows from.
	Position int64  `db:"position" json:"-"`
	Hash     []byte `db:"hash" json:"-"`
	// MACKey is the key that Hash is computed with; nil for a plain hash.
	MACKey *int64 `db:"mac_key" json:"-"`
}

const columns = `id, application_id, organization_id, merchant_id, actor_kind, person_id, key_id, actor_name, role,
	viewer, domain, permission, subject_kind, subject_id, outcome, before, after, request_id, address, created_at,
	position, hash, mac_key`

// content is what an entry's hash is made of: everything but its place, which follows from the hash before.
func (e Entry) content() ([]byte, error) { return json.Marshal(e) }

// Subject is what someone acts on, or wants to.
type Subject struct {
	Kind string // of the object, as in its JSON: merchant, api_key
	ID   string // as people read it; "" for one that is to be made
	// Chain is the application in whose log it belongs, if that is not the actor's; 0 for the deployment's.
	Chain          *int64
	OrganizationID int64 // 0 if it is none's in particular
	MerchantID     int64 // 0 if it is none's
}

// Of is a subject of the actor's application and of one of its merchants; 0 of none.
func Of(kind, id string, merchantID int64) Subject {
	return Subject{Kind: kind, ID: id, MerchantID: merchantID}
}

// named reports whether an id is one of ours: a denied attempt may name anything.
var named = regexp.MustCompile(`^[a-z0-9_:.@-]{1,100}$`)

// administration are the permissions whose use by programs is written down too: nothing else would
// say who changed these.
var administration = []authz.Permission{
	authz.KeyManage, authz.WebhookManage, authz.EventRedeliver, authz.ExportCreate, authz.MerchantCreate,
	authz.MerchantUpdate, authz.MerchantFeatures, authz.MerchantDomains, authz.FeeWriteDAF,
	authz.CardRuleManage,
}

// kept reports whether it is written down that an actor used a permission.
func kept(a authz.Actor, p authz.Permission) bool {
	return !isProgram(a) || slices.Contains(administration, p)
}

func isProgram(a authz.Actor) bool { return a.Role.IsServer() || a.Role == authz.RolePublicKey }
