// A system is const: simulations in threads of their own may share one.
#include "support/shared_system.hpp"

#include "io/model_file.hpp"
#include "support/source_folder.hpp"

namespace escapement::shared_system_test {
namespace {

Model example(const std::string& name) {
  return load_model(escapement::testing::source_folder() + "/examples/" + name + ".yaml");
}

TEST(SharedSystem, OfFormulasWithContacts) {
  testing::expect_shareable(example("slider_crank_clearance"), 0.02, {"hem5", "moreau-midpoint-ggl"});
}

TEST(SharedSystem, OfBodiesWithContacts) {
  testing::expect_shareable(example("slider_crank_clearance_bodies"), 0.02, {"hem5", "moreau-midpoint-ggl"});
}

TEST(SharedSystem, OfALoopWithRedundantRows) {
  testing::expect_shareable(example("a04_bricard"), 3, {"generalized-alpha", "phem56"});
}

}  // namespace
}  // namespace escapement
