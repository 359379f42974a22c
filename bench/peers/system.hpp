// SPDX-License-Identifier: MIT
// The interface through which a native program offers its timer system. README.md has the works and their answers.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/request.hpp"

namespace peers {

using answer = nlohmann::ordered_json;

// Thrown if the system cannot run on this host; what() says why.
class unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct system {
  std::string name;
  std::string version;
  std::string how;  // how it is used, and why that is the fastest way in its documentation
  // Its works, by name. A work may throw bad_request.
  std::map<std::string, std::function<answer(const request&)>> works;
};

// A program has one system, or several variants of one; the command line says which is wanted.
struct variant {
  std::string name;
  std::function<system()> make;  // throws unavailable
};

// The main of the program: speaks the line protocol on stdin and stdout until `quit` or the end of the input.
int serve(std::span<char*> arguments, const std::vector<variant>& variants);

}  // namespace peers
