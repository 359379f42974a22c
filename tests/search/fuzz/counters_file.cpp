// SPDX-License-Identifier: MIT
// Fuzz target: the bytes are a counters file, or say how one is damaged. Either it is refused by one line that names
// the file, or what is printed of it is text that moves no cursor, and its percentiles are in order.
#include "counters/counters_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "search/fuzz/damaged_counters.hpp"
#include "search/fuzz/memory_file.hpp"
#include "search/fuzz/target.hpp"
#include "stat/prometheus_text.hpp"
#include "stat/stat_json.hpp"
#include "stat/stat_text.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

void check(const tool::histograms_by_cause& histograms) {
  tool::for_each_key<tool::cause>([&](tool::cause key) {
    const tool::counters_histogram& h = histograms[key];
    duration before(0);
    for (const double p : {0.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      require(h.percentile(p) >= before, "percentiles grow", std::to_string(p));
      before = h.percentile(p);
    }
    require(h.mean() >= duration(0), "a mean of what is not negative", std::to_string(h.mean().count()));
    require(h.count_up_to((duration::max)()) == h.count(), "all is at most the most", std::to_string(h.count()));
    require(h.since(h).count() == 0, "nothing since itself", std::to_string(h.count()));
  });
}

void check(const tool::counters_snapshot& read) {
  check(read.histograms);
  for (const tool::label_snapshot& label : read.labels) check(label.histograms);
  require_text(tool::stat_text({read}));
  require_text(tool::stat_json({read}));
  require_text(tool::prometheus_text({read}));
  require(tool::since(read, read).totals[tool::counter::scheduled] == 0, "nothing since itself", read.identity.path);
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  const fuzz::memory_file file(fuzz::file_of(fuzz::text_of(data, size)));
  try {
    fuzz::check(tool::counters_file(file.path()).read());
  } catch (const tool::input_error& refusal) {
    fuzz::require_one_line(refusal.what());
    fuzz::require(std::string_view(refusal.what()).starts_with(file.path() + ": "), "a refusal begins with the place",
                  refusal.what());
  }
  return 0;
}
