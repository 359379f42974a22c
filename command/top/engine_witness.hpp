// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "doctor/cpu_visitors.hpp"
#include "doctor/driver_watch.hpp"
#include "doctor/machine_watch.hpp"
#include "host/host_files.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// Adds the kernel's figures for the driver to each reading of an engine. They cover the time since the last reading of
// the host.
class engine_witness {
 public:
  explicit engine_witness(host_files host = host_files()) : host_(std::move(host)) {}

  // Fills in the evidence of each engine. `expected` is the intended time between this reading and the last, in
  // nanoseconds.
  void look(host_reading& reading, std::int64_t expected);
  void look(host_reading& reading, std::int64_t expected, const machine_clocks& clocks);

 private:
  using key = std::tuple<std::string, std::int64_t, std::int64_t>;  // path, process, time of creation

  void look_for_rivals();

  host_files host_;
  machine_watch machine_;
  std::map<key, driver_watch> drivers_;
  // The other threads on the CPU of the engine that starves most. It takes two readings of all threads of the host, so
  // it is done only now and then.
  std::optional<cpu_visitors> visitors_;
  key starved_;
  std::int64_t searched_at_ = 0;
};

}  // namespace detent::tool
