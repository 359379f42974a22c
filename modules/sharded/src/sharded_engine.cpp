// SPDX-License-Identifier: MIT
#include <detent/sharded_engine.hpp>

#include <detent/base/atomic.hpp>
#include <detent/detail/timer_access.hpp>

#include "callers/members.hpp"
#include "engine/driven_engine.hpp"
#include "platform/numa_node.hpp"
#include "platform/thread_setup.hpp"
#include "shard_map.hpp"

#include <pthread.h>
#include <unistd.h>

#include <iterator>
#include <new>
#include <string_view>
#include <utility>

namespace detent {
namespace {

constexpr std::size_t longest_thread_name = 15;  // the kernel's

[[noreturn]] void refuse(const std::string& name, errc problem, const std::string& why) {
  throw error(make_error_code(problem), "sharded_engine \"" + name + "\": " + why);
}

// Says what is wrong with the options that an engine does not know, or has for itself. Empty if all are right.
std::string check(const sharded_options& o) {
  if (o.shards == 0 || o.shards > sharded_engine::most_shards)
    return "shards = " + std::to_string(o.shards) + ": must be 1 to " + std::to_string(sharded_engine::most_shards) +
           (o.shards == 0 ? "; there is no default" : "");
  const bool driven = o.each.drive == drive_kind::caller || o.each.manual != nullptr;
  if (!o.cpus.empty() && driven)
    return "cpus: the shards have no workers (each." + std::string(o.each.manual != nullptr ? "manual" : "drive") +
           "); leave them out, and pin the threads that poll";
  if (!o.cpus.empty() && o.cpus.size() != o.shards)
    return "cpus.size() = " + std::to_string(o.cpus.size()) + ": must be shards, " + std::to_string(o.shards) +
           ", or 0";
  for (std::size_t i = 0; i < o.cpus.size(); ++i) {
    if (o.cpus[i] < 0 || o.cpus[i] >= sysconf(_SC_NPROCESSORS_CONF))
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

// Before the end .gz, which asks for packing.
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
           "node_local = true: the node of cpus[" + std::to_string(index) + "] = " + std::to_string(*each.cpu) +
               " is not in /sys/devices/system/cpu; is there such a CPU? Else set it to false");
  return each;
}

// The kernel cuts a name's end, which is what the shards differ by.
void name_worker(const engine& of, const std::string& set, std::size_t index) {
  const std::string number = "/" + std::to_string(index);
  if (of.worker_thread_id() == 0 || set.size() + number.size() <= longest_thread_name) return;
  pthread_setname_np(of.native_handle(), (set.substr(0, longest_thread_name - number.size()) + number).c_str());
}

detail::driven_engine& core_of(const engine& shard) noexcept {
  return static_cast<detail::driven_engine&>(*detail::timer_access::core(shard));
}

}  // namespace

sharded_engine::sharded_engine(sharded_options options) : name_(options.name) {
  static base::atomic<std::uint32_t> last_number{0};
  if (const std::string why = check(options); !why.empty()) refuse(name_, errc::invalid_option, why);
  const std::uint32_t number = last_number.fetch_add(1, base::relaxed) + 1;  // relaxed: only has to be another
  map_ = std::make_shared<const detail::shard_map>(options.shards, detail::usable_cpus(), options.cpus);
  shards_.reserve(options.shards);
  for (std::size_t i = 0; i < options.shards; ++i) {
    shards_.emplace_back(options_of_shard(options, number, i));
    name_worker(shards_.back(), name_, i);
  }
}

std::unique_ptr<sharded_engine> sharded_engine::try_create(sharded_options options, std::error_code& problem) noexcept {
  try {
    problem = {};
    return std::make_unique<sharded_engine>(std::move(options));
  } catch (const error& refused) {
    problem = refused.code();
  } catch (const std::bad_alloc&) {
    problem = make_error_code(errc::out_of_memory);
  }
  return nullptr;
}

// While a callback may run, it may look for any shard: all are stopped before the first is gone.
sharded_engine::~sharded_engine() {
  close();
  for (engine& each : shards_) static_cast<void>(core_of(each).stop(nullptr));
}

std::size_t sharded_engine::local_index() const noexcept { return detail::local_shard(*map_); }

void sharded_engine::bind_this_thread(std::size_t index) {
  if (index >= size())
    refuse(name_, errc::invalid_option,
           "bind_this_thread(" + std::to_string(index) + "): must be less than shards, " + std::to_string(size()));
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

errc sharded_engine::stop_all(std::vector<unfired>& left) noexcept {
  if (const errc problem = forbids_stop(); problem != errc{}) return problem;
  close();
  std::lock_guard first_gets_all(stopping_);
  errc problem{};
  for (engine& each : shards_) {
    std::vector<unfired> some;
    if (const errc failed = core_of(each).stop(&some); failed != errc{}) problem = failed;
    try {
      left.insert(left.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    } catch (const std::bad_alloc&) {
      problem = errc::out_of_memory;
    }
  }
  return problem;
}

std::vector<unfired> sharded_engine::stop() {
  std::vector<unfired> left;
  const errc problem = stop_all(left);
  if (problem == errc::called_from_callback)
    refuse(name_, problem,
           "stop(): called from a callback of one of its shards, for which it would wait; call it from another thread");
  if (problem != errc{}) refuse(name_, problem, "stop(): " + make_error_code(problem).message());
  return left;
}

std::vector<unfired> sharded_engine::try_stop(std::error_code& problem) noexcept {
  std::vector<unfired> left;
  const errc failed = stop_all(left);
  problem = failed == errc{} ? std::error_code{} : make_error_code(failed);
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

std::vector<pending_timer> sharded_engine::list_pending() const {
  std::vector<pending_timer> all;
  for (const engine& each : shards_) {
    const std::vector<pending_timer> some = each.list_pending();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

sharded_group::sharded_group(sharded_engine& of, executor* runs_on) : map_(of.map_) {
  parts_.reserve(of.size());
  for (engine& each : of) {
    parts_.emplace_back(each, runs_on);
    parts_.back().state_->head = parts_.front().state_;
  }
}

sharded_group& sharded_group::operator=(sharded_group&& other) noexcept {
  if (this == &other) return *this;
  end();
  parts_ = std::move(other.parts_);
  map_ = std::move(other.map_);
  return *this;
}

sharded_group::~sharded_group() { end(); }

// A member that runs on one shard may look for any part: each is there until all have been waited for.
void sharded_group::end() noexcept {
  for (timer_group& each : parts_) detail::begin_end_of_group(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::wait_for_group(each.core(), *each.state_);
  parts_.clear();
}

timer_group& sharded_group::local() noexcept {
  std::vector<timer_group>& each = parts();
  return each[detail::local_shard(*map_)];
}

void sharded_group::cancel_all() noexcept {
  for (timer_group& each : parts()) each.cancel_all();
}

void sharded_group::cancel_all_and_wait() noexcept {
  for (timer_group& each : parts()) detail::begin_awaited_cancel(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::wait_for_group(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::end_awaited_cancel(*each.state_);
}

void sharded_group::pause() noexcept {
  for (timer_group& each : parts()) each.pause();
}

void sharded_group::resume() noexcept {
  for (timer_group& each : parts()) each.resume();
}

std::size_t sharded_group::pending() const noexcept {
  std::size_t sum = 0;
  for (const timer_group& each : parts()) sum += each.pending();
  return sum;
}

}  // namespace detent
