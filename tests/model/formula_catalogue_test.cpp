// Systems that differ in their numbers alone are made like one that is known; everything else about them is their own.
#include "model/formula_catalogue.hpp"

#include <gtest/gtest.h>

#include "model/formula_support.hpp"

namespace escapement::formula_catalogue_test {
namespace {

using testing::FormulaText;

struct Texts {
  FormulaText text{{"x", "y"}};
  std::shared_ptr<ExpressionGraph> graph{&text.graph, [](ExpressionGraph*) {}};
  Texts(const char* wall, const char* rod, double mass) {
    text.parameter("m", mass).energies("m*(x'^2 + y'^2)/2", "9.81*m*y");
    text.constraint(rod, "x^2 + y^2 - 1").contact(wall, "x + 2", 0.2, "y'");
  }
};

TEST(FormulaCatalogue, KeepsNamesApart) {
  FormulaCatalogue catalogue;
  Texts first("left", "beam", 2.5), numbers("left", "beam", 3.5), contact("wall", "beam", 2.5), constraint("left", "lath", 2.5);
  const auto one = catalogue.make(first.graph, first.text.formulas);
  EXPECT_EQ(catalogue.size(), 1u);
  const auto two = catalogue.make(numbers.graph, numbers.text.formulas);
  EXPECT_EQ(catalogue.size(), 1u);
  const auto three = catalogue.make(contact.graph, contact.text.formulas), four = catalogue.make(constraint.graph, constraint.text.formulas);
  EXPECT_EQ(catalogue.size(), 3u);
  EXPECT_EQ(one->contacts()[0].name, "left");
  EXPECT_EQ(two->contacts()[0].name, "left");
  EXPECT_EQ(three->contacts()[0].name, "wall");
  EXPECT_EQ(three->names().multipliers[0], "beam");
  EXPECT_EQ(four->contacts()[0].name, "left");
  EXPECT_EQ(four->names().multipliers[0], "lath");
  // the numbers are each one's own
  Terms T;
  State s = make_state(one->dim());
  s.q << 1, 0;
  for (const auto& [system, mass] : {std::pair{one.get(), 2.5}, {two.get(), 3.5}, {three.get(), 2.5}}) {
    system->prepare(T);
    system->evaluate(s, Need::mass | Need::force, T);
    EXPECT_DOUBLE_EQ(T.M(0, 0), mass);
    EXPECT_DOUBLE_EQ(T.f[1], -9.81 * mass);
  }
}

}  // namespace
}  // namespace escapement
