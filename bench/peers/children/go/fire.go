// SPDX-License-Identifier: MIT
// The works `fire` and `lateness`: timers that come due. Each callback runs on a goroutine of its own, as AfterFunc has it.
package main

import (
	"fmt"
	"math"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// The first deadline of `fire` lies this far ahead.
const lead = time.Millisecond

func fire(asked request) (answer, error) {
	values, err := asked.counts("timers", "spread_ms")
	if err != nil {
		return nil, err
	}
	wanted, spread := values[0], milliseconds(values[1])
	var fired atomic.Int64
	done := make(chan struct{})
	count := func() {
		if fired.Add(1) == int64(wanted) {
			close(done)
		}
	}
	each := newDelays(wanted)
	before, err := usageNow()
	if err != nil {
		return nil, err
	}
	for i := 0; i < wanted; i++ {
		time.AfterFunc(each.next(lead, spread), count)
	}
	<-done
	return answer{"timers": wanted}.addSince(before)
}

func lateness(asked request) (answer, error) {
	values, err := asked.counts("rate", "milliseconds")
	if err != nil {
		return nil, err
	}
	rate, wanted := values[0], values[0]*values[1]/1000
	if wanted < 1 || wanted > 100_000_000 {
		return nil, fmt.Errorf("lateness: %d timers; from 1 to 100000000", wanted)
	}
	samples := make([]time.Duration, wanted)
	var done sync.WaitGroup
	done.Add(wanted)
	each := newDelays(wanted)
	before, err := usageNow()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for i := range samples {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		sample := &samples[i]
		delay := each.next(time.Millisecond, 99*time.Millisecond)
		deadline := time.Now().Add(delay)
		time.AfterFunc(delay, func() {
			*sample = time.Since(deadline)
			done.Done()
		})
	}
	done.Wait()
	given, err := answer{"count": wanted}.addSince(before)
	given.addLateness(samples)
	return given, err
}

// addLateness sorts the samples.
func (given answer) addLateness(samples []time.Duration) {
	sort.Slice(samples, func(left, right int) bool { return samples[left] < samples[right] })
	quantiles := map[string]float64{"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999, "max_ns": 1}
	for name, share := range quantiles {
		rank := int(math.Ceil(share * float64(len(samples))))
		given[name] = samples[rank-1].Nanoseconds()
	}
	given["early"] = sort.Search(len(samples), func(i int) bool { return samples[i] >= 0 })
}
