// SPDX-License-Identifier: MIT
#include "refusal.hpp"

#include "scripts.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <array>

namespace detent::durable::redis {

namespace {

struct meaning {
  std::string_view word;
  refusal kind;
};

constexpr std::array meanings = {
    meaning{"NOSCRIPT", refusal::no_script},
    meaning{"MOVED", refusal::moved},
    meaning{"ASK", refusal::ask},
    meaning{"READONLY", refusal::read_only},
    meaning{"OOM", refusal::no_memory},
    meaning{"NOAUTH", refusal::not_permitted},
    meaning{"WRONGPASS", refusal::not_permitted},
    meaning{"NOPERM", refusal::not_permitted},
    meaning{"DENIED", refusal::not_permitted},  // protected mode
    meaning{"LOADING", refusal::busy},
    meaning{"BUSY", refusal::busy},
    meaning{"TRYAGAIN", refusal::busy},
    meaning{"CLUSTERDOWN", refusal::busy},
    meaning{"MASTERDOWN", refusal::busy},
    meaning{"MISCONF", refusal::busy},
    meaning{"NOREPLICAS", refusal::busy},
    meaning{foreign, refusal::foreign},
};

refusal of_word(std::string_view text) noexcept {
  const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
  const auto* const found =
      std::find_if(meanings.begin(), meanings.end(), [&](const meaning& m) { return m.word == word; });
  return found != meanings.end() ? found->kind : refusal::unexpected;
}

}  // namespace

refusal classify(std::string_view text) noexcept {
  const refusal first = of_word(text);
  if (first != refusal::unexpected) return first;
  // The last two are those of Redis 7.0 and of later versions; a command in a script needs a right.
  for (const std::string_view denied : {"ERR invalid password", "ERR AUTH ", "ERR Client sent AUTH",
                                        "ERR The user executing the script can't", "ERR ACL failure in script"})
    if (text.starts_with(denied)) return refusal::not_permitted;
  if (text.starts_with("ERR max number of clients")) return refusal::busy;
  if (!text.starts_with("ERR Error running script")) return refusal::unexpected;
  // Examples: "ERR Error running script (call to f_...): @user_script:9: -OOM command not allowed ..."; for a missing
  // right, "... @user_script:9: @user_script: 9: The user executing the script can't ..."
  if (text.find(": The user executing the script can't") != std::string_view::npos) return refusal::not_permitted;
  const std::size_t inner = text.find(": -");
  return inner != std::string_view::npos ? of_word(text.substr(inner + 3)) : refusal::unexpected;
}

std::string foreign_words(std::string_view refused) {
  const std::string found(refused.substr(refused.rfind(' ') + 1));
  return "of format " + found + ", and this version knows " + std::to_string(store_format) +
         ": use the version that wrote it, or another prefix";
}

}  // namespace detent::durable::redis
