// SPDX-License-Identifier: MIT
// The work `memory`: bytes of a pending timer whose closure keeps 24 bytes, what the collector can give back given back.
package main

import (
	"time"
)

// What the closures do with their 24 bytes.
var used int

func memory(asked request) (answer, error) {
	values, err := asked.counts("timers")
	if err != nil {
		return nil, err
	}
	wanted := values[0]
	far := time.AfterFunc(time.Hour, nothing)
	defer far.Stop()
	each := newDelays(wanted)
	timers := make([]*time.Timer, wanted)
	for i := range timers {
		timers[i] = nil // makes the array resident before the first reading
	}
	before, err := residentBytes()
	if err != nil {
		return nil, err
	}
	for i := range timers {
		timers[i] = holding(each.next(time.Hour, time.Second), i, wanted, int(each))
	}
	after, err := residentBytes()
	if err != nil {
		return nil, err
	}
	for _, timer := range timers {
		timer.Stop()
	}
	return answer{"timers": wanted, "bytes": float64(after-before) / float64(wanted)}, nil
}

func holding(delay time.Duration, first, second, third int) *time.Timer {
	return time.AfterFunc(delay, func() { used = first + second + third })
}
