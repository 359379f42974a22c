// SPDX-License-Identifier: MIT
#include "stat/stat_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "counters/counters_set.hpp"
#include "counters/file_ids.hpp"
#include "stat/prometheus_text.hpp"
#include "stat/stat_json.hpp"
#include "stat/stat_text.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

// Digits alone are the id of a process. A file with such a name must be given as ./1234.
std::vector<std::string> files_of_process(const std::string& target, const std::string& directory) {
  const auto process = number_in(target);
  std::error_code unseen;
  if (!process || !std::filesystem::exists("/proc/" + target, unseen)) {
    throw input_error(fmt::format("there is no process {}", target));
  }
  const std::string nothing = fmt::format("process {} has no counters file that can be found", target);
  std::vector<std::string> files;
  try {
    files = counters_files_of(*process, directory);
  } catch (const input_error& trouble) {
    throw input_error(fmt::format("{}: {}", nothing, trouble.what()));
  }
  if (files.empty()) throw input_error(nothing + " (engine_options::counters_file, docs/counters.md)");
  return files;
}

class taker {
 public:
  taker(stat_reading& result, reading_budget& budget) : result_(result), budget_(budget) {}

  void take(const std::string& path, path_origin origin) {
    if (budget_.engines == 0) throw input_error(fmt::format("{}: left out: there are too many", printable(path)));
    const auto id = file_ids::of(path, origin);
    if (taken_.hold(id)) return;
    taken_.add(id);
    counters_snapshot snapshot = counters_file(path, origin).read(budget_);
    snapshot.gone = absence_of_owner(snapshot);
    result_.engines.push_back(std::move(snapshot));
  }
  // Does `work`. A file that it cannot read becomes a complaint.
  template <class Work>
  void attempt(bool asked_for, Work work) {
    try {
      work();
    } catch (const input_error& trouble) {
      result_.complaints.push_back(trouble.what());
      result_.failed = result_.failed || asked_for;
      secrets_ = secrets_ || dynamic_cast<const secret_file*>(&trouble) != nullptr;
    }
  }
  // Returns whether this user may not read some file.
  bool secrets() const { return secrets_; }

 private:
  stat_reading& result_;
  reading_budget& budget_;
  file_ids taken_;
  bool secrets_ = false;
};

void note_labels_left_out(stat_reading& reading) {
  std::uint64_t labels = 0;
  for (const counters_snapshot& each : reading.engines) labels += each.labels_left_out;
  if (labels != 0) reading.complaints.push_back(fmt::format("{} labels are left out: there are too many", labels));
}

std::string formed(const std::vector<counters_snapshot>& snapshots, stat_form form,
                   std::vector<std::string>& complaints) {
  switch (form) {
    case stat_form::json: return stat_json(snapshots);
    case stat_form::prometheus: {
      series_names names;
      std::string text = prometheus_text(snapshots, names);
      complaints.insert(complaints.end(), names.complaints().begin(), names.complaints().end());
      return text;
    }
    case stat_form::text: break;
  }
  return stat_text(snapshots);
}

}  // namespace

stat_reading read_stat(const std::vector<std::string>& targets, const std::string& directory, reading_budget budget) {
  stat_reading result;
  taker taker(result, budget);
  if (targets.empty()) {
    budget = at_most(budget, host_budget);
    std::vector<std::string> found;
    taker.attempt(true, [&] { found = counters_files_of_host(directory); });
    std::size_t tried = 0;
    for (; tried < std::min(found.size(), most_files_of_host) && budget.engines != 0; ++tried)
      taker.attempt(false, [&] { taker.take(found[tried], path_origin::found); });
    if (tried != found.size())
      result.complaints.push_back(fmt::format("{} files are left out: there are too many", found.size() - tried));
    note_labels_left_out(result);
    std::ranges::stable_partition(result.engines, [](const counters_snapshot& each) { return each.gone.empty(); });
    // To say that there is no engine would be a guess.
    if (result.engines.empty() && taker.secrets()) result.failed = true;
  }
  for (const std::string& target : targets) {
    taker.attempt(true, [&] {
      if (target.empty()) throw input_error("'' is neither the id of a process nor the name of a file");
      if (!is_process(target)) return taker.take(target, path_origin::named);
      for (const std::string& path : files_of_process(target, directory)) {
        taker.attempt(true, [&] { taker.take(path, path_origin::found); });
      }
    });
  }
  return result;
}

stat_result take_stat(const std::vector<std::string>& targets, stat_form form, const std::string& directory,
                      bool each_shard) {
  stat_reading read = read_stat(targets, directory);
  if (form == stat_form::text && !each_shard) fold_sets(read.engines);
  stat_result result;
  if (!read.failed || !read.engines.empty()) result.text = formed(read.engines, form, read.complaints);
  result.complaints = std::move(read.complaints);
  result.failed = read.failed;
  return result;
}

}  // namespace detent::tool
