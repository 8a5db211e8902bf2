//go:build race

package sharedstate

// slowness is by how much a test is to do less: the race detector makes copies slow.
const slowness = 8
