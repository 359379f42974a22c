// SPDX-License-Identifier: MIT
// A request line: the work's name, then name=value with positive whole numbers.
package detent.peers;

import java.util.HashMap;
import java.util.Map;

final class Request {
  static final int MOST_TIMERS = 100_000_000;

  final String work;
  private final Map<String, Long> values = new HashMap<>();

  /** @throws IllegalArgumentException naming what is wrong with the line */
  Request(String line) {
    String[] words = line.trim().split("\\s+");
    work = words[0];
    for (int i = 1; i < words.length; i++) {
      String[] pair = words[i].split("=", 2);
      if (pair.length != 2 || !pair[1].matches("[1-9][0-9]{0,17}")) {
        throw new IllegalArgumentException(words[i] + ": not name=positive number");
      }
      values.put(pair[0], Long.parseLong(pair[1]));
    }
  }

  int count(String name, int most) {
    Long value = values.get(name);
    if (value == null) throw new IllegalArgumentException(work + ": " + name + " is missing");
    if (value > most) throw new IllegalArgumentException(name + "=" + value + ": more than " + most);
    return value.intValue();
  }

  long nanosecondsOf(String millisecondsName) {
    return count(millisecondsName, 3_600_000) * 1_000_000L;
  }
}
