// Whether a structural method can carry a position constraint itself, [002] section 9.
#include "schemes/structural.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

Point probe_prescribed_position(const ProbeInput& input) {
  const Model model = input.setup.model(1);
  const std::string& scheme = model.settings.scheme;
  const auto family = scheme == "structural-explicit"   ? StructuralFamily::E
                      : scheme == "structural-implicit" ? StructuralFamily::I
                                                        : StructuralFamily::CE;
  const StructuralMethod method(family, check_options(model.settings).scheme);
  Point point;
  point.values["growth"] = method.prescribed_position_root();
  return point;
}

}  // namespace escapement
