// What a scheme's file needs to be listed in registry.cpp: a function NAME_scheme() that returns its entry.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

// the entry of a scheme that is made from its options alone
template <class T>
SchemeEntry scheme_entry(SchemeInfo info) {
  return {std::move(info),
          [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<T>(options); }};
}

}  // namespace escapement
