#include "schemes/registry.hpp"

#include <fmt/format.h>

namespace escapement::inline schemes {

// each in the scheme's own file
SchemeEntry hem5_scheme();
SchemeEntry phem56_scheme();
SchemeEntry mexx_scheme();
SchemeEntry moreau_jean_scheme();
SchemeEntry moreau_midpoint_scheme();
SchemeEntry moreau_midpoint_ggl_decoupled_scheme();
SchemeEntry moreau_midpoint_ggl_scheme();
SchemeEntry nonsmooth_generalized_alpha_scheme();
SchemeEntry nonsmooth_generalized_alpha_ggl_scheme();
SchemeEntry rk4_scheme();
SchemeEntry rkf45_scheme();
SchemeEntry generalized_alpha_scheme();
SchemeEntry newmark_scheme();
SchemeEntry hht_scheme();
SchemeEntry bdf_scheme();
SchemeEntry radau_scheme();
SchemeEntry structural_explicit_scheme();
SchemeEntry structural_conditional_scheme();
SchemeEntry structural_implicit_scheme();
SchemeEntry automatic_scheme();

const std::vector<SchemeEntry>& all_schemes() {
  static const std::vector<SchemeEntry> all{
      hem5_scheme(),
      phem56_scheme(),
      mexx_scheme(),
      moreau_jean_scheme(),
      moreau_midpoint_scheme(),
      moreau_midpoint_ggl_decoupled_scheme(),
      moreau_midpoint_ggl_scheme(),
      nonsmooth_generalized_alpha_scheme(),
      nonsmooth_generalized_alpha_ggl_scheme(),
      rk4_scheme(),
      rkf45_scheme(),
      generalized_alpha_scheme(),
      newmark_scheme(),
      hht_scheme(),
      bdf_scheme(),
      radau_scheme(),
      structural_explicit_scheme(),
      structural_conditional_scheme(),
      structural_implicit_scheme(),
      automatic_scheme(),
  };
  return all;
}

const SchemeEntry* find_scheme(std::string_view id) {
  for (const SchemeEntry& entry : all_schemes())
    if (entry.info.id == id) return &entry;
  return nullptr;
}

std::unique_ptr<Scheme> make_scheme(std::string_view id, const std::map<std::string, OptionValue>& options) {
  const SchemeEntry* entry = find_scheme(id);
  if (!entry) throw OptionError("scheme", fmt::format("there is no scheme '{:.40}'", id));
  return entry->make(Options(entry->info, options));
}

}  // namespace escapement
