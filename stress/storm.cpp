// SPDX-License-Identifier: MIT
// Everything at once: threads that schedule, cancel and restart each other's timers while they fire, round after round
// with another engine each, and a ledger that accounts for every timer: it ends exactly once, never early, and takes
// its captures with it. Prints its seed; the interleaving is the machine's.
#include <detent/detent.hpp>

#include <CLI/CLI.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* what, std::uint64_t seed) {
  std::fprintf(stderr, "storm: %s (seed %llu)\n", what, static_cast<unsigned long long>(seed));
  std::abort();
}

enum ended : std::uint8_t { by_firing = 1, by_cancel = 2, by_return = 4 };

// One timer's account. `floor_ns`: no run may start before this.
struct life {
  std::atomic<std::int64_t> floor_ns{0};
  std::atomic<std::uint8_t> outcome{0};
  std::mutex turn;  // of those who restart it: keeps floor_ns in step with the deadline
};

struct round_totals {
  std::atomic<std::uint64_t> scheduled{0}, fired{0}, cancelled{0}, captures{0}, operations{0};
};

struct round_context {
  std::uint64_t seed;
  detent::engine* engine;
  round_totals totals;
  std::mutex mutex;
  std::vector<std::shared_ptr<life>> kept;  // for callables that keep nothing alive
};

void end_life(round_context& context, life& of, ended how);

// What every timer's callback does.
void fire(round_context& context, life& account, const detent::firing& firing) {
  if (detent::clock::now().time_since_epoch().count() < account.floor_ns.load(std::memory_order_acquire))
    fail("a timer fired early", context.seed);
  if (firing.lateness() < 0ns) fail("a negative lateness", context.seed);
  context.totals.fired.fetch_add(1, std::memory_order_relaxed);
  end_life(context, account, by_firing);
}

// Lives as long as the callable does.
struct witness {
  explicit witness(round_totals& totals) : totals_(&totals) { totals.captures.fetch_add(1, std::memory_order_relaxed); }
  witness(witness&& other) noexcept : totals_(std::exchange(other.totals_, nullptr)) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (totals_ != nullptr) totals_->captures.fetch_sub(1, std::memory_order_relaxed);
  }
  round_totals* totals_;
};

void end_life(round_context& context, life& of, ended how) {
  if (of.outcome.fetch_or(how, std::memory_order_acq_rel) != 0) fail("a timer ended twice", context.seed);
}

// A place where threads find each other's timers.
struct cell {
  std::mutex mutex;
  detent::timer handle;
  std::shared_ptr<life> account;
};

class producer {
 public:
  producer(round_context& context, std::vector<cell>& cells, std::uint64_t seed)
      : context_(context), cells_(cells), random_(seed) {}

  void run(std::chrono::steady_clock::time_point until) {
    while (detent::clock::now() < until) {
      for (int i = 0; i < 64; ++i) step();
    }
    context_.totals.operations.fetch_add(operations_, std::memory_order_relaxed);
    std::lock_guard lock(context_.mutex);
    context_.kept.insert(context_.kept.end(), kept_.begin(), kept_.end());
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  std::chrono::nanoseconds delay() {
    std::uint64_t magnitude = pick(5);
    if (magnitude == 0) return 0ns;
    return std::chrono::nanoseconds(pick(std::uint64_t{1} << (10 + 4 * magnitude)));
  }

  void step() {
    ++operations_;
    cell& at = cells_[pick(cells_.size())];
    detent::timer handle;
    std::shared_ptr<life> account;
    {
      std::lock_guard lock(at.mutex);
      handle = at.handle;
      account = at.account;
    }
    switch (pick(8)) {
      case 0:
      case 1:
      case 2: return schedule(at);
      case 3:
      case 4:
      case 5: return restart(handle, account);
      case 6: return cancel(handle, account, handle.cancel());
      default: return cancel(handle, account, pick(16) == 0 ? handle.cancel_and_wait() : handle.cancel());
    }
  }

  void schedule(cell& at) {
    auto account = std::make_shared<life>();
    auto deadline = detent::clock::now() + delay();
    account->floor_ns.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
    detent::timer made = pick(2) == 0 ? schedule_owning(deadline, account) : schedule_plain(deadline, account);
    if (!made) return;
    context_.totals.scheduled.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard lock(at.mutex);
    at.handle = made;
    at.account = std::move(account);
  }

  // The two kinds of callable that the engine tells apart: with something to destroy, and without.
  detent::timer schedule_owning(detent::time_point deadline, const std::shared_ptr<life>& account) {
    return context_.engine->try_schedule_at(
        deadline, [context = &context_, account, seen = witness(context_.totals)](detent::firing& firing) {
          fire(*context, *account, firing);
        });
  }
  detent::timer schedule_plain(detent::time_point deadline, const std::shared_ptr<life>& account) {
    kept_.push_back(account);
    return context_.engine->try_schedule_at(
        deadline,
        [context = &context_, account = account.get()](detent::firing& firing) { fire(*context, *account, firing); });
  }

  void restart(detent::timer handle, const std::shared_ptr<life>& account) {
    if (!account) return;
    std::lock_guard lock(account->turn);
    auto deadline = detent::clock::now() + delay();
    std::int64_t wanted = deadline.time_since_epoch().count(),
                 before = account->floor_ns.load(std::memory_order_relaxed);
    // Until the restart is known to have worked, either deadline may be the one in force.
    account->floor_ns.store(std::min(before, wanted), std::memory_order_release);
    bool moved = handle.restart_at(deadline);
    if (moved) account->floor_ns.store(wanted, std::memory_order_release);
  }

  void cancel(detent::timer, const std::shared_ptr<life>& account, detent::cancel_result result) {
    if (result != detent::cancel_result::cancelled) return;
    context_.totals.cancelled.fetch_add(1, std::memory_order_relaxed);
    end_life(context_, *account, by_cancel);
  }

  round_context& context_;
  std::vector<cell>& cells_;
  std::mt19937_64 random_;
  std::uint64_t operations_ = 0;
  std::vector<std::shared_ptr<life>> kept_;
};

detent::engine_options random_options(std::mt19937_64& random) {
  detent::engine_options options;
  options.wheel = random() % 3 == 0 ? detent::wheel_kind::hashed : detent::wheel_kind::hierarchical;
  constexpr std::array ticks{1ns, 1ns, 1000ns, 3777ns, 1000000ns};
  options.tick = ticks[random() % ticks.size()];
  switch (random() % 3) {
    case 0: options.wait = detent::wait_options::busy(); break;
    case 1: options.wait = detent::wait_options::hybrid(); break;
    default: options.wait = detent::wait_options::sleep();
  }
  if (random() % 3 == 0) {
    detent::thread_pool_options pool{.threads = 1 + random() % 2, .queue_capacity = random() % 2 == 0 ? 64u : 65536u};
    options.executor = std::make_shared<detent::thread_pool>(pool);
    constexpr std::array policies{detent::refusal_policy::run_inline, detent::refusal_policy::retry};
    options.on_refusal = policies[random() % policies.size()];
  }
  options.reserve = random() % 2 == 0 ? 0 : 65536;
  return options;
}

std::uint64_t play_round(std::uint64_t seed, std::chrono::milliseconds length, unsigned threads) {
  std::mt19937_64 random(seed);
  round_context context{.seed = seed, .engine = nullptr, .totals = {}, .mutex = {}, .kept = {}};
  std::uint64_t returned = 0;
  {
    detent::engine engine(random_options(random));
    context.engine = &engine;
    std::vector<cell> cells(1 + random() % 512);
    std::vector<std::thread> running;
    auto until = detent::clock::now() + length;
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, mine = random()] { producer(context, cells, mine).run(until); });
    bool stop_early = random() % 2 == 0;
    std::vector<detent::unfired> left;
    if (stop_early) {
      std::this_thread::sleep_for(length / 2);
      left = engine.stop();
    }
    for (std::thread& each : running) each.join();
    if (!stop_early) left = engine.stop();
    returned = left.size();
    detent::engine_metrics told = engine.metrics();
    if (told.pending != 0 || told.scheduled != told.expired + told.cancelled + told.returned + told.dropped)
      fail("the metrics do not add up", seed);
    const round_totals& mine = context.totals;
    if (mine.fired != told.fired || mine.scheduled != mine.fired + mine.cancelled + returned)
      fail("the ledger does not balance", seed);
  }
  if (context.totals.captures != 0) fail("a capture was left behind", seed);
  return context.totals.operations;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Schedules, cancels and restarts from many threads while timers fire, and accounts for each.");
  double minutes = 0.05;
  unsigned threads = 3;
  std::uint64_t seed = std::random_device{}();
  app.add_option("--minutes", minutes, "how long")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "producers")->check(CLI::Range(1u, 256u));
  app.add_option("--seed", seed, "of the first round");
  CLI11_PARSE(app, argc, argv);
  std::printf("storm: seed %llu\n", static_cast<unsigned long long>(seed));
  auto end = detent::clock::now() +
             std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(minutes * 60));
  std::uint64_t operations = 0, rounds = 0;
  do {
    operations += play_round(seed++, 100ms, threads);
    ++rounds;
  } while (detent::clock::now() < end);
  std::printf("storm: %llu rounds, %llu operations, every timer accounted for\n",
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(operations));
}
