// SPDX-License-Identifier: MIT
// The work `memory`: bytes of a pending timer with a callback of its own that keeps 24 bytes.
package detent.peers;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

final class MemoryWork {
  private static volatile long used;

  private MemoryWork() {}

  /** What a callback does with the 24 bytes. */
  static void use(long first, long second, long third) {
    used = first + second + third;
  }

  /**
   * `bytes` is what a full collection leaves: resident memory says how far the collector let the heap grow. What the
   * process holds more than before is `resident_bytes`.
   */
  static <Handle, Task> Answer run(TimerSystem<Handle, Task> timers, Request request)
      throws InterruptedException, IOException {
    int wanted = request.count("timers", Request.MOST_TIMERS);
    Delays delays = new Delays(wanted);
    timers.after(timers.holding(0, 0, 0), TimeUnit.HOURS.toNanos(1));
    long heapBefore = Usage.liveHeapBytes();
    long residentBefore = Usage.residentBytes();
    for (int i = 0; i < wanted; i++) {
      timers.after(timers.holding(i, wanted, 0), delays.next(TimeUnit.HOURS.toNanos(1), TimeUnit.SECONDS.toNanos(4)));
    }
    // A wheel that takes timers over tick by tick, at most 100,000 each, has them after this.
    Thread.sleep(100 + wanted / 20_000);
    long heap = Usage.liveHeapBytes() - heapBefore;
    long resident = Usage.residentBytes() - residentBefore;
    return new Answer()
        .add("timers", wanted)
        .add("bytes", (double) heap / wanted)
        .add("resident_bytes", (double) resident / wanted);
  }
}
