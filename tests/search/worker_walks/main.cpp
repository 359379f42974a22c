// SPDX-License-Identifier: MIT
// Random walks through the worker's own loop, in virtual time, with the calls of other threads between its steps. Each
// walk is a program that a seed gives. If it breaks a promise or crashes, it is made as short as can be, and printed.
#include "search/worker_walks/program.hpp"
#include "search/worker_walks/shrink.hpp"
#include "search/worker_walks/stage.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace detent::worker_walks;

struct arguments {
  std::uint64_t seed = std::random_device{}(), walks = UINT64_MAX;
  double seconds = 1e9;
  std::string file;
  bool shows = false, as_it_is = false;
};

int tell(program failing, const std::string& why, bool as_it_is) {
  const program least = as_it_is ? std::move(failing) : shrink(std::move(failing), why);
  const std::string still = trial({least}).why;
  std::printf("walks: %zu moves fail (--program FILE repeats them): %s\n%s", least.moves.size(), still.c_str(),
              text_of(least).c_str());
  return 1;
}

int repeat(const arguments& asked) {
  std::ifstream in(asked.file);
  if (!in) throw std::runtime_error(asked.file + ": cannot be read");
  program read = parse_program(std::string(std::istreambuf_iterator<char>(in), {}));
  const auto came = trial({read});
  if (came.failed()) return tell(std::move(read), came.why, asked.as_it_is);
  std::printf("walks: all as promised\n");
  return 0;
}

int explore(const arguments& asked) {
  constexpr std::uint64_t in_a_process = 200;
  std::printf("walks: from seed %" PRIu64 " on\n", asked.seed);
  std::fflush(stdout);
  const ns began = real_time();
  const auto took = [began] { return static_cast<double>(real_time() - began) / 1e9; };
  std::uint64_t done = 0;
  while (done < asked.walks && took() < asked.seconds) {
    std::vector<program> some;
    const std::uint64_t end = std::min(asked.walks - done, in_a_process);
    for (std::uint64_t i = 0; i != end; ++i) some.push_back(make_program(asked.seed + done + i));
    const auto came = trial(some);
    done += came.clean;
    if (!came.failed()) continue;
    std::printf("walks: seed %" PRIu64 " fails, walk %" PRIu64 ", after %.1f s: %s\n", asked.seed + done, done + 1,
                took(), came.why.c_str());
    std::fflush(stdout);
    return tell(std::move(some[came.clean]), came.why, asked.as_it_is);
  }
  std::printf("walks: %" PRIu64 " walks, all as promised\n", done);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  arguments asked;
  CLI::App app("Random programs of a worker and of threads that call it between its steps, on virtual time.");
  auto* seed = app.add_option("--seed", asked.seed, "the first walk's seed; a fresh one by default");
  app.add_option("--walks", asked.walks, "so many walks");
  app.add_option("--seconds", asked.seconds, "so long")->check(CLI::PositiveNumber);
  app.add_option("--program", asked.file, "play the program in this file");
  app.add_flag("--show", asked.shows, "print the program of --seed")->needs(seed);
  app.add_flag("--as-it-is", asked.as_it_is, "do not make a failing program small");
  CLI11_PARSE(app, argc, argv);
  if (!asked.file.empty()) return repeat(asked);
  if (!asked.shows) return explore(asked);
  std::fputs(text_of(make_program(asked.seed)).c_str(), stdout);
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "detent_worker_walks: %s\n", problem.what());
  return 2;
}
