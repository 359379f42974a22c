// SPDX-License-Identifier: MIT
// One system in a process of its own, spoken to line by line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace peers {

// Thrown if the other process ended early, did not answer in time, or answered with something else than JSON. what() is
// one line.
class child_failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class child {
 public:
  // Starts `command` in the shell and reads its first line. Throws child_failed.
  child(const std::string& command, std::chrono::seconds patience);
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  // Asks it to quit, and kills it if it does not.
  ~child();

  const nlohmann::ordered_json& introduction() const { return introduction_; }
  // Throws child_failed; then the child cannot be used any more.
  nlohmann::ordered_json ask(const std::string& request);
  // Between pause() and resume() it uses no CPU.
  void pause();
  void resume();

 private:
  void start(const std::string& command);
  nlohmann::ordered_json read_line();
  void end();

  std::chrono::seconds patience_;
  pid_t process_ = -1;  // also the id of its process group
  int to_ = -1, from_ = -1;
  std::string unread_;
  nlohmann::ordered_json introduction_;
};

}  // namespace peers
