// SPDX-License-Identifier: MIT
// What is measured: the works with their parameters.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace peers {

inline constexpr int most_rounds = 1000;

struct task {
  std::string work;
  std::vector<std::pair<std::string, std::uint64_t>> numbers;
  // The systems it is for; empty: all that do this work.
  std::vector<std::string> only = {};
  // What takes long, or comes out the same each time, is not done in all rounds.
  int rounds = most_rounds;

  std::string request() const;
};

enum class plan_size { full, quick, smoke };

std::vector<task> plan(plan_size size);
// The names of all works.
std::vector<std::string> works();

// Why an answer cannot be true; empty if it may be. An answer that is an error is not checked.
std::string implausible(const task& asked, const nlohmann::ordered_json& answer);

}  // namespace peers
