// SPDX-License-Identifier: MIT
// Threads that play one round together.
#pragma once

#include "support/splitmix.hpp"

#include <thread>
#include <vector>

namespace stress {

using random_numbers = detent::test::splitmix;

// Calls f(number, random) on so many threads, each with random numbers of its own, and joins them with its end.
class crew {
 public:
  template <class F>
  crew(unsigned threads, std::uint64_t seed, F&& f) {
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([f, i, mine = random_numbers(seed, i + 2)]() mutable { f(i, mine); });
  }
  void join() { threads_.clear(); }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace stress
