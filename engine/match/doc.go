// Package match compares a provider's statement with the open items of our clearing book. Items is pure and total:
// the order of the input never matters, and per currency
//
//	provider total − ledger total = Σ residuals of the breaks = residual
//
// holds for every input, after fee bookings and before any correction; it is asserted before a result leaves.
//
// Order of matching, each on what the ones before left over, never across currencies or kinds, never by an empty
// reference:
//
//	object     the provider's object: equal amounts by time, what is left n:m by its sum (or amount_differs)
//	business   our reference and amount: k to k by time; one against several leaves duplicates; else ambiguous
//	payout     payout membership: equal amounts k to k, what is left n:m if it sums up, else ambiguous
//	reference  one row and one item of a reference whose amounts differ: amount_differs
//	state      one row and one item of an object whose kinds differ: state_differs
//
// What finds nobody is missing_in_ledger or missing_at_provider: `timing` while its kind's grace lasts, then `open`.
// A leftover whose twin was matched is a duplicate. A match with a booked fee compares it (fee_differs); without, it
// books the statement's. A charge or a refund of which both sides name the invoice, and not the same one, is matched and
// state_differs with a residual of nothing: the money is right, and whose debt it paid is a person's question.
//
// A break is a finding, not an error. It promises nothing about rows the statement does not have: whether the
// statement is whole was proved before (package provider).
package match
