package ids

type (
	chargeKind      struct{}
	tokenKind       struct{}
	eventKind       struct{}
	requestKind     struct{}
	keyKind         struct{}
	feeScheduleKind struct{}
	feeChangeKind   struct{}
	entryKind       struct{}
	operationKind   struct{}
	refundKind      struct{}
	disputeKind     struct{}
	payoutKind      struct{}
	mandateKind     struct{}
	fileKind        struct{}
	bankAccountKind struct{}
	exportKind      struct{}
	happeningKind   struct{}
	endpointKind    struct{}
	deliveryKind    struct{}
	replayKind      struct{}
	donationKind    struct{}
	enrollmentKind  struct{}
	auditEntryKind  struct{}
	mailKind        struct{}

	processorAccountKind struct{}
	cardRuleEntryKind    struct{}
)

func (chargeKind) Prefix() string           { return "ch" }
func (tokenKind) Prefix() string            { return "tok" }
func (eventKind) Prefix() string            { return "evt" }
func (requestKind) Prefix() string          { return "req" }
func (keyKind) Prefix() string              { return "key" }
func (feeScheduleKind) Prefix() string      { return "fs" }
func (feeChangeKind) Prefix() string        { return "fc" }
func (entryKind) Prefix() string            { return "bal" }
func (operationKind) Prefix() string        { return "op" }
func (refundKind) Prefix() string           { return "re" }
func (disputeKind) Prefix() string          { return "dp" }
func (payoutKind) Prefix() string           { return "po" }
func (mandateKind) Prefix() string          { return "mdt" }
func (fileKind) Prefix() string             { return "file" }
func (bankAccountKind) Prefix() string      { return "ba" }
func (exportKind) Prefix() string           { return "exp" }
func (happeningKind) Prefix() string        { return "tl" }
func (endpointKind) Prefix() string         { return "whe" }
func (deliveryKind) Prefix() string         { return "dlv" }
func (replayKind) Prefix() string           { return "rpl" }
func (donationKind) Prefix() string         { return "daf" }
func (enrollmentKind) Prefix() string       { return "enr" }
func (auditEntryKind) Prefix() string       { return "aud" }
func (mailKind) Prefix() string             { return "mail" }
func (processorAccountKind) Prefix() string { return "pa" }
func (cardRuleEntryKind) Prefix() string    { return "cre" }

// The ids of the service's objects.
type (
	Charge      = ID[chargeKind]
	Token       = ID[tokenKind]
	Event       = ID[eventKind]
	Request     = ID[requestKind]
	Key         = ID[keyKind]
	FeeSchedule = ID[feeScheduleKind]
	FeeChange   = ID[feeChangeKind]
	Entry       = ID[entryKind]
	Operation   = ID[operationKind]
	Refund      = ID[refundKind]
	Dispute     = ID[disputeKind]
	Payout      = ID[payoutKind]
	Mandate     = ID[mandateKind]
	File        = ID[fileKind]
	BankAccount = ID[bankAccountKind]
	Export      = ID[exportKind]
	Happening   = ID[happeningKind]
	Endpoint    = ID[endpointKind]
	Delivery    = ID[deliveryKind]
	Replay      = ID[replayKind]
	Donation    = ID[donationKind]
	Enrollment  = ID[enrollmentKind]
	AuditEntry  = ID[auditEntryKind]
	Mail        = ID[mailKind]

	ProcessorAccount = ID[processorAccountKind]
	CardRuleEntry    = ID[cardRuleEntryKind]
)

// FirstCharge is the least id of a charge that was made at a time.
var FirstCharge = First[chargeKind]

// FirstPayout is the least id of a payout that was made at a time.
var FirstPayout = First[payoutKind]

// FirstToken is the least id of a token that was made at a time.
var FirstToken = First[tokenKind]

// FirstEvent is the least id of an event that happened at a time.
var FirstEvent = First[eventKind]

// FirstEntry is the least id of an entry that was posted at a time.
var FirstEntry = First[entryKind]

// FirstAuditEntry is the least id of an entry that was written at a time.
var FirstAuditEntry = First[auditEntryKind]

// FirstRefund is the least id of a refund that was made at a time.
var FirstRefund = First[refundKind]

// FirstFile is the least id of a file that was uploaded at a time.
var FirstFile = First[fileKind]

// FirstDonation is the least id of a donation that was made at a time.
var FirstDonation = First[donationKind]

// FirstDelivery is the least id of a delivery that was made at a time.
var FirstDelivery = First[deliveryKind]

// FirstRequest is the least id of a request that came at a time.
var FirstRequest = First[requestKind]

// Constructors and parsers, one pair a kind, so that callers never spell a type parameter.
var (
	NewCharge      = New[chargeKind]
	NewToken       = New[tokenKind]
	NewEvent       = New[eventKind]
	NewRequest     = New[requestKind]
	NewKey         = New[keyKind]
	NewFeeSchedule = New[feeScheduleKind]
	NewFeeChange   = New[feeChangeKind]
	NewEntry       = New[entryKind]
	NewOperation   = New[operationKind]
	NewRefund      = New[refundKind]
	NewDispute     = New[disputeKind]
	NewPayout      = New[payoutKind]
	NewMandate     = New[mandateKind]
	NewFile        = New[fileKind]
	NewBankAccount = New[bankAccountKind]
	NewExport      = New[exportKind]
	NewEndpoint    = New[endpointKind]
	NewDelivery    = New[deliveryKind]
	NewReplay      = New[replayKind]
	NewDonation    = New[donationKind]
	NewEnrollment  = New[enrollmentKind]
	NewAuditEntry  = New[auditEntryKind]
	NewMail        = New[mailKind]

	NewProcessorAccount = New[processorAccountKind]
	NewCardRuleEntry    = New[cardRuleEntryKind]

	ChargeFrom    = FromBytes[chargeKind]
	RefundFrom    = FromBytes[refundKind]
	DisputeFrom   = FromBytes[disputeKind]
	PayoutFrom    = FromBytes[payoutKind]
	DonationFrom  = FromBytes[donationKind]
	TokenFrom     = FromBytes[tokenKind]
	OperationFrom = FromBytes[operationKind]
	KeyFrom       = FromBytes[keyKind]
	EndpointFrom  = FromBytes[endpointKind]
	DeliveryFrom  = FromBytes[deliveryKind]

	ParseCharge      = Parse[chargeKind]
	ParseToken       = Parse[tokenKind]
	ParseRefund      = Parse[refundKind]
	ParseDispute     = Parse[disputeKind]
	ParsePayout      = Parse[payoutKind]
	ParseMandate     = Parse[mandateKind]
	ParseFile        = Parse[fileKind]
	ParseFeeSchedule = Parse[feeScheduleKind]
	ParseFeeChange   = Parse[feeChangeKind]
	ParseEntry       = Parse[entryKind]
	ParseExport      = Parse[exportKind]
	ParseHappening   = Parse[happeningKind]
	ParseRequest     = Parse[requestKind]
	ParseKey         = Parse[keyKind]
	ParseEvent       = Parse[eventKind]
	ParseEndpoint    = Parse[endpointKind]
	ParseDelivery    = Parse[deliveryKind]
	ParseReplay      = Parse[replayKind]
	ParseDonation    = Parse[donationKind]
	ParseOperation   = Parse[operationKind]
	ParseAuditEntry  = Parse[auditEntryKind]

	ParseProcessorAccount = Parse[processorAccountKind]
	ParseCardRuleEntry    = Parse[cardRuleEntryKind]
)
