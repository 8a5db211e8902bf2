package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestMain finds the binary, and ends the servers that tests have shared.
func TestMain(m *testing.M) {
	if err := findBinary(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if sharedServer != nil {
		sharedServer.stop()
	}
	os.Exit(code)
}

// findBinary puts the absolute path of the binary into FRANKENPHP.
func findBinary() error {
	binary := os.Getenv("FRANKENPHP")
	if binary == "" {
		binary = filepath.Join("..", "bin", "frankenphp")
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("the end-to-end tests need the binary, and there is none at %s: run make build, or set FRANKENPHP to its path", binary)
	}
	return os.Setenv("FRANKENPHP", binary)
}
