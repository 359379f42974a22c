// SPDX-License-Identifier: MIT
// Options of the commands that make engines: replay and run.
#include "cli/command_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/add_value.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_timers = 1'000'000'000, most_producers = 1024;

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

}  // namespace

void add_options(CLI::App& app, replay_command& replay) {
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
  add_value(app, "--seconds", "S", "with --compare: the longest time for each of its 6 runs; default 10",
            [&replay](auto& name, auto& text) {
              replay.longest = duration(static_cast<std::int64_t>(std::min(positive_number(name, text), 1e9) * 1e9));
            })
      ->needs(compare);
}

void add_options(CLI::App& app, run_command& run) {
  load_options& load = run.load;
  add_value(app, "--timers", "N", "timers kept pending, all producers together; default 1000",
            [&load](auto& name, auto& text) { load.timers = whole_number(name, text, 1, most_timers); });
  add_value(app, "--producers", "P", "threads that schedule and cancel; default 1",
            [&load](auto& name, auto& text) { load.producers = whole_number(name, text, 1, most_producers); });
  add_value(app, "--cancel", "FRACTION", "the share of timers that are cancelled before they are due; default 0.9",
            [&load](auto& name, auto& text) { load.cancel = fraction(name, text); });
  add_value(app, "--restart", "FRACTION", "the share of timers that are restarted once before they end; default 0",
            [&load](auto& name, auto& text) { load.restart = fraction(name, text); });
  add_value(app, "--cpu", "N", "pin the worker to this CPU: engine_options::cpu",
            [&load](auto& name, auto& text) { load.cpu = static_cast<int>(whole_number(name, text, 0, most_cpu)); });
  add_value(app, "--priority", "N", "the worker's priority: engine_options::realtime_priority",
            [&load](auto& name, auto& text) {
              load.priority = static_cast<int>(whole_number(name, text, 1, most_priority));
            });
  add_value(app, "--tick", "T", "round deadlines up to multiples of T, such as 1ms; default 1ns",
            [&load](auto& name, auto& text) { load.tick = positive_span(name, text, ""); });
  add_value(app, "--executor", "N", "run callbacks on a pool of N threads; default: on the worker",
            [&load](auto& name, auto& text) { load.executor = whole_number(name, text, 1, most_producers); });
  add_value(app, "--delay", "MIN..MAX", "delays, drawn uniformly; default 1ms..100ms",
            [&load](auto& name, auto& text) { load.delay = span_range(name, text); });
  add_value(app, "--duration", "S", "how long, in seconds or with a unit; default 5",
            [&load](auto& name, auto& text) { load.length = positive_span(name, text, "s"); });
  add_value(app, "--rate", "R", "at most R schedules a second; default no limit",
            [&load](auto& name, auto& text) { load.rate = positive_number(name, text); });
  add_value(app, "--seed", "N", "the seed of the random choices; default: a new one, printed",
            [&load](auto& name, auto& text) { load.seed = whole_number(name, text, 0, ~std::uint64_t{0}); });
  auto file_name = [](std::string& reported) {
    return [&reported](const std::string& name, const std::string& text) {
      if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a file", name));
      reported = text;
    };
  };
  add_value(app, "--record", "FILE", "write what is done to the timers as a trace for detent replay; .gz: compressed",
            file_name(load.record));
  add_value(app, "--counters", "FILE",
            "keep the counters in this file, for detent top and detent stat; auto: where they look for it",
            file_name(load.counters));
  CLI::Option* wait = nullptr;
  add_engine(app, run.engine, wait);
  add_output(app, run.output);
}

}  // namespace detent::tool
