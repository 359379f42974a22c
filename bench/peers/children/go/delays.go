// SPDX-License-Identifier: MIT
// Cheap pseudo-random delays (xorshift), the same from run to run.
package main

import (
	"math/bits"
	"time"
)

type delays uint64

func newDelays(seed int) delays { return delays(uint64(seed)*0x9E3779B97F4A7C15 | 1) }

// next is uniform in [least, least + span).
func (state *delays) next(least, span time.Duration) time.Duration {
	*state ^= *state << 13
	*state ^= *state >> 7
	*state ^= *state << 17
	high, _ := bits.Mul64(uint64(*state), uint64(span))
	return least + time.Duration(high)
}
