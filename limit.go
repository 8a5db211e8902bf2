package frankenshare

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// host is where the system says what it has.
var host = os.DirFS("/")

// memoryLimit is the most memory that this process can have, and what that is the limit of; 0 when nothing says it.
func memoryLimit(host fs.FS) (limit int64, of string) {
	limit, of = machineMemory(host), "the machine's memory"
	for _, file := range limitFiles(host) {
		text, _ := fs.ReadFile(host, file)
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil { // no such file, or "max"
			continue
		}
		if limit == 0 || n < limit {
			limit, of = n, "the container's memory limit"
		}
	}
	return limit, of
}

// limitFiles are the files that can hold a limit of the process's control groups. A group's limit counts for those
// below it as well, so they are all asked up to the root, which is also where a container sees its own group when the
// kernel shows it the path that the host knows.
func limitFiles(host fs.FS) []string {
	var files []string
	groups, _ := fs.ReadFile(host, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(fields) != 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if fields[1] != "" { // version 1
			if !slices.Contains(strings.Split(fields[1], ","), "memory") {
				continue
			}
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			files = append(files, path.Join(mount, group, file))
			if group == "/" {
				break
			}
		}
	}
	return files
}

func machineMemory(host fs.FS) int64 {
	info, _ := fs.ReadFile(host, "proc/meminfo")
	var kib int64
	if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}
