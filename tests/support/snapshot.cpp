// SPDX-License-Identifier: MIT
#include "support/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "support/temporary_directory.hpp"

namespace detent::test {
namespace {

std::vector<std::string> lines_in(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string output_of(const std::string& command) {
  std::string printed;
  if (std::FILE* const pipe = ::popen(command.c_str(), "r"); pipe != nullptr) {
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) printed += static_cast<char>(c);
    ::pclose(pipe);
  }
  return printed;
}

}  // namespace

snapshot::~snapshot() {
  const std::string path = DETENT_SOURCES "/" + file_;
  if (std::getenv("DETENT_UPDATE_SNAPSHOTS") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text_;
    return;
  }
  std::ifstream kept(path, std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(kept), {}) == text_) return;
  const temporary_directory scratch;
  ADD_FAILURE() << "DETENT_UPDATE_SNAPSHOTS=1 writes what the test produced:\n"
                << output_of("diff -uN '" + path + "' '" + scratch.write("produced", text_) + "'");
}

void snapshot::add(std::string_view title, std::string_view text) {
  text_.append("== ").append(title).append("\n").append(text);
  if (!text.ends_with('\n')) text_ += '\n';
}

std::string changed_lines(std::string_view before, std::string_view after) {
  std::vector<std::string> gone = lines_in(before);
  std::string come, all;
  for (const std::string& line : lines_in(after)) {
    const auto at = std::find(gone.begin(), gone.end(), line);
    if (at == gone.end()) {
      come += "+" + line + "\n";
    } else {
      gone.erase(at);
    }
  }
  for (const std::string& line : gone) all += "-" + line + "\n";
  return all + come;
}

}  // namespace detent::test
