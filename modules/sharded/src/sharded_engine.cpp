// SPDX-License-Identifier: MIT
#include <detent/sharded_engine.hpp>

#include <detent/base/atomic.hpp>
#include <detent/base/forced_unwind.hpp>
#include <detent/base/limit.hpp>
#include <detent/counters_layout.hpp>
#include <detent/detail/timer_access.hpp>

#include "callers/last_failure.hpp"
#include "counters/label_store.hpp"
#include "engine/driven_engine.hpp"
#include "limits.hpp"
#include "platform/thread_setup.hpp"
#include "shard_map.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

namespace detent {
namespace {

constexpr std::size_t longest_thread_name = 15;   // the kernel's limit
constexpr std::size_t lot = base::limit(256, 2);  // handles that are sorted at a time, which takes 4 KiB of stack

std::string line_of(const std::string& name, const std::string& why) {
  return "sharded_engine \"" + name + "\": " + why;
}

[[noreturn]] void refuse(const std::string& name, errc problem, const std::string& why) {
  throw error(make_error_code(problem), line_of(name, why));
}

std::string why_not_stopped(const char* call, errc problem) {
  return std::string(call) + ": " +
         (problem == errc::called_from_callback
              ? "called from a callback of one of its shards, for which it would wait; call it from another thread"
              : make_error_code(problem).message());
}

// Says what is wrong with options that an engine does not have, or has only for itself. Empty if all are right.
std::string check(const sharded_options& o) {
  if (o.shards == 0 || o.shards > sharded_engine::most_shards)
    return "shards = " + std::to_string(o.shards) + ": must be 1 to " + std::to_string(sharded_engine::most_shards) +
           (o.shards == 0 ? "; there is no default" : "");
  const bool driven = o.each.drive == drive_kind::caller || o.each.manual != nullptr;
  if (!o.cpus.empty() && driven)
    return "cpus: the shards have no workers (each." + std::string(o.each.manual != nullptr ? "manual" : "drive") +
           "); leave them out, and pin the threads that poll";
  if (!o.cpus.empty() && o.cpus.size() != o.shards)
    return "cpus.size() = " + std::to_string(o.cpus.size()) + ": must be " + std::to_string(o.shards) +
           ", one for each shard, or 0";
  for (std::size_t i = 0; i < o.cpus.size(); ++i) {
    if (o.cpus[i] < 0 || o.cpus[i] >= detail::cpu_count())
      return "cpus[" + std::to_string(i) + "] = " + std::to_string(o.cpus[i]) + ": no such CPU; " +
             detail::describe_cpus();
  }
  if (o.each.cpu)
    return "each.cpu = " + std::to_string(*o.each.cpu) + ": would pin all workers to one CPU; name them in cpus";
  if (o.each.name != engine_options().name)
    return "each.name = \"" + o.each.name + "\": the shards are named after the set; set sharded_options::name";
  if (o.node_local && o.cpus.empty()) return "node_local = true: needs the workers' CPUs; name them in cpus";
  if (o.node_local && o.each.memory.numa_node)
    return "node_local = true: each.memory.numa_node = " + std::to_string(*o.each.memory.numa_node) +
           " binds them all to one node; set one of the two";
  return {};
}

void number_counters(std::string& path, std::size_t index) {
  if (!path.empty() && path != "auto") path += "." + std::to_string(index);
}

// Puts the number before the ending .gz, which asks for packing.
void number_recording(std::string& path, std::size_t index) {
  constexpr std::string_view packed = ".gz";
  if (path.empty()) return;
  const std::size_t end = path.ends_with(packed) ? path.size() - packed.size() : path.size();
  path.insert(end, "." + std::to_string(index));
}

engine_options options_of_shard(const sharded_options& set, std::uint32_t number, std::size_t index) {
  engine_options each = set.each;
  each.name = set.name + "/" + std::to_string(index);
  each.shard = {
      .set = number, .index = static_cast<std::uint32_t>(index), .shards = static_cast<std::uint32_t>(set.shards)};
  number_counters(each.counters_file, index);
  number_recording(each.record, index);
  if (set.cpus.empty()) return each;
  each.cpu = set.cpus[index];
  if (!set.node_local) return each;
  each.memory.numa_node = detail::numa_node_of(*each.cpu);
  if (!each.memory.numa_node)
    refuse(set.name, errc::invalid_option,
           "node_local = true: the node of cpus[" + std::to_string(index) + "] = " + std::to_string(*each.cpu) + " " +
               detail::explain_no_node());
  return each;
}

// The kernel cuts off the end of a name, in which shards differ.
void name_worker(const engine& of, const std::string& set, std::size_t index) {
  const std::string number = "/" + std::to_string(index);
  if (of.worker_thread_id() == 0 || set.size() + number.size() <= longest_thread_name) return;
  detail::name_thread(of.native_handle(), set.substr(0, longest_thread_name - number.size()) + number);
}

detail::driven_engine& core_of(const engine& shard) noexcept {
  return static_cast<detail::driven_engine&>(*detail::timer_access::core(shard));
}

}  // namespace

sharded_engine::sharded_engine(sharded_options options) : name_(options.name), number_(0) {
  static base::atomic<std::uint32_t> last_number{0};
  if (const std::string why = check(options); !why.empty()) refuse(name_, errc::invalid_option, why);
  number_ = last_number.fetch_add(1, base::relaxed) + 1;  // relaxed: it must only be unique
  map_ = std::make_shared<const detail::shard_map>(options.shards, detail::usable_cpus(), options.cpus);
  shards_.reserve(options.shards);
  for (std::size_t i = 0; i < options.shards; ++i) {
    shards_.emplace_back(options_of_shard(options, number_, i));
    name_worker(shards_.back(), name_, i);
  }
}

std::unique_ptr<sharded_engine> sharded_engine::try_create(sharded_options options, failure& problem) noexcept {
  try {
    problem = {};
    return std::make_unique<sharded_engine>(std::move(options));
  } catch (const error& refused) {
    problem = detail::failed(static_cast<errc>(refused.code().value()), [&] { return std::string(refused.what()); });
  } catch (const std::bad_alloc&) {
    problem = detail::failed(errc::out_of_memory, [] { return std::string(); });
  }
  return nullptr;
}

// A running callback may use any shard, so all shards are stopped before the first is destroyed.
sharded_engine::~sharded_engine() {
  close();
  for (engine& each : shards_) static_cast<void>(core_of(each).stop(nullptr));
}

std::size_t sharded_engine::local_index() const noexcept { return detail::local_shard(*map_); }

void sharded_engine::bind_this_thread(std::size_t index) {
  if (index >= size())
    refuse(name_, errc::invalid_option,
           "bind_this_thread(" + std::to_string(index) + "): must be less than the number of shards, " +
               std::to_string(size()));
  detail::bind_this_thread(map_, index);
}

void sharded_engine::close() noexcept {
  for (engine& each : shards_) each.close();
}

errc sharded_engine::forbids_stop() const noexcept {
  for (const engine& each : shards_) {
    if (const errc problem = core_of(each).forbids_stop(); problem != errc{}) return problem;
  }
  return errc{};
}

errc sharded_engine::stop_all(std::vector<unfired_timer>& left) noexcept {
  if (const errc problem = forbids_stop(); problem != errc{}) return problem;
  close();
  std::lock_guard first_gets_all(stopping_);
  errc problem{};
  for (engine& each : shards_) {
    std::vector<unfired_timer> some;
    if (const errc failed = core_of(each).stop(&some); failed != errc{}) problem = failed;
    try {
      left.insert(left.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    } catch (const std::bad_alloc&) {
      problem = errc::out_of_memory;
    }
  }
  return problem;
}

void sharded_engine::refuse_stop(const char* call, errc problem) const {
  refuse(name_, problem, why_not_stopped(call, problem));
}

std::vector<unfired_timer> sharded_engine::stop() {
  std::vector<unfired_timer> left;
  if (const errc problem = stop_all(left); problem != errc{}) refuse_stop("stop()", problem);
  return left;
}

std::vector<unfired_timer> sharded_engine::drain_for(detail::whole_duration at_most) {
  if (const errc problem = forbids_stop(); problem != errc{}) refuse_stop("drain_for()", problem);
  if (core_of(shards_.front()).options.drive == drive_kind::caller)
    refuse(
        name_, errc::wrong_drive,
        "drain_for(): callers drive the shards, so nothing would fire during the call; poll() each until pending() is "
        "0, then stop()");
  const base::cancel_hold held;
  const time_point end = detail::to_time(detail::add_saturated(detail::to_ns(clock::now()), at_most.count()));
  for (time_point now = clock::now(); pending() != 0 && now < end && !stopped(); now = clock::now())
    std::this_thread::sleep_for(std::min(duration(detail::limits::stop_looks), end - now));
  return stop();
}

label sharded_engine::make_label(std::string_view name) {
  std::lock_guard lock(labelling_);
  auto found = std::find(labels_.begin(), labels_.end(), name);
  const bool is_new = found == labels_.end();
  if (is_new && labels_.size() == counters_layout::label_capacity)
    refuse(name_, errc::capacity_exceeded,
           "make_label(\"" + std::string(name.substr(0, 100)) + "\"): a set has at most 255 labels; use one of those");
  if (is_new) found = labels_.insert(labels_.end(), std::string(name));
  try {
    const auto number = static_cast<std::uint32_t>(found - labels_.begin() + 1);
    const label made = detail::label_store::of_set(number_, number, name);
    for (const engine& each : shards_) core_of(each).share_label(made);
    return made;
  } catch (const error& refused) {
    // No shard can know a name that is not allowed.
    if (is_new && refused.code() == errc::invalid_option) labels_.pop_back();
    throw;
  }
}

void sharded_engine::check_bulk(std::size_t keys, std::size_t deadlines) const {
  if (keys != deadlines)
    refuse(name_, errc::invalid_option,
           "schedule_at_bulk(): keys.size() = " + std::to_string(keys) + ": must be deadlines.size(), " +
               std::to_string(deadlines));
}

// Works in lots that are sorted by engine, because a batch of handles is cheapest if all belong to one engine.
std::size_t sharded_engine::cancel_bulk(std::span<const timer> timers) noexcept {
  std::size_t cancelled = 0;
  std::array<timer, lot> sorted;
  while (!timers.empty()) {
    const auto some = timers.first(std::min(timers.size(), lot));
    timers = timers.subspan(some.size());
    const auto end = std::copy(some.begin(), some.end(), sorted.begin());
    std::sort(sorted.begin(), end);
    for (auto from = sorted.begin(); from != end;) {
      detail::engine_core* const core = detail::timer_access::core(*from);
      const auto to = std::find_if(from, end, [core](const timer& t) { return detail::timer_access::core(t) != core; });
      if (core != nullptr) cancelled += detail::cancel_many(*core, {from, to});
      from = to;
    }
  }
  return cancelled;
}

std::vector<unfired_timer> sharded_engine::try_stop(failure& problem) noexcept {
  std::vector<unfired_timer> left;
  const errc why = stop_all(left);
  problem = why == errc{} ? failure()
                          : detail::failed(why, [&] { return line_of(name_, why_not_stopped("try_stop()", why)); });
  return left;
}

bool sharded_engine::stopped() const noexcept {
  for (const engine& each : shards_) {
    if (!each.stopped()) return false;
  }
  return true;
}

std::size_t sharded_engine::pending() const noexcept {
  std::size_t sum = 0;
  for (const engine& each : shards_) sum += each.pending();
  return sum;
}

engine_metrics sharded_engine::metrics() const {
  engine_metrics sum;
  for (const engine& each : shards_) sum += each.metrics();
  return sum;
}

engine_metrics sharded_engine::metrics(label of) const {
  engine_metrics sum;
  for (const engine& each : shards_) sum += each.metrics(of);
  return sum;
}

std::vector<pending_timer> sharded_engine::list_pending() const {
  std::vector<pending_timer> all;
  for (const engine& each : shards_) {
    const std::vector<pending_timer> some = each.list_pending();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace detent
