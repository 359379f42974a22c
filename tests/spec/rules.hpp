// SPDX-License-Identifier: MIT
// Says whether an implementation's action was allowed, and keeps the first rule that it broke.
#pragma once

#include <string>

namespace detent::spec {

class rules {
 public:
  // Only the first broken rule counts, because later ones tell nothing.
  void require(bool so, const char* rule) {
    if (!so && broken_.empty()) broken_ = rule;
  }
  template <class Detail>
  void require(bool so, const char* rule, Detail&& detail) {
    if (!so && broken_.empty()) broken_ = std::string(rule) + ": " + detail();
  }
  bool kept() const { return broken_.empty(); }
  const std::string& broken() const { return broken_; }

 private:
  std::string broken_;
};

}  // namespace detent::spec
