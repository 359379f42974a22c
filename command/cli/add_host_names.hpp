// SPDX-License-Identifier: MIT
#pragma once
#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "http/listen_address.hpp"

namespace detent::tool {

// Adds --host NAME, which may be given any number of times. `take` is called with each name; one that cannot be a
// host's throws usage_error.
inline CLI::Option* add_host_names(CLI::App& app, const std::string& help, std::function<void(std::string)> take) {
  const auto take_all = [take = std::move(take)](const std::vector<std::string>& names) {
    for (const std::string& name : names) take(host_name_of("--host", name));
  };
  return app.add_option_function<std::vector<std::string>>("--host", take_all, help)
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

}  // namespace detent::tool
