// SPDX-License-Identifier: MIT
// Callbacks on an Asio executor.
#pragma once

#include <detent/detail/fired_batch.hpp>
#include <detent/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace detent::detail {

// `Asio` is base::boost_asio or base::standalone_asio.
template <class Asio, class Executor>
class posting_executor final : public executor {
 public:
  posting_executor(Executor&& to, std::size_t at_once) noexcept
      : to_(std::move(to)), at_once_(std::max<std::size_t>(at_once, 1)) {}

  bool execute(fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override {
    return enqueue_batches(work, at_once_, [this](const fired_batch& batch) { Asio::post(to_, batch); });
  }

 private:
  Executor to_;
  std::size_t at_once_;
};

}  // namespace detent::detail
