// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace load {

// Lines that a gateway must reject, one by one, whatever state a session that is logged on is in.
inline const std::vector<std::string_view>& lines_of_nonsense() {
  static const std::string endless(5000, 'x');
  static const std::vector<std::string_view> lines{
      "hello",
      "=|=",
      "35=",
      "35=DD|11=1",
      "35=Z|11=1",
      "11=1|35=D",
      "35=0|35=0",
      "35=D|11=|54=1",
      "35=D|11=one|54=1|40=2|126=1",
      "35=D|11=1|54=3|40=2|126=1",
      "35=D|11=1|54=1|40=2|126=tomorrow",
      "35=F|41=-5",
      "35=A|49=AGAIN|108=1000",
      "35=0|58=\x07\x80",
      "35=0|1=1|2=2|3=3|4=4|5=5|6=6|7=7|8=8|9=9|10=0|11=1|12=2|13=3|14=4|15=5|16=6",
      endless,
  };
  return lines;
}

}  // namespace load
