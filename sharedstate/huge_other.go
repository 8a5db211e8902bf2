//go:build !race && !linux

package sharedstate

func wantHugePages([]byte) {}
