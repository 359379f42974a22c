# SPDX-License-Identifier: MIT
# What is installed beside the command `detent`: its man pages, completion for bash, and the tools that are scripts.
set(tools "${PROJECT_SOURCE_DIR}/tools")
set(shared "${CMAKE_INSTALL_DATADIR}/detent")
set(completions "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")

foreach(page detent detent-console detent-cron detent-doctor detent-durable detent-kernel-trace detent-pending detent-profile detent-replay detent-run detent-stat detent-top)
  if(DETENT_PACKAGE)  # Debian's way; man reads both
    find_program(DETENT_GZIP gzip REQUIRED)
    set(packed "${PROJECT_BINARY_DIR}/packaging/${page}.1")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/man/${page}.1" "${packed}" COPYONLY)
    execute_process(COMMAND "${DETENT_GZIP}" -9nf "${packed}" COMMAND_ERROR_IS_FATAL ANY)
    install(FILES "${packed}.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  else()
    install(FILES "${CMAKE_CURRENT_LIST_DIR}/man/${page}.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  endif()
endforeach()
install(FILES "${CMAKE_CURRENT_LIST_DIR}/grafana/detent.json" DESTINATION "${shared}/grafana" COMPONENT tools)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/completions/detent" DESTINATION "${completions}" COMPONENT tools)

install(PROGRAMS "${tools}/kernel-trace" "${tools}/profile" DESTINATION "${shared}" COMPONENT tools)
install(FILES "${tools}/kernel_trace/clocks.py" "${tools}/kernel_trace/lives.py" "${tools}/kernel_trace/text.py"
  "${tools}/kernel_trace/tracefs.py" DESTINATION "${shared}/kernel_trace" COMPONENT tools)
install(PROGRAMS "${tools}/bpftrace/lateness_by_label.bt" "${tools}/bpftrace/wake_up.bt"
  DESTINATION "${shared}/bpftrace" COMPONENT tools)

# detent_install_link(TARGET DIRECTORY NAME): DIRECTORY/NAME, a link to TARGET.
function(detent_install_link target directory name)
  set(link "${PROJECT_BINARY_DIR}/packaging/links/${directory}/${name}")
  cmake_path(GET link PARENT_PATH made)
  file(MAKE_DIRECTORY "${made}")
  file(CREATE_LINK "${target}" "${link}" SYMBOLIC)
  install(FILES "${link}" DESTINATION "${directory}" COMPONENT tools)
endfunction()

# The scripts find their parts beside themselves, wherever the link lies; bash looks for completion by the command's name.
file(RELATIVE_PATH there "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${shared}")
foreach(tool kernel-trace profile)
  detent_install_link("${there}/${tool}" "${CMAKE_INSTALL_BINDIR}" detent-${tool})
  detent_install_link(detent "${completions}" detent-${tool})
endforeach()
