// Eigenvalues of small dense matrices, in one place: their templates are slow to compile.
#pragma once

#include <complex>
#include <vector>

#include "math/types.hpp"

namespace escapement::inline math {

std::vector<std::complex<double>> eigenvalues(const Mat&);
double spectral_radius(const Mat&);  // largest magnitude of an eigenvalue

struct SymmetricEigen {
  Vec values;   // ascending
  Mat vectors;  // one per column, of length 1
};
SymmetricEigen symmetric_eigen(const Mat&);

}  // namespace escapement
