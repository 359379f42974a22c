// SPDX-License-Identifier: MIT
// Counters files that are damaged as an input says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "search/fuzz/target.hpp"
#include "support/counters_image.hpp"

namespace detent::fuzz {

inline const std::string& sound_file() {
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
inline void damage(std::string& bytes, std::string_view change) {
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
inline std::string file_of(std::string_view input) {
  if (input.empty() || input[0] == 'f') return std::string(input.substr(input.empty() ? 0 : 1));
  std::string bytes = sound_file();
  for (input.remove_prefix(1); input.size() >= 13; input.remove_prefix(13)) damage(bytes, input);
  return bytes;
}

inline void require_text(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    require(end != text.npos, "what is printed is lines", text);
    if (end != begin) require_one_line(text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

}  // namespace detent::fuzz
