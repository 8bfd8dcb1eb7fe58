package processor

// Grant is a capability that a counterparty gives to some of its accounts only. An account has none until its test
// found it out (see [Report]).
type Grant string

// The grants.
const (
	// GrantNetworkTransactionID lets merchant-initiated payments name the network transaction ID of their series.
	GrantNetworkTransactionID Grant = "network_transaction_id"
	// GrantWalletTokens lets payments use the card of a wallet with its cryptogram.
	GrantWalletTokens Grant = "wallet_tokens"
)
