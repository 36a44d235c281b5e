#include "nonsmooth/contact_solver.hpp"

#include <stdexcept>

#include "nonsmooth/exact.hpp"
#include "nonsmooth/gauss_seidel.hpp"
#include "nonsmooth/lemke.hpp"
#include "nonsmooth/newton.hpp"
#include "nonsmooth/prox.hpp"

namespace escapement {

const std::vector<std::string>& contact_solver_names() {
  static const std::vector<std::string> names{"exact", "lemke", "gauss-seidel", "newton", "prox"};
  return names;
}

std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name) {
  if (name == "exact") return std::make_unique<Exact>();
  if (name == "lemke") return std::make_unique<Lemke>();
  if (name == "gauss-seidel") return std::make_unique<GaussSeidel>();
  if (name == "newton") return std::make_unique<Newton>();
  if (name == "prox") return std::make_unique<Prox>();
  throw std::invalid_argument("there is no contact solver '" + std::string(name.substr(0, 40)) + "'");
}

}  // namespace escapement
