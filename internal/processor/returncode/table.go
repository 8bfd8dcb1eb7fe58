package returncode

// The windows. A consumer's bank has sixty days to send back what its customer calls unauthorized, and
// ninety in Canada (Rule H1); a business there has ten banking days.
var (
	usual     = Window{2, true}
	sixty     = Window{60, false}
	ninety    = Window{90, false}
	tenBanked = Window{10, true}
)

// table has the codes that a debit, or the credit of a payout, can come back with. Codes of other
// exchanges between banks (dishonored and contested returns, federal enrollments) are none of ours.
var table = []Code{
	{"R01", "insufficient funds", Retryable, Nacha, usual},
	{"R02", "account closed", AccountInvalid, Nacha, usual},
	{"R03", "no account, or the account cannot be found", AccountInvalid, Nacha, usual},
	{"R04", "the account number cannot be right", AccountInvalid, Nacha, usual},
	{"R05", "a consumer's account was debited as a business's without authorization", Unauthorized, Nacha, sixty},
	{"R06", "the sending bank asked for it", Administrative, Nacha, usual},
	{"R07", "authorization revoked by the customer", Unauthorized, Nacha, sixty},
	{"R08", "payment stopped", Stopped, Nacha, usual},
	{"R09", "uncollected funds", Retryable, Nacha, usual},
	{"R10", "the customer does not know the originator or did not authorize the debit", Unauthorized, Nacha, sixty},
	{"R11", "the debit was not as the customer authorized it", Unauthorized, Nacha, sixty},
	{"R12", "the account was sold to another bank", AccountInvalid, Nacha, usual},
	{"R13", "the bank takes no part in ACH", AccountInvalid, Nacha, usual},
	{"R14", "the representative payee is deceased or cannot continue", Deceased, Nacha, usual},
	{"R15", "the account holder is deceased", Deceased, Nacha, usual},
	{"R16", "account frozen", AccountInvalid, Nacha, usual},
	{"R17", "the receiving bank could not process the entry", Administrative, Nacha, usual},
	{"R18", "improper effective entry date", Administrative, Nacha, usual},
	{"R19", "error in the amount", Administrative, Nacha, usual},
	{"R20", "the account does not allow such transactions", AccountInvalid, Nacha, usual},
	{"R21", "invalid company identification", Administrative, Nacha, usual},
	{"R22", "invalid individual identification", Administrative, Nacha, usual},
	{"R23", "the credit was refused by the receiver", Administrative, Nacha, usual},
	{"R24", "duplicate entry", Administrative, Nacha, usual},
	{"R25", "error in the addenda", Administrative, Nacha, usual},
	{"R26", "error in a mandatory field", Administrative, Nacha, usual},
	{"R27", "error in the trace number", Administrative, Nacha, usual},
	{"R28", "the routing number's check digit is wrong", AccountInvalid, Nacha, usual},
	{"R29", "a business did not authorize the debit", Unauthorized, Nacha, sixty},
	{"R30", "the bank takes no part in check truncation", Administrative, Nacha, usual},
	{"R31", "returned with the sending bank's permission", Administrative, Nacha, usual},
	{"R32", "the receiving bank cannot settle", Administrative, Nacha, usual},
	{"R33", "the entry stood for a lost check", Administrative, Nacha, sixty},
	{"R34", "the bank's part in ACH is limited", AccountInvalid, Nacha, usual},
	{"R35", "the account must not be debited", AccountInvalid, Nacha, usual},
	{"R36", "the account must not be credited", Administrative, Nacha, usual},
	{"R37", "the paper check was presented as well", Administrative, Nacha, sixty},
	{"R38", "payment of the paper check was stopped", Stopped, Nacha, sixty},
	{"R39", "the paper document does not allow an entry", Administrative, Nacha, usual},
	{"R50", "state law does not allow the check to be presented again this way", Administrative, Nacha, usual},
	{"R51", "the check presented again is not eligible or was not authorized", Unauthorized, Nacha, sixty},
	{"R52", "payment of the check presented again was stopped", Stopped, Nacha, sixty},
	{"R53", "the check was presented again in both ways", Administrative, Nacha, sixty},

	{"900", "rejected when the file was checked", Administrative, Canada, usual},
	{"901", "insufficient funds", Retryable, Canada, usual},
	{"902", "the account cannot be found", AccountInvalid, Canada, usual},
	{"903", "payment stopped or recalled", Stopped, Canada, usual},
	{"904", "dated too early or too late", Administrative, Canada, usual},
	{"905", "account closed", AccountInvalid, Canada, usual},
	{"907", "the account must not be debited", AccountInvalid, Canada, usual},
	{"908", "funds not cleared", Retryable, Canada, usual},
	{"909", "the account is kept in another currency", AccountInvalid, Canada, usual},
	{"910", "the account holder is deceased", Deceased, Canada, usual},
	{"911", "account frozen", AccountInvalid, Canada, usual},
	{"912", "the account number is wrong", AccountInvalid, Canada, usual},
	{"914", "the name is not that of the account", AccountInvalid, Canada, usual},
	{"915", "no agreement existed", Unauthorized, Canada, ninety},
	{"916", "not according to the agreement (personal)", Unauthorized, Canada, ninety},
	{"917", "agreement revoked (personal)", Unauthorized, Canada, ninety},
	{"918", "no confirmation or notice before the debit (personal)", Unauthorized, Canada, ninety},
	{"919", "not according to the agreement (business)", Unauthorized, Canada, tenBanked},
	{"920", "agreement revoked (business)", Unauthorized, Canada, tenBanked},
	{"921", "no confirmation or notice before the debit (business)", Unauthorized, Canada, tenBanked},
	{"922", "the credit was returned by the customer", Administrative, Canada, usual},
	{"990", "the institution is in default", Administrative, Canada, usual},
}
