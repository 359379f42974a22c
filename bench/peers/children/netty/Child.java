// SPDX-License-Identifier: MIT
// The line protocol: one ready line, then one JSON line for each request line, until `quit` or the end of input.
package detent.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import java.util.stream.Collectors;

final class Child<Handle, Task> {
  /** What makes the JIT compile all that the works run, as it would be in a program that has been up for a while. */
  private static final String[] WARM_UP = {
    "pair live=1 producers=1 milliseconds=500",
    "pair live=1000 producers=1 milliseconds=500",
    "pair live=1 producers=2 milliseconds=250",
    "fire timers=300000 spread_ms=100",
    "fire timers=300000 spread_ms=100",
    "lateness rate=20000 milliseconds=200",
  };

  private final Supplier<TimerSystem<Handle, Task>> fresh;

  private Child(Supplier<TimerSystem<Handle, Task>> fresh) {
    this.fresh = fresh;
  }

  /** Ends when the input does. Each request gets a timer system of its own. */
  static <Handle, Task> void serve(
      String name, String version, String how, Supplier<TimerSystem<Handle, Task>> fresh) throws IOException {
    Child<Handle, Task> child = new Child<>(fresh);
    for (String each : WARM_UP) child.answer(each);
    String runtime = System.getProperty("java.vm.name") + " " + Runtime.version();
    System.out.println(
        new Answer()
            .add("ready", true)
            .add("system", name)
            .add("version", version.isEmpty() ? runtime : version + ", " + runtime)
            .add("how", how + "; warmed up before it is ready; " + options()));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null && !line.trim().equals("quit"); ) {
      System.out.println(child.answer(line));
    }
  }

  private static String options() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-X"))
        .collect(Collectors.joining(" ", "java ", ""));
  }

  private Answer answer(String line) {
    try (TimerSystem<Handle, Task> timers = fresh.get()) {
      Request request = new Request(line);
      switch (request.work) {
        case "pair":
          return new PairWork<>(timers, request).run();
        case "fire":
          return FireWork.fire(timers, request);
        case "lateness":
          return FireWork.lateness(timers, request);
        case "memory":
          return MemoryWork.run(timers, request);
        default:
          throw new IllegalArgumentException("'" + request.work + "': no such work");
      }
    } catch (IllegalArgumentException | IOException | InterruptedException failure) {
      return new Answer().add("error", String.valueOf(failure.getMessage()));
    }
  }
}
