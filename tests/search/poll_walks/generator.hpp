// SPDX-License-Identifier: MIT
// Draws a program. A seed draws first what the walk likes to do, and how far apart its times are.
#pragma once

#include "search/poll_walks/generate.hpp"
#include "support/splitmix.hpp"

#include <array>

namespace detent::poll_walks {

class generator {
 public:
  generator(std::uint64_t seed, const avoided& without) : random_(seed), without_(without) {}

  program make();

 private:
  // The weights that a seed draws.
  enum class habit : std::uint8_t {
    schedule,
    periodic,
    bulk,
    clump,
    keep_alive,
    cancel,
    restart,
    ask,
    group,
    advance,
    poll,
    next,
    look,
    executor,
    end,
    run,
    sleep
  };
  static constexpr std::size_t habits = 17;

  void draw_setting(setting& into);

  void draw_habits();

  habit draw_habit(bool inside);

  // --- Times and names

  // A power of two, where a digit of the wheel's changes, or a nanosecond beside it.
  nanoseconds_t draw_edge();
  nanoseconds_t draw_length();
  moment draw_moment();
  // Draws mostly later ones.
  std::uint32_t draw_name();
  std::uint32_t take_names(std::uint32_t count);

  // --- Operations

  operation draw(unsigned depth);
  operation draw_one(unsigned depth);

  void draw_options(operation& into, unsigned depth);
  operation schedule(std::uint32_t count, unsigned depth);
  operation periodic(unsigned depth);
  operation bulk(unsigned depth);
  // Many of one deadline, or of a few next to each other.
  operation clump(unsigned depth);
  // Most of the last clump is restarted or cancelled, as connections do.
  operation keep_alive();
  operation restart();
  // Timers that come and go at a far time, as idle timeouts do; and then some of one deadline there.
  void churn(std::vector<operation>& into);
  // Many near each other, of which most may move away, and the question what comes next.
  void crowd(std::vector<operation>& into);
  // A bounded poll leaves some over. They are restarted while their group is paused, and it goes on.
  void leave_over(std::vector<operation>& into);
  // Some timers are restarted to a later time, for which others are armed afterwards. The wheel notices the restarts at
  // the old time.
  void meet(std::vector<operation>& into);
  operation cancel();
  operation on_group();
  operation advance() { return {.what = action::advance, .number = draw_length()}; }
  operation poll();
  operation run(unsigned depth);
  operation sleep(unsigned depth);
  operation end();
  operation executor();

  test::splitmix random_;
  const avoided without_;
  setting made_with_;
  nanoseconds_t span_ = 100, grain_ = 1;
  bool lanes_ = false, slack_ = false, stale_ = false, groups_ = false, labels_ = false, threads_ = false;
  bool several_ = false;
  nanoseconds_t horizon_ = 0;
  std::uint64_t plain_ = 0, acts_ = 0, sequences_ = 80;  // an operation in so many is a sequence of several
  std::array<std::uint64_t, habits> habits_{};
  std::uint32_t names_ = 0, clump_ = 0, clump_size_ = 0;
};

}  // namespace detent::poll_walks
