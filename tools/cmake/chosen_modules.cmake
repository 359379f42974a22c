# SPDX-License-Identifier: MIT
# DETENT_MODULES: which libraries are built beside detent::detent. A project of its own builds all that it can, and the options
# DETENT_BUILD_CALENDAR, ... say which. A part of another project builds those that it is asked for, with what they stand on.
set(beside calendar durable durable_postgres durable_redis)
set(inside asio c coroutine counters_file pools recipes recording senders sharded tbb)  # detent::detent always has them

foreach(name IN LISTS DETENT_MODULES)
  if(NOT name STREQUAL all AND NOT name IN_LIST beside AND NOT name IN_LIST inside)
    list(JOIN beside ", " names)
    list(JOIN inside ", " more)
    message(FATAL_ERROR "detent: DETENT_MODULES=${DETENT_MODULES}: there is no module '${name}'. "
      "It is a list, separated by semicolons, of: ${names}; or all. These need not be asked for: ${more}")
  endif()
endforeach()

if(NOT "all" IN_LIST DETENT_MODULES)
  set(chosen ${DETENT_MODULES})
  foreach(name IN LISTS beside)
    string(TOUPPER "DETENT_BUILD_${name}" option)
    if(${option} AND NOT ${option} STREQUAL AUTO)
      list(APPEND chosen ${name})
    endif()
    set(${option} OFF)
  endforeach()
  if("durable_postgres" IN_LIST chosen OR "durable_redis" IN_LIST chosen)
    list(APPEND chosen durable)
  endif()
  if("durable" IN_LIST chosen)
    list(APPEND chosen calendar)
  endif()
  foreach(name IN LISTS beside)
    if(name IN_LIST chosen)
      string(TOUPPER "DETENT_BUILD_${name}" option)
      set(${option} ON)
    endif()
  endforeach()
endif()
