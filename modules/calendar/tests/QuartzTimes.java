// SPDX-License-Identifier: MIT
// Asks Quartz for the due times of cron expressions in UTC. Reads EXPRESSION TAB FROM TAB COUNT, a line each; prints
// the due times of each on one line, then `none` if it ends, or `error` where Quartz refuses it.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.Date;
import java.util.StringJoiner;
import java.util.TimeZone;
import org.quartz.CronExpression;

public class QuartzTimes {
  public static void main(String[] words) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null;) {
      String[] parts = line.split("\t");
      System.out.println(times(parts[0], Date.from(Instant.parse(parts[1])), Integer.parseInt(parts[2])));
    }
  }

  private static String times(String text, Date at, int count) {
    StringJoiner all = new StringJoiner(" ");
    try {
      CronExpression expression = new CronExpression(text);
      expression.setTimeZone(TimeZone.getTimeZone("UTC"));
      for (int i = 0; i < count && at != null; ++i) {
        at = expression.getNextValidTimeAfter(at);
        all.add(at == null ? "none" : at.toInstant().toString());
      }
    } catch (java.text.ParseException trouble) {
      return "error";
    }
    return all.toString();
  }
}
