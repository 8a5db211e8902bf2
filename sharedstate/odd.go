//go:build !break_odd

package sharedstate

// oddStep makes a version odd while its writer is at work. The build tag break_odd leaves that out, so that the proofs can be
// seen to fail.
const oddStep = 1
