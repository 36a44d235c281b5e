// `auto`: the run itself chooses and changes schemes (simulate/automatic.cpp); as a single scheme it is the one it starts with.
#include "schemes/registry.hpp"

namespace escapement::inline schemes {

SchemeEntry automatic_scheme() {
  SchemeInfo info;
  info.id = "auto";
  info.description = "chooses for the model and the tolerance, changes while it runs, and says why";
  info.paper = "ours";
  info.equations = "-";
  info.order = 5;
  info.index = 2;
  info.keeps_position = info.keeps_velocity = true;
  info.error_power = 5;
  return {info, [](const Options&) -> std::unique_ptr<Scheme> { return make_scheme("hem5", {{"projection", std::string("both")}}); }};
}

}  // namespace escapement
