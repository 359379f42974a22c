// SPDX-License-Identifier: MIT
// The names under which the counts are told.
#include "server/server_counts.hpp"

namespace game {

void tell_all(server_counts& of) {
  tell("ticks", of.ticks);
  tell("missed", of.missed);
  tell("caught_up", of.caught_up);
  tell("let_go", of.let_go);
  tell("early", of.early);
  tell("most_frames_in_a_tick", of.most_frames_in_a_tick);
  tell("tick_lateness", of.lateness);
  tell("received", of.received);
  tell("garbage", of.garbage);
  tell("strangers", of.strangers);
  tell("duplicates", of.duplicates);
  tell("sent", of.sent);
  tell("unsent", of.unsent);
  tell("taken", of.taken);
  tell("recovered", of.recovered);
  tell("lost", of.lost);
  tell("excess", of.excess);
  tell("joined", of.joined);
  tell("refused", of.refused);
  tell("away", of.away);
  tell("back", of.back);
  tell("left", of.left);
  tell("thrown_out", of.thrown_out);
  tell("forgiven", of.forgiven);
}

}  // namespace game
