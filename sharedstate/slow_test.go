//go:build !race

package sharedstate

// slowness is by how much a test is to do less.
const slowness = 1
