// SPDX-License-Identifier: MIT
#include "rival.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace peers {
namespace {

constexpr std::chrono::seconds patience(120);
constexpr std::string_view skipped_mark = "skipped: ";

// Returns a program that is named by its path and was not built.
std::string missing_program(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  if (program.starts_with('/') && !std::filesystem::exists(program))
    return program + " is not built (targets detent_peers and bench_children)";
  return {};
}

std::string text_of(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

rival::rival(std::string name, std::string command, std::string skipped, lifetime life)
    : name_(std::move(name)), command_(std::move(command)), skipped_(std::move(skipped)), life_(life) {
  if (skipped_.empty()) skipped_ = missing_program(command_);
}

std::unique_ptr<child> rival::started() const { return std::make_unique<child>(command_, patience); }

void rival::meet() {
  if (!skipped_.empty()) return;
  auto process = started();
  const auto& said = process->introduction();
  skipped_ = text_of(said, "skipped");
  if (!skipped_.empty()) return;
  if (const std::string problem = text_of(said, "error"); !problem.empty()) throw child_failed(problem);
  version_ = text_of(said, "version");
  how_ = text_of(said, "how");
  works_ = {"pair", "fire", "lateness", "memory"};
  listed_ = said.contains("works");
  if (listed_) works_ = said["works"].get<std::set<std::string>>();
  if (life_ == lifetime::each_request) return;
  process->pause();
  process_ = std::move(process);
}

nlohmann::ordered_json rival::ask(const std::string& request) {
  if (life_ == lifetime::each_request) return started()->ask(request);
  if (process_ == nullptr) {
    process_ = started();
  } else {
    process_->resume();
  }
  try {
    nlohmann::ordered_json answer = process_->ask(request);
    process_->pause();
    return answer;
  } catch (...) {
    process_.reset();
    throw;
  }
}

std::vector<rival> read_rivals(const std::filesystem::path& list, rival::lifetime life) {
  std::ifstream lines(list);
  if (!lines) throw std::runtime_error(fmt::format("{}: cannot be read", list.string()));
  std::vector<rival> rivals;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == 0 || tab == std::string::npos || tab + 1 == line.size()) {
      throw std::runtime_error(fmt::format("{}:{}: not of the form name<TAB>command", list.string(), number));
    }
    const std::string name = line.substr(0, tab), rest = line.substr(tab + 1);
    if (rest.starts_with(skipped_mark)) {
      rivals.emplace_back(name, "", rest.substr(skipped_mark.size()), life);
    } else {
      rivals.emplace_back(name, rest, "", life);
    }
  }
  return rivals;
}

}  // namespace peers
