// SPDX-License-Identifier: MIT
// The names under which the counts are printed.
#include "server/server_counts.hpp"

namespace game {

void print_all(server_counts& of) {
  print_line("ticks", of.ticks);
  print_line("missed", of.missed);
  print_line("caught_up", of.caught_up);
  print_line("let_go", of.let_go);
  print_line("early", of.early);
  print_line("most_frames_in_a_tick", of.most_frames_in_a_tick);
  print_line("tick_lateness", of.lateness);
  print_line("received", of.received);
  print_line("garbage", of.garbage);
  print_line("strangers", of.strangers);
  print_line("duplicates", of.duplicates);
  print_line("sent", of.sent);
  print_line("unsent", of.unsent);
  print_line("taken", of.taken);
  print_line("recovered", of.recovered);
  print_line("lost", of.lost);
  print_line("excess", of.excess);
  print_line("joined", of.joined);
  print_line("refused", of.refused);
  print_line("away", of.away);
  print_line("back", of.back);
  print_line("left", of.left);
  print_line("thrown_out", of.thrown_out);
  print_line("forgiven", of.forgiven);
}

}  // namespace game
