// SPDX-License-Identifier: MIT
#include "cron/schedule_words.hpp"

namespace detent::tool {

bool is_dialect(std::string_view word) { return word.empty() || word == "quartz" || word == "unix"; }
bool is_gap(std::string_view word) { return word.empty() || word == "after" || word == "skip"; }
bool is_overlap(std::string_view word) { return word.empty() || word == "once" || word == "twice"; }

schedule schedule_of(const schedule_words& words) {
  schedule_options options;
  if (!words.zone.empty()) options.zone = time_zone::load(words.zone);
  if (words.gap == "skip") options.gap = in_gap::skip;
  if (words.overlap == "twice") options.overlap = in_overlap::twice;
  return words.dialect == "unix" ? schedule::unix_cron(words.expression, options)
                                 : schedule::quartz(words.expression, options);
}

}  // namespace detent::tool
