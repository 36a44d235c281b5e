// Two neighbours of an array in one operation, anywhere in it: the same bits as one after the other.
#pragma once

namespace escapement::inline math {

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));  // with `using`, clang would have it at 16 bytes
inline Pair load_pair(const double* x) { return *reinterpret_cast<const Pair*>(x); }
inline void store_pair(const Pair& value, double* x) { *reinterpret_cast<Pair*>(x) = value; }

}  // namespace escapement
