// What an installation needs beside the program: manual pages and completion in shells, both made from the commands themselves.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/run_action.hpp"
#include "io/examples.hpp"
#include "io/whole_file.hpp"
#include "run/version.hpp"
#include "schemes/scheme.hpp"

namespace escapement::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) { return app.get_subcommands([](const CLI::App*) { return true; }); }

// as troff takes it
std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string text = fmt::format("\\fB{}\\fR", troff(fmt::format("{}", fmt::join(names, ", "))));
  if (option.get_items_expected_max() > 0) text += fmt::format(" \\fI{}\\fR", troff(option.get_type_name()));
  return text;
}

std::string head(const std::string& name, const std::string& what) {
  std::string title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"escapement {}\" \"Escapement\"\n.SH NAME\n{} \\- {}\n", title, version(), troff(name), troff(what));
}

constexpr std::string_view exit_statuses =
    ".SH EXIT STATUS\n0 completed, or stopped by a stop condition; 1 the simulation failed, or with \\fB\\-\\-strict\\fR is suspect; 2 bad usage or "
    "bad input; 130 stopped by Ctrl\\-C.\n";

std::string page_of(const CLI::App& command) {
  const std::string name = "escapement-" + command.get_name();
  std::string text = head(name, command.get_description());
  text += fmt::format(".SH SYNOPSIS\n\\fBescapement {}\\fR [\\fIoptions\\fR]", troff(command.get_name()));
  std::string about, options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) {
      options += fmt::format(".TP\n{}\n{}\n", option_names(*option), troff(option->get_description()));
    } else {
      const std::string word = option->get_name(true);
      const std::string typed = fmt::format("\\fI{}\\fR", troff(word));
      text += option->get_required() ? " " + typed : " [" + typed + "]";
      about += fmt::format(".TP\n\\fI{}\\fR\n{}\n", troff(word), troff(option->get_description()));
    }
  }
  text += fmt::format("\n.SH DESCRIPTION\n{}.\n", troff(command.get_description()));
  if (!about.empty()) text += ".SH ARGUMENTS\n" + about;
  return text + ".SH OPTIONS\n" + options + std::string(exit_statuses) + ".SH SEE ALSO\n.BR escapement (1)\n";
}

std::string page_of_program(const CLI::App& app) {
  std::string text = head("escapement", "simulates mechanisms whose motion is not smooth");
  text += ".SH SYNOPSIS\n\\fBescapement\\fR \\fIcommand\\fR [\\fIarguments\\fR]\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", troff(app.get_description()));
  std::string others;
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(command->get_name()), troff(command->get_description()));
    others += fmt::format("{}.BR {} (1)", others.empty() ? "" : ",\n", troff("escapement-" + command->get_name()));
  }
  return text + std::string(exit_statuses) + ".SH SEE ALSO\n" + others + "\n";
}

int write_manual(const CLI::App& app, const std::filesystem::path& folder) {
  need_writable(folder / "escapement.1");
  write_text(folder / "escapement.1", page_of_program(app));
  for (const CLI::App* command : commands_of(app)) write_text(folder / fmt::format("escapement-{}.1", command->get_name()), page_of(*command));
  return completed;
}

// words that may follow, by the word before; the same for all shells
struct Words {
  std::string commands, schemes, examples;
  std::vector<std::pair<std::string, std::string>> options;  // of each command
};

Words words_of(const CLI::App& app) {
  Words words;
  for (const CLI::App* command : commands_of(app)) {
    words.commands += command->get_name() + " ";
    std::string options;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) options += "--" + name + " ";
    words.options.emplace_back(command->get_name(), options);
  }
  for (const SchemeEntry& scheme : all_schemes()) words.schemes += scheme.info.id + " ";
  for (const ExampleFile& file : example_files())
    if (const std::filesystem::path name(file.name); name.extension() == ".yaml") words.examples += name.stem().string() + " ";
  return words;
}

std::string bash_completion(const Words& words) {
  std::string cases;
  for (const auto& [command, options] : words.options) cases += fmt::format("    {}) options=\"{}\" ;;\n", command, options);
  return fmt::format(R"(# bash completion of escapement, written by 'escapement completion bash'
_escapement() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $before in
    --scheme|--schemes) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
    examples) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _escapement escapement
)",
                     words.commands, cases, words.schemes, words.examples);
}

std::string zsh_completion(const Words& words) {
  std::string cases;
  for (const auto& [command, options] : words.options) cases += fmt::format("    {}) options=({}) ;;\n", command, options);
  return fmt::format(R"(#compdef escapement
# zsh completion of escapement, written by 'escapement completion zsh'
_escapement() {{
  local -a options
  if (( CURRENT == 2 )); then
    compadd -- {} --help --version
    return
  fi
  case $words[2] in
{}  esac
  case $words[CURRENT-1] in
    --scheme|--schemes) compadd -- {}; return ;;
    examples) compadd -- {}; return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then compadd -- $options; else _files; fi
}}
_escapement "$@"
)",
                     words.commands, cases, words.schemes, words.examples);
}

}  // namespace

void add_manual(CLI::App& app, Action& action) {
  CLI::App* manual = app.add_subcommand("manual", "Write the manual pages of all commands into a folder");
  auto folder = std::make_shared<std::string>();
  manual->add_option("FOLDER", *folder, "where they go: escapement.1, escapement-run.1, ...")->required();
  manual->callback([=, &app, &action] { action = [=, &app] { return write_manual(app, *folder); }; });

  CLI::App* completion = app.add_subcommand("completion", "Print a script that lets a shell complete commands and options");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([=, &app, &action] {
    action = [=, &app] {
      fmt::print("{}", *shell == "bash" ? bash_completion(words_of(app)) : zsh_completion(words_of(app)));
      return completed;
    };
  });
}

}  // namespace escapement::cli
