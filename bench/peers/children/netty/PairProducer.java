// SPDX-License-Identifier: MIT
// One producer of the work `pair`. Steps run in slices, so that the compiled code is entered by a call and not replaced on the
// stack, and so that neither the count nor the stop flag costs anything per step.
package detent.peers;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class PairProducer<Handle, Task> {
  private static final int SLICE = 256;
  private static final long LEAST = TimeUnit.SECONDS.toNanos(1);
  private static final long SPAN = TimeUnit.SECONDS.toNanos(4);

  private final TimerSystem<Handle, Task> timers;
  private final Task task;
  private final Handle[] window;
  private final Delays delays;
  private final AtomicLong pairs = new AtomicLong();
  private volatile boolean stopped;
  private int oldest;

  @SuppressWarnings("unchecked") // an array of the handles' erasure; it never leaves this class
  PairProducer(TimerSystem<Handle, Task> timers, int window, long seed) {
    this.timers = timers;
    this.task = timers.counting(new FireCount(Long.MAX_VALUE));
    this.window = (Handle[]) new Object[window];
    this.delays = new Delays(seed);
  }

  void run(CountDownLatch filled) {
    fill();
    filled.countDown();
    while (!stopped) {
      if (window.length == 1) {
        cancelAtOnce();
      } else {
        cancelOldest();
      }
      pairs.lazySet(pairs.get() + SLICE);
    }
  }

  void stop() {
    stopped = true;
  }

  long pairs() {
    return pairs.get();
  }

  private void fill() {
    if (window.length == 1) return;
    for (int i = 0; i < window.length; i++) window[i] = timers.after(task, delays.next(LEAST, SPAN));
  }

  private void cancelAtOnce() {
    for (int i = 0; i < SLICE; i++) timers.cancel(timers.after(task, delays.next(LEAST, SPAN)));
  }

  private void cancelOldest() {
    int at = oldest;
    for (int i = 0; i < SLICE; i++) {
      Handle scheduled = timers.after(task, delays.next(LEAST, SPAN));
      timers.cancel(window[at]);
      window[at] = scheduled;
      if (++at == window.length) at = 0;
    }
    oldest = at;
  }
}
