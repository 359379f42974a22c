# SPDX-License-Identifier: MIT
# Precompiled headers: what most sources of a target include is compiled once instead of in each of them. For the builds of
# who works on detent, by the presets with g++; clang's show that each source includes what it needs.
option(DETENT_PRECOMPILED_HEADERS "Compile with g++ what many sources include but once" OFF)
mark_as_advanced(DETENT_PRECOMPILED_HEADERS)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(DETENT_PRECOMPILED_HEADERS OFF)
endif()

set(detent_standard_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstdio> <cstring> <functional> <map>
  <memory> <mutex> <new> <optional> <random> <span> <stdexcept> <string> <string_view> <thread> <utility> <vector>)

# Out of a precompiled header, g++ 12 takes what is inlined of std::string for this tree's, and warns of it. The library and
# the command have these warnings in the packages' build, without such headers.
set(detent_precompiled_flags -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)

# detent_precompile(TARGET HEADER...): and what of the standard library most sources here include.
function(detent_precompile target)
  if(DETENT_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN} ${detent_standard_headers})
    target_compile_options(${target} PRIVATE ${detent_precompiled_flags})
  endif()
endfunction()

# detent_precompiled_as(HOLDER TARGET...): as detent_precompile(HOLDER ...) said; the flags of all must be the same.
function(detent_precompiled_as holder)
  if(DETENT_PRECOMPILED_HEADERS)
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${holder})
      target_compile_options(${target} PRIVATE ${detent_precompiled_flags})
    endforeach()
  endif()
endfunction()
