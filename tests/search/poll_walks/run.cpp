// SPDX-License-Identifier: MIT
#include "search/poll_walks/generate.hpp"
#include "search/poll_walks/shrink.hpp"
#include "search/poll_walks/world.hpp"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace detent::poll_walks {
namespace {

// So much processor time a walk may take: it takes some milliseconds.
constexpr time_t most_seconds = 20;

// What a child tells its parent, even if it crashes.
struct note {
  std::uint64_t seed = 0, walks = 0;
  bool failed = false;
  char failure[2'000] = {};
};

void set_limit() {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = most_seconds, .tv_usec = 0}};
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

// Nothing that has failed is taken apart.
void play(const program& of, note& into) {
  set_limit();
  world* const plays = new world(of.made_with);
  const std::string failure = plays->play(of);
  if (failure.empty()) {
    delete plays;
    return;
  }
  std::strncpy(into.failure, failure.c_str(), sizeof into.failure - 1);
  into.failed = true;
}

template <class Work>
note in_child(Work&& work) {
  void* const shared = mmap(nullptr, sizeof(note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no memory to share with a child");
  note& told = *new (shared) note;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    work(told);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  note found = told;
  munmap(shared, sizeof(note));
  if (status != 0 && !found.failed) {
    found.failed = true;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char* const why = signal == SIGVTALRM ? "does not come to an end" : signal != 0 ? strsignal(signal) : "exits";
    std::strncpy(found.failure, why, sizeof found.failure - 1);
  }
  return found;
}

}  // namespace

std::string failure_of(const program& of) {
  const note found = in_child([&of](note& into) { play(of, into); });
  return found.failed ? found.failure : std::string();
}

search_result search(std::uint64_t first, std::uint64_t most, double seconds, const avoided& without) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  const note found = in_child([&](note& into) {
    for (; into.walks < most && clock::now() < end && !into.failed; ++into.walks) {
      into.seed = first + into.walks;
      play(generate(into.seed, without), into);
    }
  });
  return {found.failed, found.seed, found.walks, found.failure};
}

}  // namespace detent::poll_walks
