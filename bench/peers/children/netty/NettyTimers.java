// SPDX-License-Identifier: MIT
// Netty's HashedWheelTimer as a timer system, and the program that serves it.
package detent.peers;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

final class NettyTimers implements TimerSystem<Timeout, TimerTask> {
  private static final String HOW =
      "HashedWheelTimer, tick 1 ms (the finest it takes), 512 slots (the default), no bound on pending timeouts, no leak"
          + " detection, one instance; newTimeout and cancel from any thread, one TimerTask shared by all timers";

  private final HashedWheelTimer timer =
      new HashedWheelTimer(NettyTimers::daemon, 1, TimeUnit.MILLISECONDS, 512, false, 0);

  private NettyTimers() {
    timer.start();
  }

  public static void main(String[] arguments) throws IOException {
    Child.serve("netty", "Netty " + HashedWheelTimer.class.getPackage().getImplementationVersion(), HOW, NettyTimers::new);
  }

  @Override
  public TimerTask counting(FireCount count) {
    return timeout -> count.add();
  }

  @Override
  public TimerTask recording(LatenessLog log, long deadline) {
    return timeout -> log.record(deadline);
  }

  @Override
  public TimerTask holding(long first, long second, long third) {
    return timeout -> MemoryWork.use(first, second, third);
  }

  @Override
  public Timeout after(TimerTask task, long nanoseconds) {
    return timer.newTimeout(task, nanoseconds, TimeUnit.NANOSECONDS);
  }

  @Override
  public void cancel(Timeout timeout) {
    timeout.cancel();
  }

  @Override
  public void close() {
    timer.stop();
  }

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body, "netty timer");
    thread.setDaemon(true);
    return thread;
  }
}
