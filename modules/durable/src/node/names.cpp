// SPDX-License-Identifier: MIT
#include "names.hpp"

#include "../stores/clocks.hpp"

#include <algorithm>
#include <random>

namespace detent::durable::detail {
namespace {

// In the order of their bytes, so that texts sort as numbers do.
constexpr std::string_view digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

void write(std::uint64_t number, std::size_t places, std::string& out) {
  for (std::size_t place = places; place-- > 0;) out += digits[(number >> (6 * place)) & 63];
}

}  // namespace

std::uint64_t random_bits() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

name_maker::name_maker(std::string_view node) : random_(random_bits()), node_(node.empty() ? "node" : node) {
  node_ += '.';
  write(random_, 10, node_);
}

std::uint64_t name_maker::next() noexcept {
  last_ = std::max(last_ + 1, static_cast<std::uint64_t>(wall_now().time_since_epoch().count()));
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
