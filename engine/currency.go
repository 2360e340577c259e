package engine

import (
	"fmt"
	"strings"
)

// Exponents says how many digits a currency's minor unit has for one provider: amounts are only comparable in the
// exponents of the provider that stated them.
type Exponents func(Currency) (int, error)

// The frozen table: ISO 4217 as of 2026, codes in use and retired ones (a statement may be old). A retired code on
// whose digits the sources disagree (BEF, GRD, LUF, PTE) is left out: an error is better than a factor of 100.
const (
	digits0 = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF " +
		"ADP BYR ESP ITL TRL"
	digits2 = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE " +
		"CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD " +
		"HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP " +
		"MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD " +
		"SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS " +
		"VED VES WST XAD XCD XCG YER ZAR ZMW ZWG " +
		"ANG ATS AZM BGL BGN CSD CUC CYP DEM EEK FIM FRF GHC HRK IEP LTL LVL MRO MTL MZM NLG ROL RUR SDD SIT SKK " +
		"SLL SRG STD TMM VEB VEF ZMK ZWD ZWL"
	digits3 = "BHD IQD JOD KWD LYD OMR TND"
	digits4 = "CLF UYW"
)

// ISO4217 is the table of the standard. An unknown code is an error, never a guess.
func ISO4217(c Currency) (int, error) {
	if isCode(c) {
		for digits, codes := range [...]string{0: digits0, 2: digits2, 3: digits3, 4: digits4} {
			if listed(codes, c) {
				return digits, nil
			}
		}
	}
	return 0, fmt.Errorf("currency %q: not an ISO 4217 code this build knows; accepted are three upper-case letters like USD", c)
}

// Stripe's own digits, where they differ from the standard: MGA has none there; ISK and UGX kept the two they had
// before the standard dropped them.
const (
	stripeDigits0 = "MGA"
	stripeDigits2 = "ISK UGX"
)

// StripeExponents is ISO4217 as Stripe counts minor units.
func StripeExponents(c Currency) (int, error) {
	switch {
	case !isCode(c):
	case listed(stripeDigits0, c):
		return 0, nil
	case listed(stripeDigits2, c):
		return 2, nil
	}
	return ISO4217(c)
}

func isCode(c Currency) bool {
	if len(c) != 3 {
		return false
	}
	for i := range len(c) {
		if c[i] < 'A' || c[i] > 'Z' {
			return false
		}
	}
	return true
}

// listed relies on codes being of three letters apart by one space: a code cannot be found across a gap.
func listed(codes string, c Currency) bool { return strings.Contains(codes, string(c)) }
