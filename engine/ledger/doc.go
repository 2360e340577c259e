// Package ledger turns business facts into double-entry transactions: pure functions, one type a fact, whose Post
// answers postings that sum to zero per currency. A fact's key is made from the business alone, so the same fact
// posted twice is one transaction.
//
//	invoice              receivable +  revenue −  tax −
//	credit note          revenue +  tax +  receivable −
//	payment seen         clearing +  receivable −
//	provider's fee       fees +  clearing −
//	refund paid out      receivable +  clearing −      of a sale: with its credit note; of an over-payment: alone
//	dispute opened       disputed +  clearing −
//	dispute won          clearing +  disputed −
//	dispute lost         losses +  disputed −
//	payout               in_transit +  clearing −
//	payout at the bank   bank +  in_transit −
//	failed payout        clearing +  in_transit −
//	conversion           through fx, zero in each currency
//	local correction     clearing ±  suspense ∓, and suspense to its place when resolved
//	tolerated cent       clearing ±  rounding ∓
//
// A provider's statement reconciles clearing, a bank's statement in_transit. What is authoritative is the database,
// which checks the zero sum a second time; Check is the first time.
package ledger
