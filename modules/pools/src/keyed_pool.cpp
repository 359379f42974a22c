// SPDX-License-Identifier: MIT
#include <detent/keyed_pool.hpp>

#include <detent/base/atomic.hpp>
#include <detent/error.hpp>

#include "platform/process.hpp"
#include "pool_limits.hpp"
#include "pool_threads.hpp"
#include "strand_queue.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace detent {
namespace {

void lock_soon(std::unique_lock<std::mutex>& lock) {
  for (int i = 0; i < detail::limits::lock_tries; ++i) {
    if (lock.try_lock()) return;
    base::cpu_pause();
  }
  lock.lock();
}

}  // namespace

// Shared with the threads, because one of them may destroy the pool, from a callback that held the last engine.
struct keyed_pool::state {
  // The callbacks that a thread has taken and not begun. It has a cache line of its own, because it is counted down at
  // each callback.
  struct alignas(64) taker {
    // Used by its thread; once that has ended, or is the caller, by the destructor.
    detail::strand_block* rest = nullptr;
    base::atomic<std::size_t> left{0};  // written only by its thread
  };

  explicit state(const keyed_pool_options& from)
      : capacity(from.queue_capacity), key_of(from.key_of), waiting(from.strands), takers(from.threads) {}

  std::uint64_t key(const fired_timer& work) const { return key_of ? key_of(work) : work.tag(); }
  std::size_t put(std::span<fired_timer> work) noexcept;
  void work(taker& mine);
  detail::strand_block& run(taker& mine, const detail::strand_batch& batch) noexcept;
  void close();
  // To be called with the lock held:
  std::size_t depth() const noexcept;
  bool is_full() const noexcept;
  bool should_wake() noexcept;

  const std::size_t capacity;
  const std::function<std::uint64_t(const fired_timer&)> key_of;
  const std::int32_t creator = detail::process_number();
  mutable std::mutex mutex;
  std::condition_variable ready;
  detail::strand_queue waiting;
  std::size_t in_batches = 0;  // those that are left may be fewer
  std::size_t asleep = 0;
  bool waking = false;               // a thread was woken and has not arrived yet
  base::atomic<bool> closed{false};  // written with the lock held
  std::vector<taker> takers;
  detail::pool_threads threads;
};

std::size_t keyed_pool::state::depth() const noexcept {
  std::size_t sum = waiting.size();
  // relaxed: a late reading counts too many, namely those that begin at this moment.
  for (const taker& each : takers) sum += each.left.load(base::relaxed);
  return sum;
}

// The exact answer reads a cache line that each thread writes.
bool keyed_pool::state::is_full() const noexcept {
  return waiting.size() + in_batches >= capacity && depth() >= capacity;
}

// Wakes one thread at a time, which wakes the next if it leaves work; before it arrives, the running threads may have
// taken everything. No strand waits for ever, because the thread that makes one ready asks, and so does one that takes
// one and leaves others.
bool keyed_pool::state::should_wake() noexcept {
  if (asleep == 0 || waking || !waiting.has_ready()) return false;
  waking = true;
  return true;
}

void keyed_pool::state::work(taker& mine) {
  std::unique_lock lock(mutex);
  for (;;) {
    // relaxed: ordered by the lock.
    while (!closed.load(base::relaxed) && !waiting.has_ready()) {
      ++asleep;
      ready.wait(lock);
      --asleep;
      waking = false;
    }
    if (closed.load(base::relaxed)) return;  // relaxed: ordered by the lock
    const detail::strand_batch batch = waiting.take();
    in_batches += batch.size - 1;  // the first one begins now
    // relaxed: as in run(). With the lock held, because they no longer count as waiting.
    mine.left.store(batch.size - 1, base::relaxed);
    const bool wake = should_wake();
    lock.unlock();
    if (wake) ready.notify_one();
    detail::strand_block& reached = run(mine, batch);
    lock_soon(lock);
    if (closed.load(base::relaxed)) return;  // relaxed: ordered by the lock. The destructor drops the rest
    in_batches -= batch.size - 1;
    waiting.give_back(batch, reached, mine.left.load(base::relaxed));  // relaxed: this thread's own
    mine.rest = nullptr;
    mine.left.store(0, base::relaxed);  // relaxed: as in run()
  }
}

// Returns the block in which the next callback would be, or the last block of all.
detail::strand_block& keyed_pool::state::run(taker& mine, const detail::strand_batch& batch) noexcept {
  detail::strand_block* block = mine.rest = batch.first;
  for (std::size_t ran = 1;; ++ran) {
    if (block->begun == block->filled) block = mine.rest = block->next;
    std::optional<fired_timer>& next = block->work[block->begun++];
    mine.left.store(batch.size - ran, base::relaxed);  // relaxed: a number that only depth() reads
    (*next)();
    next.reset();
    // relaxed: if the pool is destroyed on another thread, it waits for this one, and one more callback counts as
    // having run before that.
    if (ran == batch.size || ran == detail::limits::strand_row || closed.load(base::relaxed)) return *block;
  }
}

void keyed_pool::state::close() {
  {
    std::lock_guard lock(mutex);
    closed.store(true, base::relaxed);  // relaxed: as it is read
  }
  ready.notify_all();
  threads.join();
}

// Keys are read before the lock is taken, because each may cost a cache miss.
std::size_t keyed_pool::state::put(std::span<fired_timer> work) noexcept {
  std::array<detail::strand*, detail::limits::keyed_at_once> to;
  std::size_t taken = 0;
  while (taken != work.size()) {
    const std::span<fired_timer> some = work.subspan(taken, std::min(to.size(), work.size() - taken));
    std::transform(some.begin(), some.end(), to.begin(), [this](const auto& each) { return &waiting.of(key(each)); });
    std::size_t done = 0;
    bool wake = false;
    {
      std::unique_lock lock(mutex, std::defer_lock);
      lock_soon(lock);
      while (done != some.size() && !is_full() && waiting.put(*to[done], std::move(some[done]))) ++done;
      wake = should_wake();
    }
    if (wake) ready.notify_one();
    taken += done;
    if (done != some.size()) break;
  }
  return taken;
}

keyed_pool::keyed_pool(keyed_pool_options options) {
  const detail::pool_setup setup{.pool = "keyed_pool",
                                 .threads = options.threads,
                                 .queue_capacity = options.queue_capacity,
                                 .cpus = std::move(options.cpus),
                                 .name = std::move(options.name)};
  detail::pool_threads::check(setup);
  if (options.strands == 0 || options.strands > 65536)
    throw error(errc::invalid_option,
                "keyed_pool: strands = " + std::to_string(options.strands) + ": must be 1 to 65536");
  state_ = std::make_shared<state>(options);
  try {
    state_->threads.start(setup, [shared = state_](std::size_t i) { shared->work(shared->takers[i]); });
  } catch (...) {
    state_->close();
    throw;
  }
}

keyed_pool::~keyed_pool() {
  if (detail::process_number() != state_->creator) {
    // In the child of a fork, the threads do not exist, and one of them may hold the lock, so nothing can be destroyed.
    static_cast<void>(new (std::nothrow) std::shared_ptr<state>(state_));
    return;
  }
  state_->close();
  // No thread of the pool uses these any more, except for this one, which finds nothing left when it returns.
  for (state::taker& each : state_->takers) detail::drop_blocks(std::exchange(each.rest, nullptr));
  state_->waiting.clear();
}

bool keyed_pool::execute(fired_timer&& work) noexcept { return state_->put({&work, 1}) == 1; }

std::size_t keyed_pool::execute_many(std::span<fired_timer> work) noexcept { return state_->put(work); }

std::size_t keyed_pool::queued() const noexcept {
  std::lock_guard lock(state_->mutex);
  return state_->depth();
}

}  // namespace detent
