// SPDX-License-Identifier: MIT
#pragma once

#include "bell.hpp"
#include "claimed_store.hpp"
#include "counts.hpp"
#include "end_writer.hpp"
#include "hand.hpp"
#include "names.hpp"
#include "operation_writer.hpp"
#include "outbox.hpp"
#include "own_process.hpp"
#include "reader.hpp"
#include "registry.hpp"
#include "tenures.hpp"
#include "trouble.hpp"

#include <detent/calendar.hpp>
#include <detent/durable.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace detent::durable::detail {

// All that durable timers are, and the thread that talks to the store.
class node {
 public:
  // Throws what timers() throws.
  node(engine& on, std::shared_ptr<store> in, options how);
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node();

  void handle(std::string_view name, handling what);
  void declare(std::string_view name, const schedule& when);
  void start();

  // A record with its names; the key made, if there is none. Throws too_large.
  record make_record(const timer_name& which, stored_time due, std::string_view handler);
  std::uint64_t new_id();
  // Throws outbox_full, forked.
  void push(operation&& what);
  const schedule& find_schedule(std::string_view name) const;
  // Throws called_from_callback, forked.
  bool flush(duration patience);
  // On the thread that talks to the store. Throws what it throws, what the store answers, and called_from_callback, for
  // `what`.
  void ask(const char* what, const std::function<errc(store&)>& question);
  durable::metrics metrics() const;
  shard_id shards() const noexcept { return store_->shards(); }
  // False in the child of a fork, where it must not be destroyed either.
  bool is_here() const noexcept { return process_.is_this(); }

 private:
  struct request {
    const std::function<errc(store&)>* what;
    std::promise<errc> done;
  };

  void refuse_own_thread(const char* what) const;
  void work();
  void pass();
  void write();
  bool is_crowded() const noexcept;
  void start_held();
  void pass_of_started();
  void answer_requests();
  void end();
  void publish();
  std::chrono::nanoseconds until_next() const;

  engine& engine_;
  const options how_;
  const claimed_store store_;
  const own_process process_;
  const std::shared_ptr<bell> bell_ = std::make_shared<bell>();
  registry registry_;
  const std::shared_ptr<finish_line> line_;
  outbox outbox_;
  counts counts_;
  trouble trouble_;
  std::mutex naming_;
  name_maker names_;
  calendar calendar_;
  hand hand_;
  tenures tenures_;
  end_writer ends_;
  operation_writer operations_;
  reader reader_;

  // Only the thread that talks to the store uses these.
  std::chrono::nanoseconds next_write_{};
  std::chrono::nanoseconds next_tick_{};
  bool runs_ = false;  // it has been started, and does not end yet

  std::mutex asking_;
  std::vector<request*> requests_;
  std::vector<shard_id> announced_;
  bool started_ = false;
  bool stopping_ = false;

  std::thread thread_;  // last: all else is there when it begins
};

}  // namespace detent::durable::detail
