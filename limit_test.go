package frankenshare

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// hostOf is a host with files: path, contents, path, contents.
func hostOf(files ...string) fs.FS {
	host := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		host[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return host
}

func TestMemoryLimit(t *testing.T) {
	const machine, container = "the machine's memory", "the container's memory limit"
	const meminfo, info = "proc/meminfo", "MemTotal:        8388608 kB\nMemFree:         20838324 kB\n"
	const groups = "proc/self/cgroup"
	const v1 = "9:name=systemd:/memory\n5:cpu,cpuacct:/c\n4:hugetlb,memory:/docker/one\n0::/\n"
	for name, c := range map[string]struct {
		host  fs.FS
		limit int64
		of    string
	}{
		"nothing known":  {hostOf(), 0, machine},
		"no groups":      {hostOf(meminfo, info), 8 << 30, machine},
		"group unknown":  {hostOf(meminfo, info, groups, "0::/a/b (deleted)\n"), 8 << 30, machine},
		"v2 container":   {hostOf(meminfo, info, groups, "0::/\n", "sys/fs/cgroup/memory.max", "536870912\n"), 512 << 20, container},
		"v2 no limit":    {hostOf(meminfo, info, groups, "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n"), 8 << 30, machine},
		"v2 above all":   {hostOf(meminfo, info, groups, "0::/a\n", "sys/fs/cgroup/a/memory.max", "8589934593\n"), 8 << 30, machine},
		"v2 own group":   {hostOf(meminfo, info, groups, "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/b/memory.max", "77\n"), 77, container},
		"v2 group above": {hostOf(meminfo, info, groups, "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "55\n", "sys/fs/cgroup/a/b/memory.max", "77\n"), 55, container},
		"v2 outside":     {hostOf(meminfo, info, groups, "0::/../../b\n", "sys/fs/cgroup/b/memory.max", "77\n"), 77, container},
		"v2 other group": {hostOf(meminfo, info, groups, "0::/a\n", "sys/fs/cgroup/b/memory.max", "77\n"), 8 << 30, machine},
		"v1 own group":   {hostOf(meminfo, info, groups, v1, "sys/fs/cgroup/memory/docker/one/memory.limit_in_bytes", "77\n"), 77, container},
		"v1 container":   {hostOf(meminfo, info, groups, v1, "sys/fs/cgroup/memory/memory.limit_in_bytes", "55\n"), 55, container},
		"v1 no limit":    {hostOf(meminfo, info, groups, v1, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 8 << 30, machine},
		"v1 other":       {hostOf(meminfo, info, groups, "5:cpu:/c\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "55\n"), 8 << 30, machine},
		"machine hidden": {hostOf(groups, "0::/\n", "sys/fs/cgroup/memory.max", "77\n"), 77, container},
	} {
		t.Run(name, func(t *testing.T) {
			limit, of := memoryLimit(c.host)
			require.Equal(t, c.limit, limit)
			require.Equal(t, c.of, of)
		})
	}
}

func TestMachineHasMemory(t *testing.T) {
	limit, _ := memoryLimit(host)
	require.Greater(t, limit, int64(64<<20))
}

func TestWarningAboveTheLimit(t *testing.T) {
	machine := host
	t.Cleanup(func() { host = machine })
	dropTablesAfter(t)
	tables := `{"tables": {"default": {"memory": "2MiB"}, "a": {"memory": "3MiB"}}}`

	host = hostOf("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "5242880\n")
	loaded(t, tables)
	require.Empty(t, logLines(`"level":"warn"`), "just as much as there is")

	host = hostOf("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "4194304\n")
	require.NoError(t, load(t, tables, ""))
	warnings := logLines(`"level":"warn"`)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "the tables may take 5MiB, more than the container's memory limit of 4MiB")

	host = hostOf("proc/meminfo", "MemTotal: 4096 kB\n")
	require.NoError(t, load(t, tables, ""))
	require.Contains(t, strings.Join(logLines(`"level":"warn"`), ""), "the tables may take 5MiB, more than the machine's memory of 4MiB")

	host = hostOf()
	require.NoError(t, load(t, tables, ""))
	require.Empty(t, logLines(`"level":"warn"`), "an unknown limit")
}
