// SPDX-License-Identifier: MIT
// Runs a fuzz target on each file of the directories and files that it is given: a corpus as a regression test, with
// any compiler.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& where) {
  if (!fs::is_directory(where)) return {where};
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  if (found.empty()) throw std::runtime_error(where.string() + ": no file in it");
  return found;
}

void run(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) throw std::runtime_error(file.string() + ": cannot be read");
  std::printf("%s\n", file.c_str());  // before it runs: what ends the program is the last one named
  std::fflush(stdout);
  // A copy of its own, without a byte after it, so that a sanitizer sees each step beyond the end.
  std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE-OR-DIRECTORY...\n", argv[0]);
    return 2;
  }
  try {
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
      for (const fs::path& file : files_below(argv[i])) {
        run(file);
        ++count;
      }
    }
    std::printf("%zu inputs\n", count);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
}
