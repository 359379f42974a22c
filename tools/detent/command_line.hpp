// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <variant>

#include "load_producer.hpp"
#include "option_values.hpp"

namespace detent::tool {

// Where results go, and how they are written.
struct output_options {
  std::string report;  // empty: none
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
  bool json = false;
};

// What the command line asked for when that was only a text: --help or --version.
struct print_command {
  std::string text;
};

using any_command = std::variant<replay_command, run_command, doctor_command, print_command>;

// Throws usage_error.
any_command parse_command_line(int argc, const char* const* argv);

}  // namespace detent::tool
