#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "cli/run_action.hpp"
#include "io/report.hpp"
#include "io/source_text.hpp"
#include "math/nearest_name.hpp"
#include "study/reproduction_text.hpp"

namespace escapement::cli {

namespace {

struct ReproduceArguments {
  std::string paper, output = "reproduction", markdown;
  bool quick = false, json = false, no_report = false, quiet = false, list = false;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

std::string ambiguous(const std::string& name, const std::vector<const Paper*>& papers) {
  std::string meant;
  for (const Paper* paper : papers)
    meant += fmt::format("{}{} ({})", meant.empty() ? "" : ", ", paper->id, fmt::join(paper->authors, ", "));
  return fmt::format("'{:.40}' may mean several papers: {}", name, meant);
}

std::string unknown(const std::string& name) {
  std::string authors;
  std::vector<std::string> known;
  for (const Paper& paper : papers()) {
    authors += fmt::format("{}{} {}", authors.empty() ? "" : "; ", paper.id, fmt::join(paper.authors, ", "));
    known.push_back(paper.id);
    known.insert(known.end(), paper.authors.begin(), paper.authors.end());
  }
  for (const Experiment& e : experiments()) known.push_back(e.id);
  return fmt::format(
      "there is no paper or experiment '{:.40}': papers go by number or author, of whose name three letters are enough "
      "({}), and --list names the experiments{}",
      name, authors, did_you_mean(name, known));
}

// a paper's experiments, or one, by its name or from a file
std::vector<const Experiment*> chosen(const std::string& name) {
  std::vector<const Experiment*> list;
  if (name.ends_with(".yaml")) {
    static Experiment own;
    const SourceText source = SourceText::read(name);
    own = read_experiment(source.file(), source.text());
    return {&own};
  }
  const std::vector<const Paper*> papers = name.empty() ? std::vector<const Paper*>() : papers_named(name);
  if (papers.size() > 1) throw UsageError(ambiguous(name, papers));
  for (const Experiment& e : experiments())
    if (name.empty() || (!papers.empty() && e.paper == papers.front()->id) || e.id == name) list.push_back(&e);
  if (list.empty()) throw UsageError(unknown(name));
  return list;
}

void show_progress(int done, int all, const Experiment& last) {
  const int width = 30, full = width * done / all;
  fmt::print(stderr, "\r\033[K[{}{}] {} of {} experiments, {} {}", std::string(full, '#'),
             std::string(width - full, '.'), done, all, last.paper, last.place);
  if (done == all) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

int run(const ReproduceArguments& arguments) {
  const std::vector<const Experiment*> list = chosen(arguments.paper);
  if (arguments.list) {
    for (const Experiment* e : list) fmt::print("{:<28} {}: {}\n", e->id, e->place, e->title);
    return completed;
  }
  // said before the experiments take their minutes
  if (!arguments.no_report) need_writable(arguments.output);
  if (!arguments.markdown.empty()) need_writable(arguments.markdown);
  ReproduceOptions options;
  options.quick = arguments.quick;
  options.threads = arguments.threads;
  options.interrupt = stop_on_signals();
  if (!arguments.quiet && isatty(STDERR_FILENO)) options.on_progress = show_progress;
  const Reproduction all = reproduce(list, options);
  const std::vector<Reproduced>& made = all.made;
  if (!all.missing.empty())
    fmt::print(stderr, "{}escapement: {}{}\n", options.on_progress ? "\r\033[K" : "", missing_text(all),
               made.empty() ? "; no file was written" : "");
  if (arguments.json)
    fmt::print("{}\n", json_text(all, arguments.quick));
  else if (!arguments.quiet && !made.empty())
    fmt::print("{}\n{}\n", terminal_text(made), verdict_counts(made));
  if (!arguments.no_report)
    for (const Paper& paper : papers()) {
      if (std::none_of(made.begin(), made.end(),
                       [&](const Reproduced& one) { return one.experiment->paper == paper.id; }))
        continue;
      const std::string path = fmt::format("{}-{}.html", arguments.output, paper.id);
      write_study_page(page_json(paper, all, arguments.quick), path);
      if (!arguments.json && !arguments.quiet) fmt::print("{}\n", path);
    }
  if (!arguments.markdown.empty() && !made.empty()) write_text(arguments.markdown, markdown_text(all));
  return all.missing.empty() ? completed : interrupted;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run the experiments of the five papers and set the published numbers beside ours");
  auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option(
      "PAPER", arguments->paper,
      "000 to 004, an author's name or its first letters, one experiment (--list), or a file FILE.yaml like those in "
      "reproduction/; all when left out");
  command->add_flag("--quick", arguments->quick, "a short version: rows that would take long are left out, and say so");
  command->add_flag("--json", arguments->json, "print exactly one JSON object instead of the tables");
  command->add_option("-o,--output", arguments->output, "start of the pages' names: NAME-000.html ...")
      ->type_name("NAME");
  command->add_flag("--no-report", arguments->no_report, "do not write the pages");
  command->add_option("--markdown", arguments->markdown, "also write the tables as Markdown")->type_name("FILE");
  command->add_option("-j,--threads", arguments->threads, "experiments at the same time")->check(CLI::Range(1, 256));
  command->add_flag("--list", arguments->list, "name the experiments and run nothing");
  command->add_flag("--quiet", arguments->quiet, "print nothing");
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace escapement::cli
