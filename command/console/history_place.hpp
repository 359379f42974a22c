// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "console/history_file.hpp"

namespace detent::tool {

struct opened_history {
  std::unique_ptr<history_file> file = {};  // null if the history is in memory alone
  // Why there is no file although one was wanted, or why the file was started over. Empty otherwise.
  std::string note = {};
};

// Opens what --history names: a file, "none", or if it is empty console.history in $STATE_DIRECTORY (which systemd's
// StateDirectory= sets), in $XDG_STATE_HOME/detent or in ~/.local/state/detent. A file that was named and cannot be
// used throws input_error; without the other one the console does its work all the same.
opened_history open_history(const std::string& name, std::chrono::microseconds length);

}  // namespace detent::tool
