// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "lateness/lateness_causes.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"
#include "lateness/machine_floor.hpp"
#include "lateness/pending_series.hpp"
#include "text/text_table.hpp"

namespace detent::tool {

struct report_page {
  std::string title;
  std::string settings;  // one line
  // Reasons to doubt the figures, in a sentence each. They are shown first.
  std::vector<std::string> alerts = {};
  text_table headline = {};  // a few figures, shown large
  text_table summary = {};   // counts
  text_table engine = {};    // the engine's options
  text_table machine = {};
  std::string command = {};  // the command that does it again
  std::string began = {};    // date and time

  // Exist only in real time. They are null if lateness is zero by construction.
  const lateness_log* lateness = nullptr;
  const machine_floor* floor = nullptr;
  const lateness_series* over_time = nullptr;
  std::optional<lateness_causes> causes = {};
  lateness_diagnosis why = {};
  std::vector<finding> findings = {};

  const pending_series* pending = nullptr;

  // Returns one self-contained HTML page. Its style and drawings are inside, and it has no scripts. It suits light and
  // dark screens, and paper.
  std::string html() const;
};

}  // namespace detent::tool
