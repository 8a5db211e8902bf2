//go:build !(amd64 || arm64 || riscv64 || ppc64le || loong64)

package sharedstate

// The store needs 64-bit words that are atomic, and little-endian bytes in its encoding.
var _ = sharedstate_needs_a_64_bit_little_endian_platform
