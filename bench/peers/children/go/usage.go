// SPDX-License-Identifier: MIT
// What this process has used so far: CPU time of all its threads, wall time, memory.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

type usage struct {
	wall time.Time
	cpu  int64
}

func usageNow() (usage, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return usage{}, fmt.Errorf("getrusage: %w", err)
	}
	return usage{time.Now(), used.Utime.Nano() + used.Stime.Nano()}, nil
}

// addSince adds what has been used since an earlier reading.
func (given answer) addSince(earlier usage) (answer, error) {
	now, err := usageNow()
	given["wall_ns"] = now.wall.Sub(earlier.wall).Nanoseconds()
	given["cpu_ns"] = now.cpu - earlier.cpu
	return given, err
}

// residentBytes is what stays after a collection that gives back all it can.
func residentBytes() (int, error) {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var total, resident int
	if _, err := fmt.Sscan(string(text), &total, &resident); err != nil {
		return 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return resident * os.Getpagesize(), nil
}
