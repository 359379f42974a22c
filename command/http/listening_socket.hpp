// SPDX-License-Identifier: MIT
#pragma once
#include <sys/types.h>

#include <string>

#include "http/listen_address.hpp"

namespace detent::tool {

// A stream socket that accepts connections; its descriptor does not block. Of a Unix socket the file is removed at the
// end, unless it has become another one.
class listening_socket {
 public:
  // Binds; throws input_error that begins with `--listen ADDRESS:` or `--socket PATH:`.
  explicit listening_socket(const listen_address& at);
  // For this user alone: mode 0600. A socket that is there and has no listener is replaced; anything else is not.
  explicit listening_socket(const std::string& path);
  listening_socket(const listening_socket&) = delete;
  listening_socket& operator=(const listening_socket&) = delete;
  ~listening_socket();

  int descriptor() const { return descriptor_; }
  int port() const;                                      // of an address: the one that it has got
  const std::string& option() const { return option_; }  // "--listen ADDRESS" or "--socket PATH"

 private:
  [[noreturn]] void refuse(const std::string& trouble);
  void bind_path(const std::string& path);

  std::string option_;
  int descriptor_ = -1;
  std::string path_;  // of the file that is ours; empty: none
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace detent::tool
