//go:build break_odd

package sharedstate

const oddStep = 0
