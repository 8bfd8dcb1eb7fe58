package portal

const refundsPath = "/portal/refunds"
