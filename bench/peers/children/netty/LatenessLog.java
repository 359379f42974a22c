// SPDX-License-Identifier: MIT
// How late callbacks ran: samples in ns, negative if early, and their percentiles.
package detent.peers;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** record() is for the one thread that runs callbacks; the rest is for a thread that has seen await() return. */
final class LatenessLog {
  private final CountDownLatch done = new CountDownLatch(1);
  private final long[] samples;
  private int recorded;

  LatenessLog(int wanted) {
    samples = new long[wanted];
  }

  void record(long deadline) {
    samples[recorded] = System.nanoTime() - deadline;
    if (++recorded == samples.length) done.countDown();
  }

  void await() throws InterruptedException {
    done.await();
  }

  Answer answer() {
    Arrays.sort(samples);
    long early = Arrays.stream(samples).filter(sample -> sample < 0).count();
    return new Answer()
        .add("count", recorded)
        .add("p50_ns", quantile(0.5))
        .add("p90_ns", quantile(0.9))
        .add("p99_ns", quantile(0.99))
        .add("p999_ns", quantile(0.999))
        .add("max_ns", quantile(1))
        .add("early", early);
  }

  private long quantile(double share) {
    return samples[Math.max(0, (int) Math.ceil(share * samples.length) - 1)];
  }
}
