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

// Every function returns its findings worst first, and none of them fails: what cannot be read is a finding, too.
class host_watch {
 public:
  // Takes the first reading.
  explicit host_watch(worker_facts worker = {}, host_files host = host_files());
  host_watch(host_watch&&) noexcept;
  host_watch& operator=(host_watch&&) noexcept;
  ~host_watch();

  // Takes another reading. A thread that came to the worker's CPU and left it between two of them is not seen.
  void look();
  void look(const host_files& later);  // from a copy that was taken later

  // The state of the host, and its changes from the first reading to the last. One reading alone shows no change.
  std::vector<finding> findings() const;
  // How the worker fared from the first reading to the last; not visible without a thread.
  driver_evidence evidence() const;

 private:
  class notes;
  std::unique_ptr<notes> notes_;
};

// This very host: watches for `length`, and measures for up to two seconds longer, with a line of progress on a
// terminal.
std::vector<finding> examine(const worker_facts& worker, duration length);

}  // namespace detent::tool
