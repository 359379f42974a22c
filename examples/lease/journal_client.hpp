// SPDX-License-Identifier: MIT
// The resource that the lock protects: a journal, kept by another process. Each entry goes with its permit.
#pragma once

#include "term.hpp"

#include <string>

namespace lease {

class journal_client {
 public:
  // Throws std::system_error.
  explicit journal_client(const std::string& socket_path);
  journal_client(const journal_client&) = delete;
  journal_client& operator=(const journal_client&) = delete;
  ~journal_client();

  // Waits for the journal's answer. False: refused, as `allowed` has run out or a higher fence has been seen there.
  bool write(const permit& allowed);

 private:
  int socket_;
};

}  // namespace lease
