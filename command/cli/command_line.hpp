// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "console/console_command.hpp"
#include "cron/cron_command.hpp"
#include "doctor/worker_facts.hpp"
#include "durable/durable_command.hpp"
#include "http/http_server.hpp"
#include "run/load_producer.hpp"
#include "stat/pending_text.hpp"
#include "stat/stat_command.hpp"
#include "stat/stat_intervals.hpp"
#include "text/option_values.hpp"
#include "top/top_command.hpp"

namespace detent::tool {

// Where results go, and in what form.
struct output_options {
  std::string report;  // empty if none is wanted
  bool json = false;
};

// The engine's options as the user named them, checked.
struct engine_choice {
  std::string wheel = "hierarchical";
  std::string wait = "hybrid";
};

struct replay_command {
  std::string trace;
  bool virtual_time = false;
  bool to_end = false;
  bool compare = false;                         // all engines, one after the other
  duration longest = std::chrono::seconds(10);  // for each of them
  double speed = 1;
  engine_choice engine;
  output_options output;
};

struct run_command {
  load_options load;
  engine_choice engine;
  output_options output;
};

struct doctor_command {
  duration length = std::chrono::seconds(3);
  worker_facts worker;
  std::string root;   // a copy of /proc and /sys; empty for this host's own
  std::string later;  // a second copy; empty if there is none
  bool json = false;
};

struct stat_command {
  std::vector<std::string> targets;  // ids of processes, and files; empty for every engine on the host
  stat_form form = stat_form::text;
  stat_intervals intervals;
  std::optional<http_options> listen;
  bool tidy = false;
};

struct pending_command {
  std::vector<std::string> targets;  // ids of processes, and files; empty for every engine on the host
  pending_by by = pending_by::engine;
  bool json = false;
};

struct top_command {
  top_options options;
};

struct console_command {
  console_options options;
};

struct cron_command {
  cron_options options;
};

struct durable_command {
  durable_options options;
};

// The command line asked only for a text, by --help or --version.
struct print_command {
  std::string text;
};

using any_command = std::variant<replay_command, run_command, doctor_command, stat_command, pending_command,
                                 top_command, console_command, cron_command, durable_command, print_command>;

// Throws usage_error.
any_command parse_command_line(int argc, const char* const* argv);

}  // namespace detent::tool
