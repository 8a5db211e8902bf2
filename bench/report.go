package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is what is printed and written. Times are nanoseconds for one operation, as costs are.
type report struct {
	Begun    time.Time         `json:"begun"`
	Machine  string            `json:"machine"`
	Load     string            `json:"load"`
	Versions map[string]string `json:"versions"`
	Results  []result          `json:"results"`
	Loops    []loop            `json:"loops"`
	Full     []latency         `json:"full"`
	HandOver []handOver        `json:"hand_over"`
	Redis    []throughput      `json:"redis"`
	Raw      map[int]costs     `json:"raw"`
}

// result is a line on a number of threads.
type result struct {
	Threads int    `json:"threads"`
	Rounds  int    `json:"rounds"`
	Work    string `json:"work"`
	Peer    string `json:"peer"`
	Ours    spread `json:"ours_ns"`
	Theirs  spread `json:"peer_ns"`
	Ratio   spread `json:"ratio"`
	Target  target `json:"target"`
	Verdict string `json:"verdict"`
}

// loop is the cost of an empty loop, which was taken off.
type loop struct {
	Threads int    `json:"threads"`
	Kind    string `json:"kind"`
	Cost    spread `json:"ns"`
}

func newReport(versions map[string]string) *report {
	return &report{
		Begun: time.Now().UTC(), Machine: machine(), Load: load(), Versions: versions,
		Raw: make(map[int]costs),
	}
}

func machine() string {
	model := runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%d × %s", runtime.NumCPU(), model)
}

// load is that of the minute before.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	average, _, _ := strings.Cut(string(text), " ")
	return average
}

func (r *report) add(threads int, c costs) {
	r.Raw[threads] = c
	for _, kind := range []string{"for", "foreach"} {
		r.Loops = append(r.Loops, loop{threads, kind, spreadOf(c["php "+kind])})
	}
	for _, l := range lines {
		if len(c[l.ours]) == 0 || len(c[l.peer]) == 0 {
			continue // it is measured on one thread alone, or not wanted
		}
		t := l.alone
		if threads > 1 {
			t = l.together
		}
		ours, theirs, ratio := l.compare(c, t)
		verdict := t.verdict(ours.Median, ratio.Median)
		r.Results = append(r.Results, result{threads, len(c[l.ours]), l.title, calls[l.peer], ours, theirs, ratio, t, verdict})
	}
}

// markdown is the report as tables that are readable as text, too.
func (r *report) markdown() string {
	var b strings.Builder
	v := r.Versions
	fmt.Fprintf(&b, "# FrankenShare %s beside PHP %s and APCu %s\n\n", v["frankenshare"], v["php"], v["apcu"])
	fmt.Fprintf(&b, "%s, load %s before the start. One process, interleaved rounds: median (least to most).\n", r.Machine, r.Load)
	for _, threads := range []int{1, threadCount} {
		b.WriteString(r.table(threads))
	}
	b.WriteString(r.fullTable() + r.handOverTable() + r.redisTable())
	return b.String()
}

func (r *report) table(threads int) string {
	title, unit, show := "1 thread", "ns", func(ns float64) string { return fmt.Sprintf("%.1f", ns) }
	if threads > 1 {
		title, unit = fmt.Sprintf("%d threads in total", threads), "million/s"
		show = func(ns float64) string { return fmt.Sprintf("%.2f", 1000/ns) }
	}
	rounds := 0
	rows := [][]string{{"work", "FrankenShare, " + unit, "peer, " + unit, "ratio", "target", "verdict"}}
	for _, x := range r.Results {
		if x.Threads != threads {
			continue
		}
		rounds = x.Rounds
		ratio := "%s × faster"
		if x.Target.AtMost > 0 {
			ratio = "%s × its time"
		}
		rows = append(rows, []string{x.Work, show(x.Ours.Median), x.Peer + " " + show(x.Theirs.Median),
			fmt.Sprintf(ratio, x.Ratio), x.Target.String(), x.Verdict})
	}
	var off []string
	for _, l := range r.Loops {
		if l.Threads == threads {
			off = append(off, fmt.Sprintf("%s %.2f (%.2f to %.2f) ns", l.Kind, l.Cost.Median, l.Cost.Least, l.Cost.Most))
		}
	}
	return fmt.Sprintf("\n## %s, %d rounds\n\n%s\nTaken off for the empty loop: %s.\n",
		title, rounds, align(rows), strings.Join(off, ", "))
}

func (s spread) String() string {
	digits := 2
	if s.Median >= 100 {
		digits = 0
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, s.Median, digits, s.Least, digits, s.Most)
}

// align makes a Markdown table with columns of one width.
func align(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	write := func(row []string) {
		for i, cell := range row {
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+1))
		}
		b.WriteString("|\n")
	}
	write(rows[0])
	for _, w := range widths {
		b.WriteString("|" + strings.Repeat("-", w+2))
	}
	b.WriteString("|\n")
	for _, row := range rows[1:] {
		write(row)
	}
	return b.String()
}

// write leaves the report in dir, as Markdown and with every round as JSON.
func (r *report) write(dir string) error {
	name := filepath.Join(dir, r.Begun.Format("20060102T150405Z"))
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".json", append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(name+".md", []byte(r.markdown()), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "written to %s.md and .json\n", name)
	return nil
}
