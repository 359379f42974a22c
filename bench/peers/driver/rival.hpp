// SPDX-License-Identifier: MIT
// A system as the driver sees it: a name, a command, and a process when one is needed.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "child.hpp"

namespace peers {

class rival {
 public:
  enum class lifetime {
    each_request,  // a process that starts at once: a new one each time, so that nothing lingers
    whole_run      // a process that must warm up: a single one, stopped while others are measured
  };

  // If `skipped` is not empty, it says why there is nothing to run.
  rival(std::string name, std::string command, std::string skipped, lifetime life);

  const std::string& name() const { return name_; }
  // Says why it cannot be measured; empty if it can be. Known after meet().
  const std::string& skipped() const { return skipped_; }
  // Starts the program, which prints a description of itself. Throws child_failed.
  void meet();
  // Returns whether meet() found it ready.
  bool ready() const { return !works_.empty(); }
  const std::string& version() const { return version_; }
  const std::string& how() const { return how_; }
  bool does(const std::string& work) const { return works_.contains(work); }
  // Returns whether the child itself has listed the works in does(). Otherwise it may refuse some of them.
  bool listed_its_works() const { return listed_; }
  // Returns the answer, which may be {"error": ...}. Throws child_failed; the next request then starts a new process.
  nlohmann::ordered_json ask(const std::string& request);

 private:
  std::unique_ptr<child> started() const;

  std::string name_, command_, skipped_;
  lifetime life_;
  std::string version_, how_;
  std::set<std::string> works_;
  bool listed_ = false;
  std::unique_ptr<child> process_;
};

// Reads the systems of a list: lines of `name<TAB>command`, or `name<TAB>skipped: why`. Throws std::runtime_error that
// names the line.
std::vector<rival> read_rivals(const std::filesystem::path& list, rival::lifetime life);

}  // namespace peers
