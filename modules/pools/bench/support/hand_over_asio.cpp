// SPDX-License-Identifier: MIT
// Boost.Asio's thread_pool as the pool, each timer posted to it.
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <utility>

#include "hand_over.hpp"

namespace {

class posted final : public detent::executor {
 public:
  explicit posted(std::size_t threads) : pool_(threads) {}
  posted(const posted&) = delete;
  posted& operator=(const posted&) = delete;
  ~posted() override { pool_.join(); }
  bool execute(detent::fired_timer&& work) noexcept override {
    boost::asio::post(pool_, [mine = std::move(work)]() mutable { mine(); });
    return true;
  }

 private:
  boost::asio::thread_pool pool_;
};

const bool added = [] {
  detent::bench::add_hand_over("asio_thread_pool",
                               [](std::size_t threads) { return std::make_shared<posted>(threads); });
  return true;
}();

}  // namespace
