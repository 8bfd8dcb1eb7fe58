package ids

type (
	chargeKind      struct{}
	tokenKind       struct{}
	eventKind       struct{}
	requestKind     struct{}
	keyKind         struct{}
	feeScheduleKind struct{}
	entryKind       struct{}
	operationKind   struct{}
)

func (chargeKind) Prefix() string      { return "ch" }
func (tokenKind) Prefix() string       { return "tok" }
func (eventKind) Prefix() string       { return "evt" }
func (requestKind) Prefix() string     { return "req" }
func (keyKind) Prefix() string         { return "key" }
func (feeScheduleKind) Prefix() string { return "fs" }
func (entryKind) Prefix() string       { return "bal" }
func (operationKind) Prefix() string   { return "op" }

// The ids of the service's objects.
type (
	Charge      = ID[chargeKind]
	Token       = ID[tokenKind]
	Event       = ID[eventKind]
	Request     = ID[requestKind]
	Key         = ID[keyKind]
	FeeSchedule = ID[feeScheduleKind]
	Entry       = ID[entryKind]
	Operation   = ID[operationKind]
)

// Constructors and parsers, one pair a kind, so that callers never spell a type parameter.
var (
	NewCharge      = New[chargeKind]
	NewToken       = New[tokenKind]
	NewEvent       = New[eventKind]
	NewRequest     = New[requestKind]
	NewKey         = New[keyKind]
	NewFeeSchedule = New[feeScheduleKind]
	NewEntry       = New[entryKind]
	NewOperation   = New[operationKind]

	ChargeFrom = FromBytes[chargeKind]

	ParseCharge = Parse[chargeKind]
	ParseToken  = Parse[tokenKind]
)
