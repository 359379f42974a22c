// SPDX-License-Identifier: MIT
#include "top/top_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "counters/file_ids.hpp"
#include "host/thread_cpu.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

bool exists(const std::string& path) {
  std::error_code trouble;
  return std::filesystem::exists(std::filesystem::symlink_status(path, trouble));
}

// Returns nothing if the file was read under another name already.
std::optional<engine_reading> read_engine(const std::string& path, path_origin origin, reading_budget& budget,
                                          file_ids& taken) {
  const auto id = file_ids::of(path, origin);
  if (taken.hold(id)) return std::nullopt;
  engine_reading reading;
  reading.snapshot = counters_file(path, origin).read(budget);
  require_owner(reading.snapshot);
  const engine_identity& engine = reading.snapshot.identity;
  if (engine.worker_thread != 0 && engine.same_processes)
    reading.worker_cpu = thread_cpu(engine.process, engine.worker_thread);
  taken.add(id);
  return reading;
}

// Reads a file that was found and not named. If it has vanished or its engine has ended, that is no trouble.
void read_found(const std::string& path, host_reading& reading, reading_budget& budget, file_ids& taken) {
  try {
    auto engine = read_engine(path, path_origin::found, budget, taken);
    if (engine && !engine->snapshot.ended) reading.engines.push_back(std::move(*engine));
  } catch (const stale_file& trouble) {
    if (exists(path)) reading.left.push_back({path, trouble.what()});
  } catch (const input_error& trouble) {
    if (exists(path)) reading.troubles.push_back(trouble.what());
  }
}

void read_named(const std::string& path, host_reading& reading, reading_budget& budget, file_ids& taken) {
  try {
    auto engine = read_engine(path, path_origin::named, budget, taken);
    if (!engine) return;
    if (engine->snapshot.ended)
      throw input_error(fmt::format("{}: the engine has ended", engine->snapshot.identity.path));
    reading.engines.push_back(std::move(*engine));
  } catch (const input_error& trouble) {
    reading.troubles.push_back(trouble.what());
  }
}

// Puts this before all other troubles, because if there are many, the last are not shown.
void note_left_out(host_reading& reading, std::size_t files) {
  std::uint64_t labels = 0, engines = 0;
  for (const engine_reading& each : reading.engines) {
    labels += each.snapshot.labels_left_out;
    engines += each.snapshot.labels_left_out != 0 ? 1 : 0;
  }
  const auto note = [&](std::string text) { reading.troubles.insert(reading.troubles.begin(), std::move(text)); };
  if (labels != 0)
    note(fmt::format("{} labels of {} engine{} are left out: there are too many", labels, engines,
                     engines == 1 ? "" : "s"));
  if (files != 0) note(fmt::format("{} files are left out: there are too many", files));
}

}  // namespace

top_source::top_source(std::vector<std::string> targets, std::string directory)
    : targets_(std::move(targets)), directory_(std::move(directory)) {}

void top_source::read_process(const std::string& target, host_reading& reading, reading_budget& budget,
                              file_ids& taken) const {
  const auto process = number_in(target);
  if (!process || !exists("/proc/" + target)) {
    reading.troubles.push_back(fmt::format("there is no process {}", target));
    return;
  }
  try {
    for (const std::string& path : counters_files_of(*process, directory_)) read_found(path, reading, budget, taken);
  } catch (const input_error& trouble) {
    reading.troubles.push_back(trouble.what());
  }
  // Targets that were named are reported one by one.
  for (left_file& each : std::exchange(reading.left, {})) reading.troubles.push_back(std::move(each.line));
}

host_reading top_source::read() const { return read(targets_.empty() ? host_budget : reading_budget()); }

host_reading top_source::read(reading_budget budget) const {
  host_reading reading;
  file_ids taken;
  std::vector<std::string> found = targets_;
  try {
    if (targets_.empty()) found = counters_files_of_host(directory_);
  } catch (const input_error& trouble) {
    reading.troubles.push_back(trouble.what());
  }
  std::size_t tried = 0;
  for (const std::string& each : found) {
    if (budget.engines == 0 || (targets_.empty() && tried == most_files_of_host)) break;
    ++tried;
    if (targets_.empty()) {
      read_found(each, reading, budget, taken);
    } else {
      is_process(each) ? read_process(each, reading, budget, taken) : read_named(each, reading, budget, taken);
    }
  }
  note_left_out(reading, found.size() - tried);
  return reading;
}

std::string top_source::where() const {
  if (targets_.empty()) return "on this host";
  if (targets_.size() > 1) return "among those named";
  return is_process(targets_[0]) ? "in process " + targets_[0] : "in " + in_quotes(targets_[0]);
}

void top_source::require_targets() const {
  if (targets_.empty()) {
    static_cast<void>(counters_files_of_host(directory_));
    return;
  }
  const host_reading reading = read();
  if (reading.engines.empty() && reading.troubles.size() == targets_.size()) {
    throw input_error(reading.troubles.front());
  }
}

}  // namespace detent::tool
