// SPDX-License-Identifier: MIT
#include "callers/executor_table.hpp"

#include <utility>

namespace detent::detail {
namespace {

// For timers that name no executor, in an engine that has others: the driver runs each as it is handed over.
class inline_executor final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    work();
    return true;
  }
};

std::vector<std::shared_ptr<executor>> together(std::shared_ptr<executor> own,
                                                std::vector<std::shared_ptr<executor>> others) {
  if (own == nullptr && others.empty()) return {};
  others.insert(others.begin(), own != nullptr ? std::move(own) : std::make_shared<inline_executor>());
  return others;
}

}  // namespace

executor_table::executor_table(std::shared_ptr<executor> own, std::vector<std::shared_ptr<executor>> others)
    : stands_in_(own == nullptr), owned_(together(std::move(own), std::move(others))) {
  known_.reserve(owned_.size());
  for (const std::shared_ptr<executor>& each : owned_) known_.push_back(each.get());
}

std::size_t executor_table::find(const executor& named) const noexcept {
  std::size_t number = 0;
  while (number != size() && known_[number] != &named) ++number;
  return number;
}

}  // namespace detent::detail
