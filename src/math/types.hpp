// The vector and matrix types every layer uses.
#pragma once

#include <Eigen/Dense>

namespace escapement::inline math {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;

}  // namespace escapement
