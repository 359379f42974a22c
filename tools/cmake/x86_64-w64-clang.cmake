# SPDX-License-Identifier: MIT
# clang for Windows over the headers of Debian's cross compiler: it compiles and archives, and links nothing.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-windows-gnu)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-windows-gnu)
set(CMAKE_AR x86_64-w64-mingw32-ar CACHE FILEPATH "")
set(CMAKE_RANLIB x86_64-w64-mingw32-ranlib CACHE FILEPATH "")
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# It looks for them where they are not, and finds this machine's.
execute_process(COMMAND x86_64-w64-mingw32-g++-posix -print-libgcc-file-name OUTPUT_VARIABLE of_library
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "/[^/]*$" "/include/c++" of_library "${of_library}")
string(CONCAT CMAKE_CXX_FLAGS_INIT "-nostdlibinc -isystem ${of_library} -isystem ${of_library}/x86_64-w64-mingw32 "
  "-isystem ${of_library}/backward -isystem /usr/x86_64-w64-mingw32/include")
set(CMAKE_C_FLAGS_INIT "-nostdlibinc -isystem /usr/x86_64-w64-mingw32/include")
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
