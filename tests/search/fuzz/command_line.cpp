// SPDX-License-Identifier: MIT
// Fuzz target: the bytes are the words after `detent`, each ended by a newline. Either they are refused by one line, or
// what they mean is within its bounds.
#include "cli/command_line.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/fuzz/target.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words{"detent"};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view word = text.substr(0, end);
    words.emplace_back(word.substr(0, word.find('\0')));  // as the kernel would hand it over
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void check(const tool::engine_choice& engine) {
  require(engine.wheel == "hierarchical" || engine.wheel == "hashed", "--wheel is one there is", engine.wheel);
  require(engine.wait == "busy" || engine.wait == "hybrid" || engine.wait == "sleep", "--wait is one there is",
          engine.wait);
}

struct within_bounds {
  void operator()(const tool::replay_command& replay) const {
    require(replay.speed > 0, "--speed is positive", std::to_string(replay.speed));
    check(replay.engine);
  }
  void operator()(const tool::run_command& run) const {
    const tool::load_options& load = run.load;
    require(load.timers >= 1, "--timers is positive", std::to_string(load.timers));
    require(load.producers >= 1 && load.producers <= 1'024, "--producers", std::to_string(load.producers));
    require(load.cancel >= 0 && load.cancel <= 1, "--cancel is a fraction", std::to_string(load.cancel));
    require(load.delay.least <= load.delay.most, "--delay is a range", std::to_string(load.delay.least.count()));
    require(load.delay.least.count() >= 0, "--delay is not negative", std::to_string(load.delay.least.count()));
    require(load.length.count() > 0, "--duration is positive", std::to_string(load.length.count()));
    check(run.engine);
  }
  void operator()(const tool::doctor_command& doctor) const {
    require(doctor.length.count() >= 0, "--seconds is not negative", std::to_string(doctor.length.count()));
    const int priority = doctor.worker.priority.value_or(1), cpu = doctor.worker.cpu.value_or(0);
    require(priority >= 1 && priority <= 99, "--priority", std::to_string(priority));
    require(cpu >= 0, "--cpu is not negative", std::to_string(cpu));
    require(doctor.worker.process.value_or(1) > 0, "--pid is positive", "");
    require(doctor.later.empty() || !doctor.root.empty(), "--later needs --root", doctor.later);
  }
  void operator()(const tool::stat_command& stat) const {
    require(stat.form <= tool::stat_form::prometheus, "a form there is", std::to_string(int(stat.form)));
  }
  void operator()(const tool::pending_command& pending) const {
    require(pending.by <= tool::pending_by::label, "a division there is", std::to_string(int(pending.by)));
  }
  void operator()(const tool::console_command& console) const {
    const int port = console.options.http.at.port;
    require(port >= 0 && port <= 65'535, "a port there is", std::to_string(port));
  }
  void operator()(const tool::durable_command& durable) const {
    const tool::durable_options& options = durable.options;
    using action = tool::durable_options::action;
    require(options.what == action::migrate || !options.store.empty(), "there is a store", "");
    const bool is_of_one = options.what == action::show || options.what == action::get || options.what == action::put;
    require(!is_of_one || options.key.has_value(), "there is a key", "");
  }
  void operator()(const tool::top_command& top) const {
    require(top.options.delay > 0, "the delay is positive", std::to_string(top.options.delay));
  }
  void operator()(const tool::cron_command& cron) const {
    const tool::cron_options& options = cron.options;
    require(options.count >= 1, "--count is positive", std::to_string(options.count));
    require(options.expression.empty() != options.check.empty(), "an expression, or a file", options.check);
  }
  void operator()(const tool::print_command& print) const {
    require(!print.text.empty() && print.text.back() == '\n', "what is printed is lines", print.text);
  }
};

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  const std::vector<std::string> words = fuzz::words_of(fuzz::text_of(data, size));
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  try {
    std::visit(fuzz::within_bounds{}, tool::parse_command_line(static_cast<int>(words.size()), arguments.data()));
  } catch (const tool::usage_error& refusal) {
    fuzz::require_one_line(refusal.what());
  }
  return 0;
}
