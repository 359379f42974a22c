// SPDX-License-Identifier: MIT
// Cheap pseudo-random delays (xorshift), the same from run to run.
package detent.peers;

final class Delays {
  private long state;

  Delays(long seed) {
    state = seed * 0x9E3779B97F4A7C15L | 1;
  }

  /** Uniform in [least, least + span). */
  long next(long least, long span) {
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    return least + Math.multiplyHigh(state >>> 1, span << 1);
  }
}
