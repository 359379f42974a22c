// SPDX-License-Identifier: MIT
// Options of the commands that watch engines of other processes, and their host: doctor, stat, pending and top.
#include "cli/command_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/add_host_names.hpp"
#include "cli/add_value.hpp"
#include "http/listen_address.hpp"
#include "text/option_values.hpp"
#include "top/top_session.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_process = 4'194'304;

CLI::Option* add_targets(CLI::App& app, std::vector<std::string>& targets) {
  return app.add_option("TARGET", targets, "ids of processes, or counters files; default: every engine on this host")
      ->type_name("PID|FILE");
}

http_options& listening(stat_command& stat) { return stat.listen ? *stat.listen : stat.listen.emplace(); }

}  // namespace

void add_options(CLI::App& app, doctor_command& doctor) {
  worker_facts& worker = doctor.worker;
  auto* seconds = add_value(app, "--seconds", "N", "how long to watch, and then to measure; default 3",
                            [&doctor](auto& name, auto& text) {
                              const double asked = std::min(positive_number(name, text), 1e9);
                              doctor.length = duration(static_cast<std::int64_t>(asked * 1e9));
                            });
  auto* cpu = add_value(app, "--cpu", "N", "the worker's CPU: engine_options::cpu", [&worker](auto& name, auto& text) {
    worker.cpu = static_cast<int>(whole_number(name, text, 0, most_cpu));
  });
  auto* priority = add_value(app, "--priority", "N", "the worker's priority: engine_options::realtime_priority",
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
  add_value(app, "--thread", "TID", "the worker's thread in that process, if none is found or there are several",
            [&worker, whole_id](auto& name, auto& text) { worker.thread = whole_id(name, text); })
      ->needs(process);
  const auto add_copy = [&app](const char* name, std::string& path, const char* help) {
    return add_value(app, name, "DIR", help, [&path](auto& option, auto& text) {
      if (text.empty()) throw usage_error(fmt::format("{}: '' is not the name of a directory", option));
      path = text;
    });
  };
  auto* root = add_copy("--root", doctor.root, "read the copies DIR/proc and DIR/sys, and measure nothing");
  add_copy("--later", doctor.later, "a second copy, taken later: changes between the two count as watched")
      ->needs(root);
  root->excludes(seconds);
  process->excludes(cpu)->excludes(priority);
  app.add_flag("--json", doctor.json, "print one JSON object instead of text");
}

void add_options(CLI::App& app, stat_command& stat) {
  CLI::Option* const targets = add_targets(app, stat.targets);
  const auto add_form = [&](const char* name, stat_form form, const char* help) {
    return app.add_flag_callback(
        name, [&stat, form] { stat.form = form; }, help);
  };
  CLI::Option* const json = add_form("--json", stat_form::json, "print one JSON object instead of text");
  CLI::Option* const prometheus =
      add_form("--prometheus", stat_form::prometheus, "print Prometheus' text format instead")->excludes(json);
  auto* interval = add_value(app, "-i,--interval", "TIME", "print a line per interval, with what was counted in it",
                             [&stat](auto&, auto& text) { stat.intervals.seconds = delay_of("--interval", text); })
                       ->excludes(json)
                       ->excludes(prometheus);
  add_value(app, "-n,--count", "N", "with -i: end after N intervals", [&stat](auto& name, auto& text) {
    stat.intervals.count = whole_number(name, text, 1, ~std::uint64_t{0});
  })->needs(interval);
  app.add_flag("--shards", stat.intervals.each_shard, "show each shard of a sharded_engine, not the set as one")
      ->excludes(json)
      ->excludes(prometheus);
  auto* listen = add_value(app, "--listen", "ADDR:PORT",
                           "serve what --prometheus prints at http://ADDR:PORT/metrics; PORT alone: on 127.0.0.1",
                           [&stat](auto& name, auto& text) { listening(stat).at = listen_address_of(name, text); });
  listen->excludes(json)->excludes(interval);
  add_host_names(app, "with --listen: also answer requests for this host name", [&stat](std::string name) {
    listening(stat).names.push_back(std::move(name));
  })->needs(listen);
  add_value(app, "--token-file", "FILE", "with --listen: answer only requests that bear the token in FILE",
            [&stat](auto& name, auto& text) {
              if (text.empty()) throw usage_error(fmt::format("{}: '' is no name", name));
              listening(stat).token_file = text;
            })
      ->needs(listen);
  CLI::Option* const tidy =
      app.add_flag("--tidy", stat.tidy, "remove the files in /dev/shm of engines whose process was killed");
  for (CLI::Option* const other : {targets, json, prometheus, interval, listen}) tidy->excludes(other);
}

void add_options(CLI::App& app, pending_command& pending) {
  add_targets(app, pending.targets);
  add_value(app, "--by", "KIND", "print a line for each engine (default) or each label",
            [&pending](auto& name, auto& text) {
              pending.by = one_of(name, text, "engine", "label") == "label" ? pending_by::label : pending_by::engine;
            });
  app.add_flag("--json", pending.json, "print one JSON object instead of text");
}

void add_options(CLI::App& app, top_command& command) {
  top_options& top = command.options;
  add_targets(app, top.targets);
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

}  // namespace detent::tool
