// SPDX-License-Identifier: MIT
#include "crowd.hpp"

#include <algorithm>

namespace load {

using namespace std::chrono_literals;

crowd::crowd(net::event_loop& loop, const options& chosen, std::uint64_t seed)
    : loop_(loop), chosen_(chosen), chance_(seed), orders_(found_, measured_), places_(chosen.sessions) {}

// Some each millisecond. What a busy machine misses is not made up for: it would only be busier.
void crowd::open() {
  constexpr auto pace = 1ms;
  const std::size_t at_once = std::max<std::size_t>(1, places_.size() * pace / chosen_.interval);
  opening_ =
      detent::scoped_timer(loop_.engine().schedule_at_fixed_rate(pace, pace, [this, at_once](detent::firing& run) {
        for (std::size_t i = 0; i < at_once && opened_ < places_.size(); ++i) connect(opened_++);
        if (opened_ == places_.size()) run.self().cancel();
      }));
}

void crowd::connect(std::size_t place) { places_[place] = std::make_unique<client_session>(*this, loop_, place); }

void crowd::replace(std::size_t place) {
  loop_.let_go(std::move(places_[place]));
  loop_.engine().schedule_after(std::uniform_int_distribution(50, 250)(chance_) * 1ms,
                                [this, place] { connect(place); });
}

bool crowd::settled() const {
  return orders_.settled() && counts_.fell_silent == counts_.found_dead && counts_.nonsense == counts_.rejects;
}

client_session* crowd::any() {
  constexpr int tries = 20;
  std::uniform_int_distribution<std::size_t> place(0, places_.size() - 1);
  for (int i = 0; i < tries; ++i) {
    client_session* const found = places_[place(chance_)].get();
    if (found != nullptr && found->is_active()) return found;
  }
  return nullptr;
}

}  // namespace load
