// SPDX-License-Identifier: MIT
// Go's runtime timers with the line protocol: one ready line, then one JSON line for each request line, until `quit` or
// the end of input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

const how = "time.AfterFunc and Timer.Stop from any goroutine, on the runtime's own timer heaps (one a processor);" +
	" GOMAXPROCS is the number of cores (the default); the collector is off below a soft limit of 2 GiB (GOGC=off," +
	" GOMEMLIMIT=2GiB), as the guide to Go's collector suggests where memory is at hand"

var works = map[string]func(request) (answer, error){
	"pair":     pair,
	"fire":     fire,
	"lateness": lateness,
	"memory":   memory,
}

type answer map[string]any

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(2 << 30)
	say(answer{"ready": true, "system": "go", "version": runtime.Version(), "how": how})
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() && strings.TrimSpace(input.Text()) != "quit" {
		given, err := serve(input.Text())
		if err != nil {
			given = answer{"error": err.Error()}
		}
		say(given)
	}
	if err := input.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "go timers: standard input:", err)
		os.Exit(1)
	}
}

func serve(line string) (answer, error) {
	asked, err := parse(line)
	if err != nil {
		return nil, err
	}
	work, known := works[asked.work]
	if !known {
		return nil, fmt.Errorf("'%s': no such work", asked.work)
	}
	runtime.GC() // the garbage of the work before is not this one's
	return work(asked)
}

func say(given answer) {
	line, err := json.Marshal(given)
	if err != nil {
		fmt.Fprintln(os.Stderr, "go timers:", err)
		os.Exit(1)
	}
	fmt.Println(string(line))
}
