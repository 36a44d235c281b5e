// Any bytes as a model file: an error that says where, or a model whose terms can be evaluated at its start.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/model_file.hpp"

using namespace escapement;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Model model = read_model("fuzz.yaml", text);
    Terms T;
    model.system->prepare(T);
    model.system->evaluate(model.start, Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature, T);
    if (model.start.q.size() != model.system->dim().q || !model.start.q.allFinite()) std::abort();
  } catch (const ModelError& error) {
    const std::string_view what = error.what();
    if (what.rfind("fuzz.yaml:", 0) != 0 || what.find('\n') != what.npos || what.size() > 1000) std::abort();
  }
  return 0;
}
