// SPDX-License-Identifier: MIT
#include "pool_threads.hpp"

#include <detent/base/forced_unwind.hpp>
#include <detent/error.hpp>

#include "platform/thread_setup.hpp"

#include <system_error>

namespace detent::detail {
namespace {

// Each thread takes memory before the kernel is asked for it.
constexpr std::size_t most_threads = 65536;

std::string named(const std::vector<int>& cpus, std::size_t i) {
  return "cpus[" + std::to_string(i) + "] = " + std::to_string(cpus[i]) + ": ";
}

}  // namespace

void pool_threads::check(const pool_setup& setup) {
  const auto invalid = [&setup](const std::string& what) {
    throw error(errc::invalid_option, setup.pool + (": " + what));
  };
  if (setup.threads == 0 || setup.threads > most_threads)
    invalid("threads = " + std::to_string(setup.threads) + ": must be 1 to " + std::to_string(most_threads) +
            (setup.threads == 0 ? "" : "; as many as there are CPUs are enough, or a few more where callbacks wait"));
  if (setup.queue_capacity == 0) invalid("queue_capacity = 0: must be at least 1");
  for (std::size_t i = 0; i < setup.cpus.size(); ++i) {
    if (setup.cpus[i] < 0 || setup.cpus[i] >= cpu_count())
      invalid(named(setup.cpus, i) + "no such CPU; " + describe_cpus());
  }
}

void pool_threads::start(const pool_setup& setup, const std::function<void(std::size_t)>& work) {
  const base::cancel_hold held;
  const std::string pool = std::string(setup.pool) + ": ";
  try {
    for (std::size_t i = 0; i < setup.threads; ++i) {
      threads_.emplace_back([i, work, name = setup.name] {
        name_this_thread(name);
        work(i);
      });
      if (setup.cpus.empty()) continue;
      const std::size_t turn = i % setup.cpus.size();
      const int failed = pin_thread(threads_.back().native_handle(), setup.cpus[turn]);
      if (failed != 0) throw error(code_of(failed), pool + named(setup.cpus, turn) + explain_pinning(failed));
    }
  } catch (const error&) {
    throw;  // error is a system_error too
  } catch (const std::system_error& failure) {
    const int problem = failure.code().value();
    throw error(code_of(problem), pool + "threads = " + std::to_string(setup.threads) +
                                      ": they cannot all be started: " + explain(problem));
  }
}

void pool_threads::join() {
  const base::cancel_hold held;
  for (std::thread& each : threads_) {
    if (!each.joinable()) continue;
    if (each.get_id() == std::this_thread::get_id()) {  // a thread of the pool cannot wait for itself
      each.detach();
    } else {
      each.join();
    }
  }
}

}  // namespace detent::detail
