// SPDX-License-Identifier: MIT
// Fuzz target: the bytes are a counters file, or say how one is damaged. If it can be read, the console makes a page of
// it, as text, whatever was there a second before.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "console/engine_history.hpp"
#include "counters/counters_file.hpp"
#include "page/console_page.hpp"
#include "search/fuzz/damaged_counters.hpp"
#include "search/fuzz/memory_file.hpp"
#include "search/fuzz/target.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

// Compares with a reading of a sound engine a second ago, with this one, and with nothing, when it has ended.
void require_page(const tool::counters_snapshot& read) {
  static const tool::counters_snapshot sound = tool::counters_file(memory_file(sound_file()).path()).read();
  tool::counters_snapshot earlier = sound;
  earlier.identity = read.identity;
  earlier.read_at = read.read_at - 1'000'000'000;
  tool::engine_history history;
  tool::console_view view;
  for (const tool::counters_snapshot& each : {earlier, read}) {
    tool::host_reading reading;
    reading.engines.push_back({.snapshot = each, .worker_cpu = std::nullopt});
    view.now += std::chrono::seconds(1);
    history.take(std::move(reading), view.now);
    view.engines = history.engines();
    require_text(tool::page_of(view));
  }
  history.take({}, view.now);
  view.engines = history.engines();
  require(view.engines.size() == 1 && !view.engines[0].live, "one engine, which has ended", read.identity.path);
  require_text(tool::page_of(view));
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  const fuzz::memory_file file(fuzz::file_of(fuzz::text_of(data, size)));
  std::optional<tool::counters_snapshot> read;
  try {
    read = tool::counters_file(file.path()).read();
  } catch (const tool::input_error&) {
    return 0;  // what it says is the target counters_file's
  }
  fuzz::require_page(*read);
  return 0;
}
