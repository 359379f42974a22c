// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "text/complaint.hpp"
#include "text/input_error.hpp"

namespace {

constexpr int input_status = 1, usage_status = 2;

int complain(const char* reason, int status) {
  detent::tool::complain(reason);
  return status;
}

// If standard output cannot be written, as on a full disk, the command must fail.
void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw detent::tool::input_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  detent::tool::hold_standard_descriptors();
  try {
    const auto result = detent::tool::perform(detent::tool::parse_command_line(argc, argv));
    print(result.output);
    for (const std::string& each : result.complaints) complain(each.c_str(), result.status);
    return result.status;
  } catch (const detent::tool::usage_error& trouble) {
    return complain(trouble.what(), usage_status);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", input_status);
  } catch (const std::exception& trouble) {
    return complain(trouble.what(), input_status);
  }
}
