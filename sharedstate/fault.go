//go:build !faults

package sharedstate

// fault marks a point where the build tag faults lets a test panic or wait.
func fault(string) {}
