// SPDX-License-Identifier: MIT
// Counts callbacks until all have run.
package detent.peers;

import java.util.concurrent.CountDownLatch;

/** add() is for the one thread that runs callbacks. */
final class FireCount {
  private final CountDownLatch done = new CountDownLatch(1);
  private final long wanted;
  private long fired;

  FireCount(long wanted) {
    this.wanted = wanted;
  }

  void add() {
    if (++fired == wanted) done.countDown();
  }

  void await() throws InterruptedException {
    done.await();
  }
}
