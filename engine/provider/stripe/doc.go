// Package stripe reads Stripe's itemised reports (payout reconciliation, balance change from activity) as they are
// exported to CSV. Columns are found by name, never by place; what it does not need it does not look at.
//
// It is strict: a line it cannot read refuses the whole file, with file, line, column, what was found and what would
// be accepted. A row's identity is the balance transaction's id: the same id with the same content is one row, with
// other content the file is refused. A category it does not know becomes an adjustment and is never dropped.
//
// It does not promise that the file is whole: that is package provider's Whole.
package stripe
