// SPDX-License-Identifier: MIT
// The drain of due timers beside Quartz's, by turns, each in a file of its own on the disk of the working directory: how
// many a second one process runs, of those that were due before it began. detent's figure includes the end of each in its store.
//
// usage: java BesideQuartz BENCH_DURABLE_SQLITE [TRIGGERS [ROUNDS]]
//        java BesideQuartz --drain jdbc:postgresql://HOST/DATABASE TRIGGERS THREADS
//
// The second form prints the figure of Quartz alone, in an empty database of PostgreSQL, for beside_postgres.mjs.
// BENCH_DURABLE_SQLITE is that program of a build tree. Quartz's store is its JobStoreTX in an embedded H2, with the options
// that H2 has by default. docs/durable.md has the class path. Compile it: Quartz cannot load a job class of a file that `java FILE.java` runs.
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

public class BesideQuartz {
  private static final int[] THREADS = {1, 10, 100};
  private static final int AT_ONCE = 1000;
  private static volatile CountDownLatch left;

  public static class Runs implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      left.countDown();
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.err.println("usage: java BesideQuartz BENCH_DURABLE_SQLITE [TRIGGERS [ROUNDS]]");
      System.exit(2);
    }
    if (args[0].equals("--drain")) {
      System.out.println(drainInPostgres(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3])));
      System.exit(0);
    }
    int triggers = args.length > 1 ? Integer.parseInt(args[1]) : 5_000;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 3;
    List<Double> detent = new ArrayList<>();
    Map<Integer, List<Double>> quartz = new TreeMap<>();
    for (int round = 0; round < rounds; ++round) {
      detent.add(drainOfDetent(args[0]));
      for (int threads : THREADS) {
        quartz.computeIfAbsent(threads, key -> new ArrayList<>()).add(drainOfQuartz(triggers, threads));
      }
    }
    System.out.printf("detent: %.0f/s%n", median(detent));
    quartz.forEach((threads, figures) -> System.out.printf("Quartz, threads and batch %d: %.0f/s; detent runs %.1f x as many%n",
        threads, median(figures), median(detent) / median(figures)));
  }

  private static double drainOfDetent(String program) throws IOException {
    Process started = new ProcessBuilder(program, "--benchmark_filter=^drain", "--benchmark_format=json")
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher figure = Pattern.compile("\"run_and_ended/s\": ([0-9.e+]+)").matcher(printed);
    if (!figure.find()) throw new IOException(program + " printed no figure:\n" + printed);
    return Double.parseDouble(figure.group(1));
  }

  private static double drainOf(Properties settings, int count) throws Exception {
    Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
    try {
      put(scheduler, count);
      left = new CountDownLatch(count);
      long begin = System.nanoTime();
      scheduler.start();
      if (!left.await(10, TimeUnit.MINUTES)) throw new IOException(left.getCount() + " triggers have not run, of " + count);
      return count / ((System.nanoTime() - begin) / 1e9);
    } finally {
      scheduler.shutdown(true);
    }
  }

  private static double drainInPostgres(String url, int count, int threads) throws Exception {
    try (Connection on = DriverManager.getConnection(url)) {
      on.createStatement().execute(script("tables_postgres.sql"));
    }
    Properties settings = settings(url, threads);
    settings.setProperty("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
    settings.setProperty("org.quartz.dataSource.store.driver", "org.postgresql.Driver");
    settings.setProperty("org.quartz.dataSource.store.user", "postgres");
    return drainOf(settings, count);
  }

  private static double drainOfQuartz(int count, int threads) throws Exception {
    Path place = Files.createTempDirectory(Path.of("").toAbsolutePath(), "drain-");
    String url = "jdbc:h2:" + place.resolve("store");
    try (Connection keepsItOpen = DriverManager.getConnection(url)) {
      org.h2.tools.RunScript.execute(keepsItOpen, new StringReader(script("tables_h2.sql")));
      return drainOf(settings(url, threads), count);
    } finally {
      try (Stream<Path> files = Files.walk(place)) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
      }
    }
  }

  private static String script(String name) throws IOException {
    try (var text = Scheduler.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/" + name)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  // A misfire is a trigger that is late by more than the threshold: here none is.
  private static Properties settings(String url, int threads) {
    String[][] all = {
        {"org.quartz.scheduler.instanceName", "drain-" + System.nanoTime()},
        {"org.quartz.scheduler.skipUpdateCheck", "true"},
        {"org.quartz.scheduler.batchTriggerAcquisitionMaxCount", String.valueOf(threads)},
        {"org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool"},
        {"org.quartz.threadPool.threadCount", String.valueOf(threads)},
        {"org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"},
        {"org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate"},
        {"org.quartz.jobStore.misfireThreshold", "86400000"},
        {"org.quartz.jobStore.acquireTriggersWithinLock", "true"},
        {"org.quartz.jobStore.dataSource", "store"},
        {"org.quartz.dataSource.store.driver", "org.h2.Driver"},
        {"org.quartz.dataSource.store.URL", url},
        {"org.quartz.dataSource.store.user", ""},
        {"org.quartz.dataSource.store.password", ""},
        {"org.quartz.dataSource.store.maxConnections", String.valueOf(threads + 3)},
    };
    Properties settings = new Properties();
    for (String[] each : all) settings.setProperty(each[0], each[1]);
    return settings;
  }

  private static void put(Scheduler scheduler, int count) throws Exception {
    JobDetail job = JobBuilder.newJob(Runs.class).withIdentity("due").storeDurably().build();
    scheduler.addJob(job, true);
    Date due = new Date();
    for (int at = 0; at < count; at += AT_ONCE) {
      Set<Trigger> some = new HashSet<>();
      for (int i = at; i < Math.min(at + AT_ONCE, count); ++i) {
        some.add(TriggerBuilder.newTrigger().withIdentity("due-" + i).forJob(job).startAt(due).build());
      }
      scheduler.scheduleJobs(Map.of(job, some), true);
    }
  }

  private static double median(List<Double> of) {
    return of.stream().sorted().toList().get(of.size() / 2);
  }
}
