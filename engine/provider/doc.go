// Package provider turns what a payment provider sent into an engine.Statement: Parse finds the format by the file's
// content, never by its name, and Whole proves that nothing is missing from it.
//
// A statement that is not proved whole is pending, not wrong: the job waits and burns no attempt. A statement that
// cannot be read is refused as a whole, with the line; nothing half-read goes on.
//
// Formats and clients live in one package each, named after the outside thing they adapt.
package provider
