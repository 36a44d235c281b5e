// The schemes, one function per file, listed once in registry.cpp.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement {

// the entry of a scheme that is made from its options alone
template <class T>
SchemeEntry scheme_entry(SchemeInfo info) {
  return {std::move(info),
          [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<T>(options); }};
}

SchemeEntry automatic_scheme();
SchemeEntry hem5_scheme();
SchemeEntry mexx_scheme();
SchemeEntry phem56_scheme();
SchemeEntry moreau_jean_scheme();
SchemeEntry moreau_midpoint_scheme();
SchemeEntry moreau_midpoint_ggl_decoupled_scheme();
SchemeEntry moreau_midpoint_ggl_scheme();
SchemeEntry nonsmooth_generalized_alpha_scheme();
SchemeEntry nonsmooth_generalized_alpha_ggl_scheme();
SchemeEntry rk4_scheme();
SchemeEntry rkf45_scheme();
SchemeEntry structural_explicit_scheme();
SchemeEntry structural_conditional_scheme();
SchemeEntry structural_implicit_scheme();
SchemeEntry generalized_alpha_scheme();
SchemeEntry newmark_scheme();
SchemeEntry hht_scheme();
SchemeEntry bdf_scheme();

}  // namespace escapement
