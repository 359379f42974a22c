// SPDX-License-Identifier: MIT
// The core of an engine: counted, as a callback may destroy the engine, and a fired_timer may outlive it.
#pragma once

#include <detent/alloc/page_source.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/engine.hpp>
#include "submission/doorbell.hpp"

#include "counters/counters_block.hpp"
#include "counters/label_store.hpp"
#include "driver/rehearsal.hpp"
#include "driver/waiter.hpp"
#include "groups/group_store.hpp"
#include "observe/run_ledger.hpp"
#include "platform/clock_reader.hpp"
#include "platform/wake_fd.hpp"
#include "recording/recorder.hpp"
#include "submission/backlog.hpp"
#include "submission/drain_debt.hpp"
#include "submission/fence_policy.hpp"
#include "submission/retry_queue.hpp"
#include "submission/set_aside.hpp"
#include "submission/stale_filter.hpp"
#include "submission/submit.hpp"
#include "threads/lifecycle.hpp"
#include "threads/thread_registry.hpp"
#include "timer/run_ends.hpp"
#include "timer/run_scope.hpp"
#include "wheel/due_lanes.hpp"
#include "wheel/wheel.hpp"

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace detent::detail {

class engine_core {
 public:
  // The options have been checked. Throws bad_alloc; open() must follow.
  explicit engine_core(engine_options options);
  ~engine_core();
  // What may be refused by the machine. On failure says why, naming option and value, and leaves no thread.
  errc open(std::string& why);

  void add_reference() noexcept;
  void drop_reference() noexcept;

  // --- Any thread (schedule.cpp, cancel.cpp, metrics.cpp) ---
  claim claim_node(const plan& when) noexcept;
  void abandon(const claim& owned) noexcept;
  timer publish(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept;
  timer schedule_packed(thread_record& record, nanoseconds_t deadline, const callable_ops& ops, std::uint64_t first,
                        std::uint64_t second, std::uint64_t third) noexcept;
  timer schedule_packed_slowly(nanoseconds_t deadline, const callable_ops& ops, std::uint64_t first,
                               std::uint64_t second, std::uint64_t third) noexcept;
  bool cancel_plain(thread_record& mine, node_index index, std::uint32_t queued_half) noexcept;
  bulk_result schedule_many(std::span<const time_point> deadlines, const bulk_filler& filler, std::span<timer> out,
                            const timer_options& options, origin where) noexcept;
  std::size_t cancel_many(std::span<const timer> timers) noexcept;
  // `wait`: has the runner of a running callback wake whoever waits for its end.
  cancel_result cancel(node_index index, std::uint32_t generation, bool wait) noexcept;
  cancel_result cancel_and_wait(node_index index, std::uint32_t generation) noexcept;
  bool restart_later(thread_record& mine, node_index index, std::uint32_t queued_half, nanoseconds_t deadline) noexcept;
  bool restart(node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept;
  bool is_pending(node_index index, std::uint32_t generation) const noexcept;
  std::size_t pending() const noexcept;
  engine_metrics metrics() const;
  engine_metrics metrics(const label& of) const;
  label make_label(std::string_view name);
  std::vector<pending_timer> list_pending() const;
  const engine_options& options() const noexcept { return options_; }
  const clock_reader& time() const noexcept { return time_; }
  submission_queue& queue() noexcept { return queue_; }
  counters_block& counts() noexcept { return counts_; }
  std::uint64_t number() const noexcept { return threads_.engine(); }  // no other engine ever has the same
  bool is_forked() const noexcept { return life_.now() == lifecycle::phase::forked; }  // this very process's fork did
  bool stopped() const noexcept { return !life_.is_open(); }
  thread_identity worker() const noexcept { return life_.worker(); }

  group_store& groups() noexcept { return groups_; }
  void cancel_group(group_state& group) noexcept;
  void pause_group(group_state& group) noexcept;
  void resume_group(group_state& group) noexcept;
  void wait_for_group(group_state& group) noexcept;
  void end_group(group_state& group) noexcept;

  // --- Life and end (stop.cpp) ---
  // Ends the drive and gives back what had not ended: to `out`, or destroyed if that is null.
  errc stop(std::vector<unfired>* out) noexcept;
  // What ~engine does: stop() from wherever it is called, then the engine's reference.
  void end() noexcept;
  // In the child of a fork: refuses everything from now on. The caller holds the lock of the list of cores.
  void disown() noexcept;
  void thread_leaves(thread_record& leaving) noexcept;  // which ends

  // --- Whoever runs a handed-over timer (dispatch.cpp) ---
  void run_handed_over(node_index index, std::uint64_t word, std::uint32_t order, const lateness_parts& late) noexcept;
  void let_go(node_index index, std::uint64_t word) noexcept;

  // --- The driver, one thread at a time (worker.cpp, poll.cpp) ---
  std::size_t poll(std::size_t max_callbacks);
  std::optional<nanoseconds_t> next_deadline();
  int open_wake_fd();

  engine_core *next_core = nullptr, *previous_core = nullptr;  // in the list of live cores (live_cores.cpp)

 private:
  friend class drive_turn;
  friend class stage;
  enum class outcome : std::uint8_t { ended, armed_again };

  node& node_at(node_index index) const noexcept { return *static_cast<node*>(pool_.hot(index)); }
  cold_node& cold_at(node_index index) const noexcept { return *static_cast<cold_node*>(pool_.cold(index)); }
  errc refusal() const noexcept;
  bool is_possible(const plan& when) const noexcept;
  static bool is_plain(const plan& when) noexcept;

  // schedule.cpp, cancel.cpp, bulk.cpp
  timer publish_owned(const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept;
  timer hand_in(thread_record& record, node_index index, node& made, std::uint64_t word, nanoseconds_t deadline,
                nanoseconds_t time) noexcept;
  timer take_back(thread_record& record, node_index index, node& made, std::uint64_t word) noexcept;
  std::uint64_t describe(node_index index, const plan& when, nanoseconds_t grid) noexcept;
  bool take_place() noexcept;
  void give_place_back() noexcept;
  void free_node(thread_record& record, node_index index, node& freed) noexcept;
  void empty_and_end(node_index index, std::uint32_t generation, cancel_transition done) noexcept;
  void end_cancelled(node_index index, std::uint32_t generation, cancel_transition done) noexcept;
  void push_entry(thread_record& record, std::uint64_t entry, nanoseconds_t deadline) noexcept;
  void submit(thread_record& record, std::uint64_t entry, nanoseconds_t deadline) noexcept;
  void report_pushes(thread_record& record, std::uint64_t count) noexcept;
  void ring_for_earlier(thread_record& record, nanoseconds_t deadline) noexcept;
  void after_ring(thread_record& record, doorbell::ring_result result) noexcept;
  bulk_result make_many(thread_record& record, std::span<const time_point> deadlines, const bulk_filler& filler,
                        std::span<timer> out, const plan& when, nanoseconds_t& earliest) noexcept;
  void take_back_many(thread_record& record, std::span<timer> made, bulk_result& done) noexcept;
  template <class Entries>
  void push_entries(thread_record& record, Entries first, std::size_t count, nanoseconds_t time) noexcept;
  void push_reaps(thread_record& record) noexcept;
  void add_reap(thread_record& record, std::uint64_t entry) noexcept;

  // drain.cpp: the driver's side of the submission queue, and the wheel
  void answer_bell() noexcept;
  bool drain_slice() noexcept;
  void note_taken(std::size_t count) noexcept;
  bool take_batch() noexcept;
  bool end_drain() noexcept;
  void drain_submitted() noexcept;
  [[gnu::noinline]] void drain_much(std::size_t submitted) noexcept;
  bool is_due(nanoseconds_t until) const noexcept;
  bool drain_completely(nanoseconds_t until) noexcept;
  void drain_before_firing() noexcept;
  void relieve(nanoseconds_t until) noexcept;
  void take_entry(std::uint64_t entry) noexcept;
  void prefetch_links(std::uint64_t entry) noexcept;
  void take_up_submitted(node_index index, node& submitted, std::uint32_t generation) noexcept;
  void reap(node_index index, node& cancelled) noexcept;
  void rescan() noexcept;
  void file(node_index index, node& armed) noexcept;
  void put_in_wheel(node_index index, node& armed, std::uint64_t word, nanoseconds_t time) noexcept;
  bool place_if_due(node_index index, node& armed, std::uint64_t word, bool now) noexcept;
  bool take_out_due(node_index index, node& filed) noexcept;
  bool drop_if_cancelled(node_index index, node& filed) noexcept;
  std::optional<nanoseconds_t> next_exact();
  std::optional<nanoseconds_t> next_filed();
  std::optional<nanoseconds_t> next_left_over();
  bool is_as_collected(const due_entry& entry, const node& named, std::uint64_t word) const noexcept;
  static bool is_newest(const due_entry& entry, const node& named) noexcept;

  // interlude.cpp, fire.cpp
  struct critical_entries;
  static void overtake(void* core) noexcept;
  bool take_due(node_index index, node& filed) noexcept;
  [[gnu::noinline]] bool take_due_after_a_look(node_index index, node& filed) noexcept;
  std::size_t fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling);
  [[gnu::noinline]] std::size_t fire_due(nanoseconds_t now, std::size_t max_callbacks) noexcept;
  bool take_critical(nanoseconds_t now) noexcept;
  bool fire_next(nanoseconds_t& now) noexcept;
  bool run(thread_record& record, node_index index, std::uint64_t word, nanoseconds_t& now, arrival came) noexcept;
  void finish_run(thread_record& record, node_index index, std::uint64_t word, run_scope& scope, bool used_up,
                  label_block* label) noexcept;
  void invoke(thread_record& record, node& running, run_scope& scope, label_block* label) noexcept;
  operation note_arming(node_index index, std::uint64_t word, const run_scope& scope, nanoseconds_t next,
                        nanoseconds_t behind) const noexcept;
  outcome run_again(thread_record& record, node_index index, std::uint64_t word, run_scope& scope) noexcept;
  void end_timer(thread_record& record, node_index index, std::uint64_t word, counter category,
                 label_block* label) noexcept;
  void report(const std::exception_ptr& failure) noexcept;

  // groups.cpp
  void attend_to(group_state& group) noexcept;
  void leave(node_index index) noexcept;
  void rejoin(node_index index) noexcept;
  bool begin_in_group(group_run& run, node_index index, std::uint64_t word) noexcept;
  bool is_cancelled_in_group(node_index index) const noexcept;
  bool restart_to(node_index index, std::uint32_t generation, nanoseconds_t kept, nanoseconds_t time) noexcept;
  bool restart_cold(node_index index, std::uint32_t generation, nanoseconds_t deadline) noexcept;
  nanoseconds_t behind_of_group(node_index index) const noexcept;
  void enrol(node_index index, std::uint64_t word) noexcept;
  void sweep_groups(std::size_t most) noexcept;
  bool sweep(group_state& group, std::size_t& most) noexcept;
  bool sweep_one(group_state& group, node_index index, std::uint64_t word) noexcept;
  void put_back(node_index index, std::uint64_t word, std::uint32_t order) noexcept;
  void end_pending(node_index index, std::uint64_t word) noexcept {
    give_place_back();
    if ((word & state_word::cold) != 0) leave(index);
  }

  // dispatch.cpp
  void dispatch(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept;
  void hand_over_batch() noexcept;
  void refused(fired_timer&& work) noexcept;
  void refused_in_order(fired_timer&& work) noexcept;
  bool has_offers() noexcept;
  void retry_refused() noexcept;

  // labels.cpp, metrics.cpp, pending_list.cpp
  void note_origin(node_index index, const origin& where) noexcept;
  void tell_if_slow(thread_record& record, const slow_callback& run) noexcept;
  void count_end(node_index index, std::uint64_t word, label_counter how) noexcept;
  void tell_gauges() noexcept;
  std::optional<pending_timer> describe_pending(node_index index, nanoseconds_t now) const noexcept;

  // worker.cpp, poll.cpp
  errc start_worker(std::string& why);
  bool warm_up(nanoseconds_t until) noexcept;
  struct waiting;  // what drain_debt::announce() asks
  void announce_wait();
  nanoseconds_t announce_until(nanoseconds_t until);
  void work() noexcept;
  std::optional<nanoseconds_t> wait_for_work();
  nanoseconds_t retry_bound(nanoseconds_t until) noexcept;

  // stop.cpp
  bool begin_stop() noexcept;
  void end_drive() noexcept;
  std::size_t count_pending_nodes() const noexcept;
  void finish_stop() noexcept;
  void leave_to_parent() noexcept;
  bool collect_all(std::vector<unfired>* out) noexcept;
  bool return_timer(thread_record& record, node_index index, node& returned, std::vector<unfired>* out) noexcept;

  engine_options options_;              // but for the executor
  std::shared_ptr<executor> executor_;  // let go when the drive has ended: its queue may hold references to this core
  const bool runs_inline_;
  const tick_grid ticks_;
  const clock_reader time_;
  const bool captures_origin_;
  std::unique_ptr<recorder> recorder_;  // null: nothing is recorded
  base::atomic<std::uint32_t> references_{1};
  lifecycle life_;

  // Memory and hand-over: any thread.
  alloc::page_source pages_;
  node_pool pool_;
  submission_queue queue_;
  doorbell bell_;
  wake_fd wake_fd_;
  counters_block counts_;
  label_store labels_;
  thread_registry threads_;
  group_store groups_;
  alignas(64) backlog backlog_;
  rescan_request rescan_;
  base::atomic<bool> lanes_in_use_{false};                   // some timer has been scheduled in a higher one
  alignas(64) base::atomic<std::uint64_t> places_taken_{0};  // used if there is a capacity
  run_ends runs_;

  alignas(64) const node_view nodes_;  // from here on the driver's own
  wheel wheel_;
  due_lanes due_;
  std::vector<fired_timer> batch_to_run_;  // came due, and goes to the executor when the batch is full or the pass ends
  retry_queue retries_;
  waiter waiter_;
  thread_record* driver_ = nullptr;     // of whoever drives now
  nanoseconds_t pass_now_ = INT64_MIN;  // the reading that the running pass fires up to
  fence_policy fences_;
  std::uint32_t placements_ = 0, hand_overs_ = 0, taken_ = 0;  // the last: out of the wheel, modulo its range
  std::uint32_t pass_stamp_ = first_pass_stamp;
  bool polling_ = false;  // poll(): what is armed for this instant fires in the same pass
  drain_debt debt_;
  bool ended_by_driver_ = false;         // a callback on the driver's thread destroyed the engine
  base::atomic<bool> abandoned_{false};  // destroyed from inside a callback: nothing is re-armed any more
  std::thread worker_;
  rehearsal rehearsal_;
  group_state *swept_ = nullptr, *to_sweep_ = nullptr;  // whose members are being looked at, up to sweep_at_; the next
  node_index sweep_at_ = 0;
  std::array<std::uint64_t, 1024> batch_;  // entries taken out of the queue: from batch_next_ to batch_end_ are left
  std::size_t batch_next_ = 0, batch_end_ = 0, batch_searched_ = 0;  // the last: up to there, for critical ones
  set_aside set_aside_;
  stale_filter stale_;
  run_ledger ledger_;
};

}  // namespace detent::detail
