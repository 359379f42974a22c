// SPDX-License-Identifier: MIT
// There are no recordings on the portable ground.
#include "observe/recording_port.hpp"

namespace detent::detail {

errc open_recording(std::unique_ptr<recording_port>&, const clock_reader&, const engine_options& options,
                    std::string& why) {
  if (options.record.empty()) return errc{};
  why =
      "record = \"" + options.record + "\": not on the portable ground; docs/portability.md says which options it has";
  return errc::invalid_option;
}

}  // namespace detent::detail
