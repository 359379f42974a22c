// SPDX-License-Identifier: MIT
// Scripts as the command line writes them.
#pragma once

#include "world.hpp"

#include <optional>
#include <string>
#include <vector>

namespace detent::sim {

// "3-17,20": steps that are left out. None: not of that form.
std::optional<std::set<std::uint64_t>> parse_steps(const std::string& text);
std::string text_of(const std::set<std::uint64_t>& steps);

// "--seed S --steps N --without 3-17,20"
std::string arguments_of(const script& plays);

// A file with a script on each line: a seed, and where it matters a number of steps. What follows # is a comment.
// Throws std::runtime_error naming the file and the line.
std::vector<script> read_scripts(const std::string& path);

}  // namespace detent::sim
