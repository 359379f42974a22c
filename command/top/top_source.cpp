// SPDX-License-Identifier: MIT
#include "top/top_source.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "host/thread_cpu.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

bool exists(const std::string& path) {
  std::error_code trouble;
  return std::filesystem::exists(path, trouble);
}

engine_reading read_engine(const std::string& path) {
  engine_reading reading;
  reading.snapshot = counters_file(path).read();
  require_owner(reading.snapshot);
  const engine_identity& engine = reading.snapshot.identity;
  if (engine.worker_thread != 0) reading.worker_cpu = thread_cpu(engine.process, engine.worker_thread);
  return reading;
}

// A file that was found, not named: that it is gone by now, or that its engine has ended, is no trouble.
void read_found(const std::string& path, host_reading& reading) {
  try {
    engine_reading engine = read_engine(path);
    if (!engine.snapshot.ended) reading.engines.push_back(std::move(engine));
  } catch (const input_error& trouble) {
    if (exists(path)) reading.troubles.push_back(trouble.what());
  }
}

void read_named(const std::string& path, host_reading& reading) {
  try {
    engine_reading engine = read_engine(path);
    if (engine.snapshot.ended)
      throw input_error(fmt::format("{}: the engine has ended", engine.snapshot.identity.path));
    reading.engines.push_back(std::move(engine));
  } catch (const input_error& trouble) {
    reading.troubles.push_back(trouble.what());
  }
}

}  // namespace

top_source::top_source(std::vector<std::string> targets, std::string directory)
    : targets_(std::move(targets)), directory_(std::move(directory)) {}

void top_source::read_process(const std::string& target, host_reading& reading) const {
  const auto process = number_in(target);
  if (!process || !exists("/proc/" + target)) {
    reading.troubles.push_back(fmt::format("there is no process {}", target));
    return;
  }
  for (const std::string& path : counters_files_of(*process, directory_)) read_found(path, reading);
}

host_reading top_source::read() const {
  host_reading reading;
  if (targets_.empty()) {
    for (const std::string& path : counters_files_of_host(directory_)) read_found(path, reading);
  }
  for (const std::string& target : targets_) {
    is_process(target) ? read_process(target, reading) : read_named(target, reading);
  }
  return reading;
}

std::string top_source::where() const {
  if (targets_.empty()) return "on this host";
  if (targets_.size() > 1) return "among those named";
  return is_process(targets_[0]) ? "in process " + targets_[0] : "in " + in_quotes(targets_[0]);
}

void top_source::require_targets() const {
  const host_reading reading = read();
  if (reading.engines.empty() && reading.troubles.size() == targets_.size() && !targets_.empty()) {
    throw input_error(reading.troubles.front());
  }
}

}  // namespace detent::tool
