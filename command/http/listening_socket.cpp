// SPDX-License-Identifier: MIT
#include "http/listening_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <thread>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

constexpr int queue_length = SOMAXCONN;  // connections waiting in the kernel, which has its own limit

struct any_address {
  sockaddr_storage bytes = {};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

any_address address_of(const listen_address& at) {
  any_address made;
  auto& v4 = reinterpret_cast<sockaddr_in&>(made.bytes);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(made.bytes);
  const auto port = htons(static_cast<std::uint16_t>(at.port));
  if (::inet_pton(AF_INET, at.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    made.length = sizeof v4;
  } else if (::inet_pton(AF_INET6, at.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    made.length = sizeof v6;
  }
  return made;
}

any_address address_of(const std::string& path) {
  any_address made;
  auto& local = reinterpret_cast<sockaddr_un&>(made.bytes);
  if (path.empty() || path.size() >= sizeof local.sun_path) return made;
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.data(), path.size());
  made.length = sizeof local;
  return made;
}

int new_socket(int family) { return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Asks the kernel, because a socket's file does not say whether its process lives.
bool has_listener(const any_address& at) {
  const int probe = new_socket(AF_UNIX);
  const bool refused = ::connect(probe, at.get(), at.length) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !refused;
}

// While this object lives, no other process can come between looking at a socket in that directory and listening on its
// own. Everyone who may read the directory can hold the lock for ever, so it is tried for only two seconds.
class directory_lock {
 public:
  explicit directory_lock(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    descriptor_ = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) return;
    for (int tries = 0; tries < most_tries && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++tries) {
      failed_ = errno == EWOULDBLOCK && tries + 1 == most_tries;
      if (errno != EWOULDBLOCK && errno != EINTR) return;  // the file system has no locks
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;
  ~directory_lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool failed() const { return failed_; }

 private:
  static constexpr int most_tries = 2000;

  int descriptor_;
  bool failed_ = false;  // another process holds the lock
};

}  // namespace

void listening_socket::refuse(const std::string& trouble) {
  if (descriptor_ >= 0) ::close(descriptor_);
  throw input_error(option_ + ": " + trouble);
}

listening_socket::listening_socket(const listen_address& at) : option_("--listen " + at.text()) {
  const any_address address = address_of(at);
  descriptor_ = new_socket(address.bytes.ss_family);
  if (descriptor_ < 0) refuse(std::strerror(errno));
  // No SO_REUSEPORT: with it, two servers on one port would each get half of the requests.
  const int yes = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(descriptor_, address.get(), address.length) != 0 || ::listen(descriptor_, queue_length) != 0)
    refuse(std::strerror(errno));
}

listening_socket::listening_socket(const std::string& path) : option_("--socket " + printable(path)) {
  const directory_lock lock(path);
  if (lock.failed()) refuse("another process has locked its directory (flock)");
  bind_path(path);
  struct stat made = {};
  if (::listen(descriptor_, queue_length) != 0 || ::lstat(path.c_str(), &made) != 0) refuse(std::strerror(errno));
  path_ = std::filesystem::absolute(path).string();
  device_ = made.st_dev;
  inode_ = made.st_ino;
}

void listening_socket::bind_path(const std::string& path) {
  const any_address address = address_of(path);
  if (address.length == 0) refuse(fmt::format("a name of 1 to {} bytes is needed", sizeof(sockaddr_un::sun_path) - 1));
  descriptor_ = new_socket(AF_UNIX);
  if (descriptor_ < 0) refuse(std::strerror(errno));
  const auto bound = [&] {
    const mode_t earlier = ::umask(0177);
    const bool done = ::bind(descriptor_, address.get(), address.length) == 0;
    const int problem = errno;
    ::umask(earlier);
    errno = problem;
    return done;
  };
  if (bound()) return;
  if (errno != EADDRINUSE) refuse(std::strerror(errno));
  struct stat there = {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) refuse("a file with this name exists and is not a socket; it is left alone");
    if (has_listener(address)) refuse("another process listens there");
    if (::unlink(path.c_str()) != 0) refuse(std::strerror(errno));
  }
  if (!bound()) refuse(std::strerror(errno));
}

listening_socket::~listening_socket() {
  struct stat there = {};
  if (!path_.empty() && ::lstat(path_.c_str(), &there) == 0 && there.st_dev == device_ && there.st_ino == inode_)
    ::unlink(path_.c_str());
  ::close(descriptor_);
}

int listening_socket::port() const {
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&own), &length);
  if (own.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(own).sin_port);
  if (own.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(own).sin6_port);
  return 0;
}

}  // namespace detent::tool
