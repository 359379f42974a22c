// SPDX-License-Identifier: MIT
#pragma once

#include "common.hpp"
#include "dead_keeper.hpp"
#include "hand.hpp"
#include "inbox.hpp"
#include "names.hpp"
#include "ownership.hpp"
#include "questions.hpp"
#include "reader.hpp"
#include "rule_follower.hpp"
#include "trials.hpp"
#include "verdicts.hpp"
#include "writer.hpp"

#include <detent/calendar.hpp>
#include <detent/durable.hpp>
#include <detent/durable_store.hpp>

#include <future>
#include <mutex>
#include <thread>

namespace detent::durable::detail {

// All parts of durable timers, and the thread that talks to the store.
class node {
 public:
  // Throws what the constructor of timers throws.
  node(engine& on, std::shared_ptr<store> in, options how);
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node();

  void handle(std::string_view name, handling what);
  void declare(std::string_view name, const schedule& when);
  void start();

  // Makes a record with an id, and with a key if the name has none. Throws too_large.
  record make_record(const timer_name& which, stored_time due, std::string_view handler);
  std::uint64_t new_id();
  // Throws outbox_full or forked.
  void push(pending_change&& operation);
  // Throws unknown_handler.
  schedule find_schedule(std::string_view name) const;
  void reload_zones();
  // Throws called_from_callback or forked.
  bool flush(duration patience);
  // Runs the question on the thread that talks to the store. Throws what the question throws, the error that it
  // returns, and called_from_callback, whose text begins with `what`.
  void ask(const char* what, const std::function<errc(store&)>& question);
  // Runs the question beside that thread, for one caller at a time. Throws what ask() throws.
  void look(const char* what, const std::function<errc(store_view&)>& question);
  durable::metrics metrics() const;
  const clocks& clock() const noexcept { return clock_; }
  shard_id shards() const noexcept { return store_->shards(); }
  bool names_are_text() const noexcept { return store_->names_are_text(); }
  // Returns false in the child of a fork, which must not destroy the node either.
  bool is_here() const noexcept { return process_.is_this(); }

 private:
  struct request {
    const std::function<errc(store&)>* what;
    std::promise<errc> done;
  };

  void refuse_own_thread(const char* what) const;
  void check(const char* what, errc problem) const;
  void rules_change();
  void work();
  void pass();
  // In virtual time the engine's timers take the place of the thread.
  void pass_soon();
  void pass_in_virtual_time();
  void write();
  bool is_crowded() const noexcept;
  void start_held();
  void pass_of_started();
  void follow_rules();
  void answer_requests();
  void end();
  void publish();
  std::chrono::nanoseconds until_next() const;

  engine& engine_;
  const options how_;
  const clocks clock_;
  const claimed_store store_;
  const own_process process_;
  const std::shared_ptr<bell> bell_ = std::make_shared<bell>();

  std::mutex looking_;
  const std::unique_ptr<store_view> view_;

  std::mutex asking_;
  std::vector<request*> requests_;
  std::vector<shard_id> announced_;
  bool rules_changed_ = false;
  bool started_ = false;
  bool stopping_ = false;

  const std::shared_ptr<registry> handlers_ = std::make_shared<registry>();  // a run may outlive the node
  registry& registry_ = *handlers_;
  const verdicts verdicts_{registry_, clock_};
  const std::shared_ptr<inbox> inbox_;
  const std::shared_ptr<finish_line> line_;
  counts counts_;
  trouble trouble_;
  std::mutex naming_;
  name_maker names_;
  calendar calendar_;
  hand hand_;
  tenures tenures_;
  const common common_{engine_, *store_, how_, clock_, registry_, tenures_, trouble_, counts_};
  questions questions_;
  trials trials_{clock_};
  writer writer_;
  rule_follower rules_;
  dead_keeper dead_;
  reader reader_;

  // Only the thread that talks to the store uses these:
  std::chrono::nanoseconds next_write_{};
  std::chrono::nanoseconds next_tick_{};
  std::chrono::nanoseconds next_backlog_{};  // when shards with a backlog are read again
  bool runs_ = false;                        // it has been started, and has not begun to end
  bool passes_ = false;                      // in virtual time: a pass is under way
  timer next_pass_;                          // in virtual time

  std::thread thread_;  // last, because it uses all other members as soon as it starts
};

}  // namespace detent::durable::detail
