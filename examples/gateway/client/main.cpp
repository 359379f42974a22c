// SPDX-License-Identifier: MIT
// The load on the gateway: thousands of clients on one thread, and what goes wrong with some of them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "load.hpp"

namespace {

// Sets the faults that the words name.
void choose(load::fault_choice& chosen, const std::vector<std::string>& words) {
  const std::map<std::string, bool load::fault_choice::*> known{{"silent", &load::fault_choice::silent},
                                                                {"drop", &load::fault_choice::drop},
                                                                {"flood", &load::fault_choice::flood},
                                                                {"garbage", &load::fault_choice::garbage},
                                                                {"freeze", &load::fault_choice::freeze}};
  for (const std::string& word : words) {
    if (word == "none") continue;
    for (const auto& [name, fault] : known) {
      if (word == name || word == "all") chosen.*fault = true;
    }
    if (word != "all" && !known.contains(word))
      throw std::runtime_error(
          fmt::format("--faults: '{}' is none of silent, drop, flood, garbage, freeze, all, none", word));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Opens sessions at the gateway, trades, and checks what the gateway promises.");
  load::options chosen;
  std::uint64_t seconds = 20, interval_ms = 1000;
  std::vector<std::string> faults;
  app.option_defaults()->always_capture_default();
  app.add_option("--port", chosen.port, "the gateway's port on 127.0.0.1")->required();
  app.add_option("--sessions", chosen.sessions, "sessions at once")->check(CLI::Range(1, 2'000'000'000));
  app.add_option("--seconds", seconds, "how long to trade")->check(CLI::Range(1, 86'400));
  app.add_option("--heartbeat", interval_ms, "heartbeat interval in milliseconds")->check(CLI::Range(100, 60'000));
  app.add_option("--orders", chosen.orders_a_second, "orders a second, of all sessions together");
  app.add_option("--faults", faults, "silent,drop,flood,garbage,freeze, or all, or none")->delimiter(',');
  app.add_option("--gateway", chosen.gateway, "the gateway's process id, for the fault freeze");
  app.add_option("--seed", chosen.seed, "of what is random; 0: any, which is printed");
  CLI11_PARSE(app, argc, argv);
  try {
    chosen.time = std::chrono::seconds(seconds);
    chosen.interval = std::chrono::milliseconds(interval_ms);
    choose(chosen.faults, faults);
    if (chosen.faults.freeze && chosen.gateway <= 0) throw std::runtime_error("--faults freeze needs --gateway PID");
    return load::run(chosen) ? 0 : 1;
  } catch (const std::exception& trouble) {
    fmt::print(stderr, "client: {}\n", trouble.what());
    return 1;
  }
}
