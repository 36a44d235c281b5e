#include "nonsmooth/contact_solver.hpp"

#include <stdexcept>

#include "nonsmooth/exact.hpp"
#include "nonsmooth/gauss_seidel.hpp"
#include "nonsmooth/lemke.hpp"
#include "nonsmooth/newton.hpp"
#include "nonsmooth/prox.hpp"

namespace escapement::inline nonsmooth {

namespace {

template <class T>
std::unique_ptr<ContactSolver> make() {
  return std::make_unique<T>();
}

struct Named {
  const char* name;
  std::unique_ptr<ContactSolver> (*make)();
};
constexpr Named solvers[] = {{"exact", make<Exact>}, {"lemke", make<Lemke>}, {"gauss-seidel", make<GaussSeidel>},
                             {"newton", make<Newton>}, {"prox", make<Prox>}};

}  // namespace

const std::vector<std::string>& contact_solver_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Named& one : solvers) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

std::vector<std::string> contact_solver_choices() {
  return {contact_solver_names().begin() + 1, contact_solver_names().end()};
}

std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name) {
  for (const Named& one : solvers)
    if (name == one.name) return one.make();
  throw std::invalid_argument("there is no contact solver '" + std::string(name.substr(0, 40)) + "'");
}

}  // namespace escapement
