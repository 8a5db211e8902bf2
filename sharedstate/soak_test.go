package sharedstate

import "os"

// soaking says that the tests' long forms are to run.
func soaking() bool { return os.Getenv("FRANKENSHARE_SOAK") != "" }
