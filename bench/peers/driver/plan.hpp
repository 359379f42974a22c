// SPDX-License-Identifier: MIT
// The measurements: the works with their parameters.
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
  // The systems that it is for; empty for all that do this work.
  std::vector<std::string> only = {};
  // A work that takes long, or gives the same result each time, is not done in every round.
  int rounds = most_rounds;

  std::string request() const;
};

enum class plan_size { full, quick, smoke };

std::vector<task> plan(plan_size size);
// The names of all works.
std::vector<std::string> works();

// Says why an answer cannot be true, or returns an empty text. Answers that are errors are not checked.
std::string implausible(const task& asked, const nlohmann::ordered_json& answer);

}  // namespace peers
