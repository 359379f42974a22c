// SPDX-License-Identifier: MIT
#pragma once
#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace detent::tool {

// Bounds that several commands share.
inline constexpr std::uint64_t most_cpu = 65'535, most_priority = 99;

// Adds an option whose text `read` turns into a value; read(name, text) throws usage_error.
template <class Read>
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                       Read read) {
  auto take = [name, read = std::move(read)](const std::string& text) { read(name, text); };
  return app.add_option_function<std::string>(name, take, help)->type_name(type)->take_last();
}

}  // namespace detent::tool
