// SPDX-License-Identifier: MIT
#include "shrink.hpp"

#include "play.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace detent::sim {
namespace {

constexpr std::uint64_t most_steps = 1024;  // more than any seed asks for

// As few from the beginning as fail. Fewer may fail where more do not: good enough to begin with.
script cut_off(const script& failing) {
  std::uint64_t passes = 0, known = failing.steps == 0 ? most_steps : failing.steps;
  while (known - passes > 1) {
    const std::uint64_t middle = passes + (known - passes) / 2;
    script tried = failing;
    tried.steps = middle;
    (fails(tried) ? known : passes) = middle;
  }
  script cut = failing;
  cut.steps = known;
  return fails(cut) ? cut : failing;
}

script without_range(script from, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t step = first; step < first + count && step <= from.steps; ++step) from.without.insert(step);
  return from;
}

}  // namespace

bool fails(const script& plays) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    play(plays, false);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

script shrink(const script& failing) {
  if (!fails(failing)) return failing;
  script least = cut_off(failing);
  if (least.steps == 0) return least;
  for (std::uint64_t count = std::max<std::uint64_t>(least.steps / 2, 1);; count /= 2) {
    for (std::uint64_t first = 1; first <= least.steps; first += count) {
      const script tried = without_range(least, first, count);
      if (tried.without.size() != least.without.size() && fails(tried)) least = tried;
    }
    if (count <= 1) return least;
  }
}

}  // namespace detent::sim
