// Runs the experiments of the papers and sets the published numbers beside ours.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/verdict.hpp"

namespace escapement::inline study {

struct Row {
  std::string what;
  std::string published, ours, ratio;  // as shown; published and ratio may be empty
  Verdict verdict;
  bool timing = false;
};

struct FigureSeries {
  std::string name, style;
  std::vector<double> x, y;
  bool faint = false;
};

struct Figure {
  const FigureSpec* spec = nullptr;
  std::vector<FigureSeries> series;
};

struct Reproduced {
  const Experiment* experiment = nullptr;
  std::vector<Row> rows;
  std::vector<Figure> figures;
  double seconds = 0;
};

struct ReproduceOptions {
  bool quick = false;
  int threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
  // after each experiment: how many are done, of how many, and which was the last
  std::function<void(int done, int all, const Experiment& last)> on_progress;
};

// the experiments that came to their end, in their own order whatever the threads do, and those that an interrupt cut
// short: of these nothing is kept, for a run that was stopped gives other numbers
struct Reproduction {
  std::vector<Reproduced> made;
  std::vector<const Experiment*> missing;
};

// throws what a probe throws
Reproduction reproduce(const std::vector<const Experiment*>&, const ReproduceOptions&);
// throws Interrupted once the flag is up
Reproduced reproduce(const Experiment&, bool quick, const std::atomic<bool>* interrupt = nullptr);
struct Interrupted {};

// the paper of this number
const Paper& find_paper(const std::string& id);
// the papers by number, by an author's name, or by its beginning, three letters at least; more than one: it is not
// clear
std::vector<const Paper*> papers_named(const std::string& name, const std::vector<Paper>& among = papers());

}  // namespace escapement
