// SPDX-License-Identifier: MIT
// Random walks over all that an engine can be asked, on virtual time, beside the specification.
#include "search/poll_walks/generate.hpp"
#include "search/poll_walks/shrink.hpp"

#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>

namespace {

using namespace detent::poll_walks;

struct arguments {
  std::uint64_t seed = 0, walks = UINT64_MAX;
  double seconds = 1e9;
  std::string file;
  bool shows = false, as_it_is = false;
  avoided without;
};

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

int tell(const program& failing, bool as_it_is) {
  const program least = as_it_is ? failing : shrink(failing);
  const std::string failure = failure_of(least);
  std::printf("walks: %zu operations fail (--program FILE repeats them): %s\n%s\n", size(least.steps), failure.c_str(),
              text(least).c_str());
  return 1;
}

int explore(const arguments& asked) {
  std::printf("walks: from seed %" PRIu64 " on\n", asked.seed);
  std::fflush(stdout);
  const auto found = search(asked.seed, asked.walks, asked.seconds, asked.without);
  if (!found.failed()) {
    std::printf("walks: %" PRIu64 " walks, all as specified\n", found.clean);
    return 0;
  }
  const std::uint64_t failing = asked.seed + found.clean;
  std::printf("walks: seed %" PRIu64 " fails, walk %" PRIu64 ": %s\n", failing, found.clean + 1, found.why.c_str());
  std::fflush(stdout);
  return tell(generate(failing, asked.without), asked.as_it_is);
}

}  // namespace

int main(int argc, char** argv) try {
  arguments asked;
  CLI::App app("Random programs of all calls at once, on virtual time, beside the specification.");
  auto* seed = app.add_option("--seed", asked.seed, "the first walk's seed; a fresh one by default");
  app.add_option("--walks", asked.walks, "so many walks");
  app.add_option("--seconds", asked.seconds, "so long")->check(CLI::PositiveNumber);
  auto* file = app.add_option("--program", asked.file, "play the program in this file");
  app.add_flag("--show", asked.shows, "print the program of --seed")->needs(seed);
  app.add_flag("--as-it-is", asked.as_it_is, "do not make a failing program small");
  app.add_flag("--no-wake-fd", asked.without.wake_fd, "no walk has a wake_fd, as the portable ground has none");
  app.add_flag("--no-executors", asked.without.executors, "no walk has executors");
  app.add_flag("--no-end-of-time", asked.without.end_of_time, "no clock comes near its end");
  CLI11_PARSE(app, argc, argv);
  if (*file) {
    const program read = parse(read_file(asked.file));
    if (!failure_of(read).empty()) return tell(read, asked.as_it_is);
    std::printf("walks: as specified\n");
    return 0;
  }
  if (asked.shows) {
    std::printf("%s\n", text(generate(asked.seed, asked.without)).c_str());
    return 0;
  }
  if (!*seed) asked.seed = std::random_device{}();
  return explore(asked);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "detent_walks: %s\n", problem.what());
  return 2;
}
