// SPDX-License-Identifier: MIT
// The work `pair`: every producer keeps its window of timers live; each step schedules one and cancels the oldest.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Steps between two checks of the stop flag.
const slice = 256

type producer struct {
	window  []*time.Timer
	delays  delays
	pairs   atomic.Int64
	stopped *atomic.Bool
}

func pair(asked request) (answer, error) {
	values, err := asked.counts("live", "producers", "milliseconds")
	if err != nil {
		return nil, err
	}
	live, count, measured := values[0], values[1], milliseconds(values[2])
	if count > 64 {
		return nil, fmt.Errorf("producers=%d: more than 64", count)
	}
	far := time.AfterFunc(time.Hour, nothing)
	defer far.Stop()

	var stopped atomic.Bool
	var filled, ended sync.WaitGroup
	producers := make([]*producer, count)
	for i := range producers {
		producers[i] = &producer{delays: newDelays(i + 1), stopped: &stopped}
		if share := live / count; share > 1 {
			producers[i].window = make([]*time.Timer, share)
		}
		filled.Add(1)
		ended.Add(1)
		go func(each *producer) {
			defer ended.Done()
			each.run(&filled)
		}(producers[i])
	}
	filled.Wait()
	time.Sleep(measured / 4)
	given, err := measure(producers, measured)
	stopped.Store(true)
	ended.Wait()
	return given, err
}

func measure(producers []*producer, measured time.Duration) (answer, error) {
	pairsBefore, pairs := pairsOf(producers), int64(0)
	before, err := usageNow()
	if err != nil {
		return nil, err
	}
	for pairs == 0 { // on a busy host not even a slice may have got its turn
		time.Sleep(measured)
		pairs = pairsOf(producers) - pairsBefore
	}
	return answer{"pairs": pairs}.addSince(before)
}

func pairsOf(producers []*producer) (sum int64) {
	for _, each := range producers {
		sum += each.pairs.Load()
	}
	return sum
}

func nothing() {}

func (each *producer) run(filled *sync.WaitGroup) {
	for i := range each.window {
		each.window[i] = each.schedule()
	}
	filled.Done()
	oldest := 0
	for !each.stopped.Load() {
		if len(each.window) == 0 {
			each.cancelAtOnce()
		} else {
			oldest = each.cancelOldest(oldest)
		}
		each.pairs.Add(slice)
	}
	for _, timer := range each.window {
		timer.Stop()
	}
}

func (each *producer) schedule() *time.Timer {
	return time.AfterFunc(each.delays.next(time.Second, 4*time.Second), nothing)
}

func (each *producer) cancelAtOnce() {
	for i := 0; i < slice; i++ {
		each.schedule().Stop()
	}
}

func (each *producer) cancelOldest(oldest int) int {
	for i := 0; i < slice; i++ {
		scheduled := each.schedule()
		each.window[oldest].Stop()
		each.window[oldest] = scheduled
		if oldest++; oldest == len(each.window) {
			oldest = 0
		}
	}
	return oldest
}
