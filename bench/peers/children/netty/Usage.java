// SPDX-License-Identifier: MIT
// What this process has used so far: CPU time of all its threads, wall time, memory.
package detent.peers;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

final class Usage {
  private final long cpu = cpuNanoseconds();
  private final long wall = System.nanoTime();

  static {
    System.loadLibrary("detent_process_clock");
  }

  /** The JDK's own getProcessCpuTime counts in steps of 10 ms; this is CLOCK_PROCESS_CPUTIME_ID. */
  private static native long cpuNanoseconds();

  Answer addSince(Usage earlier, Answer answer) {
    return answer.add("wall_ns", wall - earlier.wall).add("cpu_ns", cpu - earlier.cpu);
  }

  static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }
    throw new IOException("/proc/self/status has no VmRSS");
  }

  /** Bytes of objects that full collections leave, once finalizers have had their turn in between. */
  static long liveHeapBytes() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (long now; (now = heapAfterCollection()) < least; ) {
      least = now;
      Thread.sleep(50);
    }
    return least;
  }

  private static long heapAfterCollection() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
