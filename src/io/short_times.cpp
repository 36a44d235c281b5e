#include "io/short_times.hpp"

#include <algorithm>

namespace escapement::inline io {

namespace {

constexpr double short_part = 1e-3;     // of the run: what is longer shows in any result
constexpr double many_pieces = 1e6;     // more of them take long
constexpr double narrowest = 0x1p-40;   // of the run: what is narrower is a jump
constexpr int stretches = 16;           // of the run, each looked at with this many pieces at most:
constexpr int most_pieces = 256;
constexpr std::size_t most_expressions = 100;

// pieces of a run that resolve an expression of the time
class Pieces {
 public:
  Pieces(ExpressionWatch& watch, double start, double run) : watch_(watch), run_(run) {
    const Enclosure whole{{start, start + run}, {1, 1}};
    watch_.begin({&whole, 1});
    for (int k = 0; k < stretches; ++k) {
      left_ = most_pieces;
      const double from = start + run * k / stretches, to = start + run * (k + 1) / stretches;
      reached_ = from;
      split(from, to);
      count_ += (most_pieces - left_) * (to - from) / std::max(reached_ - from, narrowest * run);
    }
  }

  double count() const { return count_; }        // estimated where there are very many
  double shortest() const { return shortest_; }
  double where() const { return where_; }

 private:
  void split(double from, double to) {
    if (left_ <= 0) return;
    const Enclosure piece{{from, to}, {1, 1}};
    watch_.enclose({&piece, 1});
    const bool resolved = watch_.resolved(to - from), jump = to - from <= narrowest * run_;
    if (!resolved && !jump) {
      split(from, 0.5 * (from + to));
      split(0.5 * (from + to), to);
      return;
    }
    --left_;
    reached_ = to;
    if (resolved && to - from < shortest_) {
      shortest_ = to - from;
      where_ = from;
    }
  }

  ExpressionWatch& watch_;
  double run_, count_ = 0, shortest_ = run_, where_ = 0, reached_ = 0;
  int left_ = 0;
};

}  // namespace

void warn_of_short_times(const Reading& reading, std::span<const Said> laws, Model& model) {
  const double run = model.settings.duration(), step = model.settings.step.value_or(0);
  const Expr t = reading.inputs[0];
  std::size_t looked_at = 0;
  for (const Said& law : laws) {
    const std::vector<Expr> variables = reading.graph.variables(law.e);
    if (std::find(variables.begin(), variables.end(), t) == variables.end()) continue;
    if (++looked_at > most_expressions) return;
    ExpressionWatch watch(reading.graph, {&t, 1}, {&law.e, 1}, ExpressionWatch::Which::of_first_input);
    if (!watch.has_features()) continue;
    const Pieces pieces(watch, model.settings.start, model.settings.duration());
    const auto warn = [&](const std::string& message) {
      model.warnings.push_back(ModelError(reading.source.file(), reading.source.place(law.offset), message).what());
    };
    if (pieces.shortest() < step) {
      warn(fmt::format("near t = {:.3g} s this changes within {:.2g} s, which steps of {:.3g} s do not see; take a "
                       "smaller step or a tolerance",
                       pieces.where(), pieces.shortest(), step));
    } else if (pieces.count() > many_pieces) {
      warn(fmt::format("this changes about {:.1e} times until t = {:g} s, which takes as many steps; end the run "
                       "earlier, or leave out what is too fast to matter",
                       pieces.count(), model.settings.end));
    } else if (pieces.shortest() < short_part * run) {
      warn(fmt::format("near t = {:.3g} s this changes within {:.2g} s, a small part of the run; steps there will be no "
                       "longer, and save_every should not be either if it is to be seen",
                       pieces.where(), pieces.shortest()));
    }
  }
}

}  // namespace escapement
