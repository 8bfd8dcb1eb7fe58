package fee

// InForceStatement is what the transaction that finishes a charge runs.
const InForceStatement = effective
