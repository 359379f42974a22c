# SPDX-License-Identifier: MIT
# Fails unless PAGE ends with exactly what `PROGRAM --tables` prints.
execute_process(COMMAND "${PROGRAM}" --tables OUTPUT_VARIABLE tables COMMAND_ERROR_IS_FATAL ANY)
file(READ "${PAGE}" page)
string(FIND "${page}" "| pair |" start)
string(SUBSTRING "${page}" ${start} -1 written)
string(STRIP "${tables}" tables)
string(STRIP "${written}" written)
if(NOT tables STREQUAL written)
  message(FATAL_ERROR "${PAGE}: the tables are not those of the program; replace them by what --tables prints")
endif()
