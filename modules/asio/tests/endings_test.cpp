// SPDX-License-Identifier: MIT
// The table of docs/endings.md for sleeps: on an io_context and on a strand of a thread_pool; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <string>

#include "asio_library.hpp"
#include "support/engine_endings.hpp"

namespace detent::testing {
namespace {

std::string word_of(error_code ec) {
  if (!ec) return "elapsed";
  return ec == net::error::operation_aborted ? "operation_aborted"
         : ec == net::error::no_buffer_space ? "no_buffer_space"
         : ec == net::error::no_memory       ? "no_memory"
                                             : ec.message();
}

// Sleeps in the walk's own context.
class sleep_walk {
 public:
  explicit sleep_walk(ending_note& note) noexcept : note_(note) {}

  void start(auto& on, duration delay) {
    async_sleep_for(on, delay,
                    net::bind_cancellation_slot(signal_.slot(), net::bind_executor(context_, [this](error_code ec) {
                                                  note_.set(word_of(ec));
                                                })));
  }
  void cancel() { signal_.emit(net::cancellation_type::terminal); }
  void pump() {
    context_.restart();
    context_.poll();
  }

 private:
  ending_note& note_;
  net::io_context context_;
  net::cancellation_signal signal_;
};

// Sleeps in a strand of a pool, which runs on its own threads.
class strand_walk {
 public:
  explicit strand_walk(ending_note& note) : note_(note), strand_(net::make_strand(pool_)) {}
  ~strand_walk() { pool_.join(); }

  void start(auto& on, duration delay) {
    async_sleep_for(on, delay,
                    net::bind_cancellation_slot(signal_.slot(), net::bind_executor(strand_, [this](error_code ec) {
                                                  EXPECT_TRUE(strand_.running_in_this_thread());
                                                  note_.set(word_of(ec));
                                                })));
  }
  void cancel() {
    net::post(strand_, [this] { signal_.emit(net::cancellation_type::terminal); });
  }

 private:
  ending_note& note_;
  net::thread_pool pool_{2};
  net::strand<net::thread_pool::executor_type> strand_;
  net::cancellation_signal signal_;
};

const ending_table sleep_endings{
    {ending_event::elapses, "elapsed"},
    {ending_event::cancelled, "operation_aborted"},
    {ending_event::unfired_run, "operation_aborted"},
    {ending_event::unfired_thrown_away, "operation_aborted"},
    {ending_event::group_cancelled, "operation_aborted"},
    {ending_event::over_capacity, "no_buffer_space"},
    {ending_event::out_of_memory, "no_memory"},
    {ending_event::stopped_before, "operation_aborted"},
    {ending_event::moved_cancelled, "operation_aborted"},
    {ending_event::destroyed, "operation_aborted"},
};

// No executor of the engine ever holds a sleep's run, so those events are left out.
auto events_of_sleeps() {
  using e = ending_event;
  return ::testing::Combine(
      ::testing::Values(e::elapses, e::cancelled, e::unfired_run, e::unfired_thrown_away, e::refused_run_inline,
                        e::refused_retry, e::refused_drop, e::group_cancelled, e::over_capacity, e::out_of_memory,
                        e::stopped_before, e::moved, e::moved_cancelled, e::destroyed),
      ::testing::Values(ending_engine::worker, ending_engine::pool, ending_engine::keyed_pool,
                        ending_engine::virtual_time));
}

class AsioSleepEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioSleepEndings, EndOnceByTheirWord) { expect_ending<sleep_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, AsioSleepEndings, events_of_sleeps(), ending_name);

class AsioStrandSleepEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioStrandSleepEndings, EndOnceByTheirWord) { expect_ending<strand_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, AsioStrandSleepEndings, events_of_sleeps(), ending_name);

}  // namespace
}  // namespace detent::testing
