// SPDX-License-Identifier: MIT
// The works `fire` and `lateness`: timers that come due.
package detent.peers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class FireWork {
  /** The first deadline of `fire` lies this far ahead. */
  private static final long LEAD = TimeUnit.MILLISECONDS.toNanos(1);

  private FireWork() {}

  static <Handle, Task> Answer fire(TimerSystem<Handle, Task> timers, Request request) throws InterruptedException {
    int wanted = request.count("timers", Request.MOST_TIMERS);
    long spread = request.nanosecondsOf("spread_ms");
    FireCount count = new FireCount(wanted);
    Task task = timers.counting(count);
    Delays delays = new Delays(wanted);
    Usage before = new Usage();
    for (int i = 0; i < wanted; i++) timers.after(task, delays.next(LEAD, spread));
    count.await();
    return new Usage().addSince(before, new Answer().add("timers", wanted));
  }

  static <Handle, Task> Answer lateness(TimerSystem<Handle, Task> timers, Request request) throws InterruptedException {
    int rate = request.count("rate", 1_000_000);
    long wanted = Math.max(1, request.nanosecondsOf("milliseconds") / 1000 * rate / 1_000_000);
    if (wanted > Request.MOST_TIMERS) {
      throw new IllegalArgumentException("lateness: " + wanted + " timers; at most " + Request.MOST_TIMERS);
    }
    LatenessLog log = new LatenessLog((int) wanted);
    Delays delays = new Delays(wanted);
    Usage before = new Usage();
    long start = System.nanoTime();
    for (int i = 0; i < wanted; i++) {
      waitUntil(start + i * 1_000_000_000L / rate);
      long delay = delays.next(1_000_000, 99_000_000);
      long deadline = System.nanoTime() + delay;
      timers.after(timers.recording(log, deadline), delay);
    }
    log.await();
    Usage after = new Usage();
    return after.addSince(before, log.answer());
  }

  private static void waitUntil(long instant) {
    for (long left; (left = instant - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
  }
}
