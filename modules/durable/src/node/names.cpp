// SPDX-License-Identifier: MIT
#include "names.hpp"

#include <sys/random.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace detent::durable::detail {
namespace {

// In the order of the bytes' values, so that texts sort as their numbers do.
constexpr std::string_view digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

void write(std::uint64_t number, std::size_t places, std::string& out) {
  for (std::size_t place = places; place-- > 0;) out += digits[(number >> (6 * place)) & 63];
}

}  // namespace

// Asks the kernel. std::random_device executes CPUID each time, which traps in a virtual machine; and a forked child
// would continue the same sequence as a generator in this process.
std::uint64_t random_bits() {
  std::uint64_t out = 0;
  if (::getrandom(&out, sizeof out, 0) != ssize_t{sizeof out}) throw std::system_error(errno, std::system_category());
  return out;
}

name_maker::name_maker(std::string_view node, const clocks& by)
    : clock_(by), random_(random_bits()), node_(node.empty() ? "node" : node) {
  node_ += '.';
  write(random_, 10, node_);
}

std::uint64_t name_maker::next() noexcept {
  last_ = std::max(last_ + 1, static_cast<std::uint64_t>(clock_.wall_now().time_since_epoch().count()));
  return last_;
}

std::uint64_t name_maker::id() noexcept { return (next() << 10 | (random_ & 1023)) & ~(std::uint64_t{1} << 63); }

std::string name_maker::key() {
  std::string out;
  write(next(), 9, out);
  write(random_ >> 10, 6, out);
  return out;
}

}  // namespace detent::durable::detail
