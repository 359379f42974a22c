// SPDX-License-Identifier: MIT
// The work `pair`: every producer keeps its window of timers live; each step schedules one and cancels the oldest.
package detent.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class PairWork<Handle, Task> {
  private final TimerSystem<Handle, Task> timers;
  private final List<PairProducer<Handle, Task>> producers = new ArrayList<>();
  private final long runIn;
  private final long measured;

  PairWork(TimerSystem<Handle, Task> timers, Request request) {
    this.timers = timers;
    int count = request.count("producers", 64);
    int window = Math.max(1, request.count("live", Request.MOST_TIMERS) / count);
    measured = request.nanosecondsOf("milliseconds");
    runIn = measured / 4;
    for (int i = 0; i < count; i++) producers.add(new PairProducer<>(timers, window, i + 1));
  }

  Answer run() throws InterruptedException {
    timers.after(timers.counting(new FireCount(1)), TimeUnit.HOURS.toNanos(1));
    CountDownLatch filled = new CountDownLatch(producers.size());
    List<Thread> threads = new ArrayList<>();
    for (PairProducer<Handle, Task> each : producers) {
      Thread thread = new Thread(() -> each.run(filled), "producer");
      thread.start();
      threads.add(thread);
    }
    filled.await();
    TimeUnit.NANOSECONDS.sleep(runIn);
    long pairsBefore = pairs();
    Usage before = new Usage();
    long pairs = 0;
    while (pairs == 0) { // on a busy host not even a slice may have got its turn
      TimeUnit.NANOSECONDS.sleep(measured);
      pairs = pairs() - pairsBefore;
    }
    Usage after = new Usage();
    for (PairProducer<Handle, Task> each : producers) each.stop();
    for (Thread each : threads) each.join();
    return after.addSince(before, new Answer().add("pairs", pairs));
  }

  private long pairs() {
    return producers.stream().mapToLong(PairProducer::pairs).sum();
  }
}
