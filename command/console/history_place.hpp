// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "console/history_file.hpp"

namespace detent::tool {

struct opened_history {
  std::unique_ptr<history_file> file = {};  // null if the history is kept only in memory
  // Says why there is no file although one was wanted, or why it was started over. Otherwise empty.
  std::string note = {};
};

// Opens the history that --history names: a file, or "none". If it names nothing, the file is console.history in
// $STATE_DIRECTORY (which systemd's StateDirectory= sets), in $XDG_STATE_HOME/detent or in ~/.local/state/detent.
// Throws input_error if a file that was named cannot be used; without the default file, the console works all the same.
opened_history open_history(const std::string& name, std::chrono::microseconds length);

}  // namespace detent::tool
