// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <random>

#include "cli/command_options.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

// The text repeats words of the user, and none of them may move a terminal's cursor.
std::string one_line(std::string text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace_if(text.begin(), text.end(), control, '?');
  return text;
}

// If a command is missing, CLI11 reports that before it complains about the word that stands in its place.
void check_first(const std::string& word, const CLI::App& app) {
  std::string commands;
  for (const CLI::App* each : app.get_subcommands({})) {
    if (word == each->get_name()) return;
    commands += (commands.empty() ? "" : ", ") + each->get_name();
  }
  const std::string there_are = fmt::format("there are {}; detent --help says what they do", commands);
  if (word.empty()) throw usage_error("no command: " + there_are);
  if (!word.starts_with('-')) throw usage_error(fmt::format("{} is not a command: {}", in_quotes(word), there_are));
  if (app.get_option_no_throw(word) == nullptr)
    throw usage_error(fmt::format("{} is not an option: there are --help and --version, and after a command its own",
                                  in_quotes(word)));
}

}  // namespace

any_command parse_command_line(int argc, const char* const* argv) {
  replay_command replay;
  run_command run;
  doctor_command doctor;
  stat_command stat;
  pending_command pending;
  top_command top;
  console_command console;
  cron_command cron;
  durable_command durable;
  run.load.seed = std::random_device()();

  CLI::App app("detent: a timer engine for programs that count nanoseconds", "detent");
  app.set_version_flag("--version", fmt::format("detent {}", version));
  app.set_help_flag("-h,--help", "print this and exit");
  app.require_subcommand(1);
  CLI::App* replay_app = app.add_subcommand("replay", "replay a recorded trace of timers, in real or in virtual time");
  CLI::App* run_app = app.add_subcommand("run", "run a synthetic load");
  CLI::App* doctor_app = app.add_subcommand("doctor", "measure what on this host spoils precision");
  CLI::App* stat_app = app.add_subcommand("stat", "print the live counters of engines of other processes");
  CLI::App* pending_app = app.add_subcommand("pending", "count the pending timers of engines of other processes");
  CLI::App* top_app = app.add_subcommand("top", "show the engines of this host live in the terminal");
  CLI::App* console_app =
      app.add_subcommand("console", "show the engines and durable timers of this host in a browser");
  CLI::App* cron_app = app.add_subcommand("cron", "print when a cron expression is due in a time zone");
  CLI::App* durable_app = app.add_subcommand("durable", "list, put and change the timers of a store");
  add_options(*replay_app, replay);
  add_options(*run_app, run);
  add_options(*doctor_app, doctor);
  add_options(*stat_app, stat);
  add_options(*pending_app, pending);
  add_options(*top_app, top);
  add_options(*console_app, console);
  add_options(*cron_app, cron);
  add_options(*durable_app, durable);

  check_first(argc > 1 ? argv[1] : "", app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& asked) {
    return print_command{fmt::format("{}\n", asked.what())};
  } catch (const CLI::CallForHelp&) {
    return print_command{app.help()};
  } catch (const CLI::ExtrasError& trouble) {
    const std::vector<std::string> extra = app.remaining(true);
    throw usage_error(fmt::format("{} is not expected after detent {}; detent {} --help lists what there is",
                                  in_quotes(extra.empty() ? trouble.what() : extra.front()), argv[1], argv[1]));
  } catch (const CLI::ParseError& trouble) {
    throw usage_error(fmt::format("{}; detent {} --help lists what there is", one_line(trouble.what()), argv[1]));
  }
  if (replay_app->parsed()) return replay;
  if (run_app->parsed()) return run;
  if (stat_app->parsed()) return stat;
  if (pending_app->parsed()) return pending;
  if (top_app->parsed()) return top;
  if (console_app->parsed()) return console;
  if (cron_app->parsed()) return cron;
  if (durable_app->parsed()) return durable;
  return doctor;
}

}  // namespace detent::tool
