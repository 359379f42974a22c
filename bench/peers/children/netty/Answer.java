// SPDX-License-Identifier: MIT
// One JSON object on one line, built member by member.
package detent.peers;

final class Answer {
  private final StringBuilder text = new StringBuilder("{");

  Answer add(String name, long value) {
    return member(name, Long.toString(value));
  }

  Answer add(String name, double value) {
    return member(name, String.format(java.util.Locale.ROOT, "%.2f", value));
  }

  Answer add(String name, boolean value) {
    return member(name, Boolean.toString(value));
  }

  /** Quotes, backslashes and line ends of the value are made harmless. */
  Answer add(String name, String value) {
    return member(name, '"' + value.replace('\\', '/').replace('"', '\'').replaceAll("\\p{Cntrl}+", " ") + '"');
  }

  @Override
  public String toString() {
    return text + "}";
  }

  private Answer member(String name, String value) {
    if (text.length() > 1) text.append(',');
    text.append('"').append(name).append("\":").append(value);
    return this;
  }
}
