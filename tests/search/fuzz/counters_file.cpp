// SPDX-License-Identifier: MIT
// Fuzz target: the bytes are a counters file, or say how one is damaged. Either it is refused by one line that names
// the file, or what is printed of it is text that moves no cursor, and its percentiles are in order.
#include "counters/counters_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "search/fuzz/memory_file.hpp"
#include "search/fuzz/target.hpp"
#include "stat/prometheus_text.hpp"
#include "stat/stat_json.hpp"
#include "stat/stat_text.hpp"
#include "support/counters_image.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

const std::string& sound_file() {
  static const std::string bytes = [] {
    test::counters_image image(1);
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      image.set(thread, counters_layout::counter::scheduled, 100 + thread);
    }
    for (const std::uint64_t ns : {0ULL, 90ULL, 5'000ULL, 80'000'000ULL}) {
      image.record(counters_layout::cause::lateness, ns, 3);
    }
    image.record(counters_layout::cause::wait, 90, 2);
    image.record(image.add_label("one"), counters_layout::cause::lateness, 90, 2);
    image.add_label("two");
    return image.bytes();
  }();
  return bytes;
}

// One change of 13 bytes: what is done, where, and with which value.
void damage(std::string& bytes, std::string_view change) {
  std::uint32_t place = 0;
  std::uint64_t value = 0;
  std::memcpy(&place, change.data() + 1, sizeof place);
  std::memcpy(&value, change.data() + 5, sizeof value);
  constexpr std::size_t widths[] = {1, 4, 8};
  if (const unsigned kind = static_cast<unsigned char>(change[0]) % 4; kind == 3) {
    bytes.resize(value % (2 * sound_file().size()), '\0');
  } else if (!bytes.empty()) {
    const std::size_t at = place % bytes.size();
    std::memcpy(bytes.data() + at, &value, std::min(widths[kind], bytes.size() - at));
  }
}

// The first byte decides whether the rest is the file, or changes to a sound one.
std::string file_of(std::string_view input) {
  if (input.empty() || input[0] == 'f') return std::string(input.substr(input.empty() ? 0 : 1));
  std::string bytes = sound_file();
  for (input.remove_prefix(1); input.size() >= 13; input.remove_prefix(13)) damage(bytes, input);
  return bytes;
}

void require_text(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    require(end != text.npos, "what is printed is lines", text);
    if (end != begin) require_one_line(text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

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
