// What contacts cost that stay open: a mass on two springs runs among N candidates, none of which it reaches. open_contacts.sh
// counts the instructions of the run with and without them, and of their gaps' formulas alone.
//   bench_open_contacts SCHEME CANDIDATES   one run; prints its steps, and how often the gaps of all candidates were evaluated
//   bench_open_contacts formula CANDIDATES  their gaps, 100 times
#include <cstdio>
#include <cstdlib>
#include <string>

#include "io/model_file.hpp"
#include "run/run.hpp"
#include "system/forwarding_system.hpp"

using namespace escapement;

namespace {

std::string model_text(int candidates) {
  std::string text =
      "escapement: 1\n"
      "coordinates: {x: {start: 1}, y: {start: 0.5}}\n"
      "kinetic_energy: 0.5*(x'^2 + y'^2)\n"
      "potential_energy: 0.5*(x^2 + 2*y^2)\n";
  if (candidates > 0) text += "contacts:\n";
  for (int k = 0; k < candidates; ++k) {
    char line[128];
    std::snprintf(line, sizeof line, "  c%d: {gap: %g - x + 0.1*sin(%g*y), restitution: 0.5}\n", k, 10 + 0.01 * k, 1 + 0.001 * k);
    text += line;
  }
  return text + "simulation: {end: 20, save_every: 1}\n";
}

// counts how often the rows of all contacts are asked for
class Watched : public ForwardingSystem {
 public:
  explicit Watched(std::unique_ptr<System> base) : ForwardingSystem(*base), owned_(std::move(base)) {}

  void evaluate(const State& s, Need need, Terms& T) const override {
    const bool rows = has(need, Need::gap) || has(need, Need::jacobian) || has(need, Need::curvature);
    sweeps_ += rows && !T.contacts;
    base_.evaluate(s, need, T);
  }
  using System::position_terms;
  void position_terms(const State& s, const ContactSet* contacts, Vec& largest) const override {
    sweeps_ += !contacts;
    base_.position_terms(s, contacts, largest);
  }
  long sweeps() const { return sweeps_; }

 private:
  std::unique_ptr<System> owned_;
  mutable long sweeps_ = 0;
};

__attribute__((noinline)) RunReport run_among_contacts(Model& model) { return run_model(model); }

__attribute__((noinline)) double evaluate_gaps(const System& system, const State& s, Terms& T, int times) {
  double sum = 0;
  for (int i = 0; i < times; ++i) {
    system.evaluate(s, Need::gap, T);
    sum += T.g[0];
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "hem5";
  const int candidates = argc > 2 ? std::atoi(argv[2]) : 1000;
  Model model = read_model("candidates.yaml", model_text(candidates));
  if (what == "formula") {
    Terms T;
    model.system->prepare(T);
    return evaluate_gaps(*model.system, model.start, T, 100) < 0;
  }
  model.settings.scheme = what;
  auto watched = std::make_unique<Watched>(std::move(model.system));
  const Watched& system = *watched;
  model.system = std::move(watched);
  const RunReport report = run_among_contacts(model);
  if (report.outcome.status != Outcome::Status::completed) return 1;
  std::printf("%ld steps, %ld sweeps over the candidates, x = %.15g, y = %.15g\n", static_cast<long>(report.outcome.steps), system.sweeps(),
              report.outcome.final.q[0], report.outcome.final.q[1]);
  return 0;
}
