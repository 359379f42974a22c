// SPDX-License-Identifier: MIT
#include "callers/executor_table.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

// The driver runs each as it is handed over.
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
  std::shared_ptr<executor> driver(std::shared_ptr<void>(), on_driver());  // counts nothing: it lasts
  if (own != nullptr) {
    others.insert(others.begin(), std::move(own));
    others.push_back(std::move(driver));
  } else {
    others.insert(others.begin(), std::move(driver));
  }
  return others;
}

}  // namespace
}  // namespace detent::detail

detent::executor* detent::on_driver() noexcept {
  // Never destroyed: an engine may outlast the objects that are static.
  alignas(detail::inline_executor) static std::byte place[sizeof(detail::inline_executor)];
  static executor* const driver = ::new (static_cast<void*>(place)) detail::inline_executor;
  return driver;
}

namespace detent::detail {

executor_table::executor_table(std::shared_ptr<executor> own, std::vector<std::shared_ptr<executor>> others)
    : owned_(together(std::move(own), std::move(others))) {
  known_.reserve(owned_.size());
  for (const std::shared_ptr<executor>& each : owned_) {
    if (each->keeps_order()) ordered_ |= std::uint64_t{1} << known_.size();
    known_.push_back(each.get());
  }
}

std::size_t executor_table::find(const executor& named) const noexcept {
  std::size_t number = 0;
  while (number != size() && known_[number] != &named) ++number;
  return number;
}

}  // namespace detent::detail
