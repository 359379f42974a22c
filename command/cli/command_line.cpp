// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <random>
#include <utility>

#include "text/input_error.hpp"
#include "top/top_session.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_timers = 1'000'000'000, most_producers = 1024;
constexpr std::uint64_t most_cpu = 65'535, most_priority = 99, most_process = 4'194'304;

// Adds an option whose text `read` turns into a value; read(name, text) throws usage_error.
template <class Read>
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                       Read read) {
  auto take = [name, read = std::move(read)](const std::string& text) { read(name, text); };
  return app.add_option_function<std::string>(name, take, help)->type_name(type)->take_last();
}

void add_engine(CLI::App& app, engine_choice& engine, CLI::Option*& wait) {
  add_value(app, "--wheel", "KIND", "hierarchical (default) or hashed", [&engine](auto& name, auto& text) {
    static_cast<void>(wheel_named(name, text));
    engine.wheel = text;
  });
  wait = add_value(app, "--wait", "KIND", "how the worker waits: busy, hybrid (default) or sleep",
                   [&engine](auto& name, auto& text) {
                     static_cast<void>(wait_named(name, text));
                     engine.wait = text;
                   });
}

void add_output(CLI::App& app, output_options& output) {
  add_value(app, "--report", "FILE.html", "write one self-contained page with the plots",
            [&output](auto& name, auto& text) {
              if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a file", name));
              output.report = text;
            });
  app.add_flag("--json", output.json, "print one JSON object instead of text");
}

void add_replay(CLI::App& app, replay_command& replay) {
  add_value(app, "TRACE", "FILE", "the trace: CSV, plain or gzipped, t_ns,op,id,delay_ns,source",
            [&replay](auto&, auto& text) { replay.trace = text; })
      ->required();
  auto* virtual_time = app.add_flag("--virtual", replay.virtual_time, "on the manual clock, as fast as it can");
  app.add_flag("--to-end", replay.to_end, "go on after the last row until nothing is pending");
  auto* speed = add_value(app, "--speed", "X", "X times as fast as recorded; default 1",
                          [&replay](auto& name, auto& text) { replay.speed = positive_number(name, text); });
  CLI::Option* wait = nullptr;
  add_engine(app, replay.engine, wait);
  add_output(app, replay.output);
  virtual_time->excludes(speed)->excludes(wait);
  auto* compare = app.add_flag("--compare", replay.compare,
                               "both wheels, each in virtual time and with every way to wait: one table");
  for (const char* other : {"--virtual", "--to-end", "--wheel", "--wait", "--report"})
    compare->excludes(app.get_option(other));
  add_value(app, "--seconds", "S", "of --compare: each of its 6 runs lasts no longer; default 10",
            [&replay](auto& name, auto& text) {
              replay.longest = duration(static_cast<std::int64_t>(std::min(positive_number(name, text), 1e9) * 1e9));
            })
      ->needs(compare);
}

void add_run(CLI::App& app, run_command& run) {
  load_options& load = run.load;
  add_value(app, "--timers", "N", "timers kept pending, all producers together; default 1000",
            [&load](auto& name, auto& text) { load.timers = whole_number(name, text, 1, most_timers); });
  add_value(app, "--producers", "P", "threads that schedule and cancel; default 1",
            [&load](auto& name, auto& text) { load.producers = whole_number(name, text, 1, most_producers); });
  add_value(app, "--cancel", "FRACTION", "of the timers, cancelled before they are due; default 0.9",
            [&load](auto& name, auto& text) { load.cancel = fraction(name, text); });
  add_value(app, "--delay", "MIN..MAX", "delays, drawn uniformly; default 1ms..100ms",
            [&load](auto& name, auto& text) { load.delay = span_range(name, text); });
  add_value(app, "--duration", "S", "how long, in seconds or with a unit; default 5", [&load](auto& name, auto& text) {
    load.length = time_span(name, text, "s");
    if (load.length <= duration(0)) throw usage_error(fmt::format("{}: '{}' is not a time above zero", name, text));
  });
  add_value(app, "--rate", "R", "at most R schedules a second; default no limit",
            [&load](auto& name, auto& text) { load.rate = positive_number(name, text); });
  add_value(app, "--seed", "N", "of the random choices; default: a new one, printed",
            [&load](auto& name, auto& text) { load.seed = whole_number(name, text, 0, ~std::uint64_t{0}); });
  auto file_name = [](std::string& reported) {
    return [&reported](const std::string& name, const std::string& text) {
      if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a file", name));
      reported = text;
    };
  };
  add_value(app, "--record", "FILE", "write what is done to the timers as a trace for detent replay",
            file_name(load.record));
  add_value(app, "--counters", "FILE", "count into this file, for detent top and detent stat; auto: where they find it",
            file_name(load.counters));
  CLI::Option* wait = nullptr;
  add_engine(app, run.engine, wait);
  add_output(app, run.output);
}

void add_doctor(CLI::App& app, doctor_command& doctor) {
  worker_facts& worker = doctor.worker;
  auto* seconds = add_value(app, "--seconds", "N", "how long to watch, and then to measure; default 3",
                            [&doctor](auto& name, auto& text) {
                              const double asked = std::min(positive_number(name, text), 1e9);
                              doctor.length = duration(static_cast<std::int64_t>(asked * 1e9));
                            });
  auto* cpu = add_value(app, "--cpu", "N", "the worker's CPU: engine_options::cpu", [&worker](auto& name, auto& text) {
    worker.cpu = static_cast<int>(whole_number(name, text, 0, most_cpu));
  });
  auto* priority = add_value(app, "--priority", "N", "of the worker: engine_options::realtime_priority",
                             [&worker](auto& name, auto& text) {
                               worker.priority = static_cast<int>(whole_number(name, text, 1, most_priority));
                             });
  add_value(app, "--wait", "KIND", "how the worker waits: busy, hybrid or sleep",
            [&worker](auto& name, auto& text) { worker.wait = wait_named(name, text).mode; });
  const auto whole_id = [](const std::string& name, const std::string& text) {
    return static_cast<long long>(whole_number(name, text, 1, most_process));
  };
  auto* process = add_value(app, "--pid", "PID", "inspect the worker of this running process",
                            [&worker, whole_id](auto& name, auto& text) { worker.process = whole_id(name, text); });
  add_value(app, "--thread", "TID", "of that process: the worker, where it is not found or there are several",
            [&worker, whole_id](auto& name, auto& text) { worker.thread = whole_id(name, text); })
      ->needs(process);
  const auto add_copy = [&app](const char* name, std::string& path, const char* help) {
    return add_value(app, name, "DIR", help, [&path](auto& option, auto& text) {
      if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a directory", option));
      path = text;
    });
  };
  auto* root = add_copy("--root", doctor.root, "read DIR/proc and DIR/sys, copies, and measure nothing");
  add_copy("--later", doctor.later, "a second copy, taken later: what changed between the two")->needs(root);
  root->excludes(seconds);
  process->excludes(cpu)->excludes(priority);
  app.add_flag("--json", doctor.json, "print one JSON object instead of text");
}

void add_stat(CLI::App& app, stat_command& stat) {
  app.add_option("TARGET", stat.targets, "ids of processes, or counters files; default: every engine on this host")
      ->type_name("PID|FILE");
  const auto add_form = [&](const char* name, stat_form form, const char* help) {
    return app.add_flag_callback(
        name, [&stat, form] { stat.form = form; }, help);
  };
  CLI::Option* const json = add_form("--json", stat_form::json, "print one JSON object instead of text");
  add_form("--prometheus", stat_form::prometheus, "print Prometheus' text format instead")->excludes(json);
}

void add_top(CLI::App& app, top_options& top) {
  app.add_option("TARGET", top.targets, "ids of processes, or counters files; default: every engine on this host")
      ->type_name("PID|FILE");
  add_value(app, "-d,--delay", "TIME", "between two readings, in seconds or with a unit; default 1",
            [&top](auto&, auto& text) { top.delay = delay_of("--delay", text); });
  app.add_flag("-b,--batch", top.batch, "print plain text, for a pipe or a file");
  add_value(app, "-n,--iterations", "N", "end after N readings",
            [&top](auto&, auto& text) { top.readings = whole_number("--iterations", text, 1, ~std::uint64_t{0}); });
  const auto once = [&top] {
    top.batch = true;
    top.readings = 1;
  };
  app.add_flag_callback("--once", once, "the same as -b -n 1");
  app.add_flag("--whole-life", top.whole_life, "figures since the engines were made, not of the last interval");
}

// What the user typed comes back in it; nothing of that may move a terminal's cursor.
std::string one_line(std::string text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace_if(text.begin(), text.end(), control, '?');
  return text;
}

}  // namespace

any_command parse_command_line(int argc, const char* const* argv) {
  replay_command replay;
  run_command run;
  doctor_command doctor;
  stat_command stat;
  top_command top;
  run.load.seed = std::random_device()();

  CLI::App app("detent: a timer engine for programs that count nanoseconds", "detent");
  app.set_version_flag("--version", fmt::format("detent {}", version));
  app.set_help_flag("-h,--help", "print this and exit");
  app.require_subcommand(1);
  CLI::App* replay_app = app.add_subcommand("replay", "replay a recorded trace of timers, in real or in virtual time");
  CLI::App* run_app = app.add_subcommand("run", "run a synthetic load");
  CLI::App* doctor_app = app.add_subcommand("doctor", "measure what on this host spoils precision");
  CLI::App* stat_app = app.add_subcommand("stat", "print the live counters of engines of other processes");
  CLI::App* top_app = app.add_subcommand("top", "show the engines of this host live in the terminal");
  add_replay(*replay_app, replay);
  add_run(*run_app, run);
  add_doctor(*doctor_app, doctor);
  add_stat(*stat_app, stat);
  add_top(*top_app, top.options);

  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') && first != "replay" && first != "run" && first != "doctor" && first != "stat" &&
      first != "top") {
    throw usage_error(
        fmt::format("{} is not a command: there are replay, run, doctor, stat and top", in_quotes(first)));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& asked) {
    return print_command{fmt::format("{}\n", asked.what())};
  } catch (const CLI::CallForHelp&) {
    return print_command{app.help()};
  } catch (const CLI::ParseError& trouble) {
    throw usage_error(one_line(trouble.what()));
  }
  if (replay_app->parsed()) return replay;
  if (run_app->parsed()) return run;
  if (stat_app->parsed()) return stat;
  if (top_app->parsed()) return top;
  return doctor;
}

}  // namespace detent::tool
