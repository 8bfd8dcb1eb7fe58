package search

// SelectCharges finds all charges that match.
const SelectCharges = whole + charges + among
