// SPDX-License-Identifier: MIT
// The JDK's ScheduledThreadPoolExecutor as a timer system, and the program that serves it.
package detent.peers;

import java.io.IOException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

final class JdkTimers implements TimerSystem<ScheduledFuture<?>, Runnable> {
  private static final String HOW =
      "ScheduledThreadPoolExecutor with one thread and setRemoveOnCancelPolicy(true); schedule and cancel from any thread,"
          + " one Runnable shared by all timers";

  private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

  private JdkTimers() {
    pool.setRemoveOnCancelPolicy(true);
    pool.prestartCoreThread();
  }

  public static void main(String[] arguments) throws IOException {
    Child.serve("jdk", "", HOW, JdkTimers::new);
  }

  @Override
  public Runnable counting(FireCount count) {
    return count::add;
  }

  @Override
  public Runnable recording(LatenessLog log, long deadline) {
    return () -> log.record(deadline);
  }

  @Override
  public Runnable holding(long first, long second, long third) {
    return () -> MemoryWork.use(first, second, third);
  }

  @Override
  public ScheduledFuture<?> after(Runnable task, long nanoseconds) {
    return pool.schedule(task, nanoseconds, TimeUnit.NANOSECONDS);
  }

  @Override
  public void cancel(ScheduledFuture<?> future) {
    future.cancel(false);
  }

  @Override
  public void close() {
    pool.shutdownNow();
    try {
      pool.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
