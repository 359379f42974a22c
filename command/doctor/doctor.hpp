// SPDX-License-Identifier: MIT
// Finds what makes timers late on a host, in two ways: examine() takes its own time and measures as well; a host_watch
// reads before and after something else, such as a load, and reports the changes between the two readings.
#pragma once
#include <detent/time.hpp>

#include <memory>
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"
#include "lateness/driver_evidence.hpp"

namespace detent::tool {

// Every function returns its findings with the worst first. None of them fails: a file that cannot be read becomes a
// finding.
class host_watch {
 public:
  // Takes the first reading.
  explicit host_watch(worker_facts worker = {}, host_files host = host_files());
  host_watch(host_watch&&) noexcept;
  host_watch& operator=(host_watch&&) noexcept;
  ~host_watch();

  // Takes another reading. It does not see a thread that came to the worker's CPU and left it since the last one.
  void look();
  void look(const host_files& later);  // from a copy that was taken later

  // Returns the state of the host, and how it changed from the first reading to the last. A single reading shows no
  // changes.
  std::vector<finding> findings() const;
  // Returns what happened to the worker from the first reading to the last. Without a thread, nothing is visible.
  driver_evidence evidence() const;

 private:
  class notes;
  std::unique_ptr<notes> notes_;
};

// Examines this host: watches for `length` and then measures for up to two seconds. It shows its progress in a line on
// a terminal.
std::vector<finding> examine(const worker_facts& worker, duration length);

}  // namespace detent::tool
