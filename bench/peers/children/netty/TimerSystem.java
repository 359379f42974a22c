// SPDX-License-Identifier: MIT
// What the works ask of a timer system. One instance lives for one request, so that an idle child runs no timer thread.
package detent.peers;

/** Callbacks run on one thread of the system's own; the handles and callbacks are the system's own types, unwrapped. */
interface TimerSystem<Handle, Task> extends AutoCloseable {
  /** A callback to share among any number of timers. */
  Task counting(FireCount count);

  Task recording(LatenessLog log, long deadline);

  /** A callback that keeps 24 bytes of its user's. */
  Task holding(long first, long second, long third);

  /** From any thread: runs the task once, the delay after now. */
  Handle after(Task task, long nanoseconds);

  /** From any thread. */
  void cancel(Handle handle);

  /** Returns when the callback thread has ended. What is pending is dropped. */
  @Override
  void close();
}
