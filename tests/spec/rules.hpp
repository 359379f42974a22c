// SPDX-License-Identifier: MIT
// Keeps the first rule that an implementation has broken.
#pragma once

#include <string>

namespace detent::spec {

class rules {
 public:
  // Only the first broken rule counts, because the others may follow from it.
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
