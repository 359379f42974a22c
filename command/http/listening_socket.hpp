// SPDX-License-Identifier: MIT
#pragma once
#include <sys/types.h>

#include <string>

#include "http/listen_address.hpp"

namespace detent::tool {

// A stream socket that accepts connections; its descriptor does not block. The file of a Unix socket is removed at the
// end, unless another file has replaced it.
class listening_socket {
 public:
  // Binds. Throws input_error that begins with `--listen ADDRESS:` or `--socket PATH:`.
  explicit listening_socket(const listen_address& at);
  // For this user only: mode 0600. An existing socket without a listener is replaced; any other file is not.
  explicit listening_socket(const std::string& path);
  listening_socket(const listening_socket&) = delete;
  listening_socket& operator=(const listening_socket&) = delete;
  ~listening_socket();

  int descriptor() const { return descriptor_; }
  int port() const;                                      // the port that it was given, if it has an address
  const std::string& option() const { return option_; }  // "--listen ADDRESS" or "--socket PATH"

 private:
  [[noreturn]] void refuse(const std::string& trouble);
  void bind_path(const std::string& path);

  std::string option_;
  int descriptor_ = -1;
  std::string path_;  // of our own file; empty if there is none
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace detent::tool
