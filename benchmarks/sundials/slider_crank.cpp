// The slider-crank of paper 000 (examples/slider_crank.yaml) by IDA of SUNDIALS: a DAE of index 2 after Gear, Gupta and Leimkuhler,
// written by hand for this mechanism with its Jacobian, multipliers left out of the error test.
//   slider_crank TOLERANCE    one line: steps, residuals, Jacobians, corrections, and the state at 2 s
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace {

constexpr double l1 = 1, l2 = 2, m1 = 1, m2 = 1, m3 = 1, J1 = m1 * l1 * l1 / 12, J2 = m2 * l2 * l2 / 12, g = 9.81;
constexpr double M11 = J1 + m1 * l1 * l1 / 4 + m2 * l1 * l1, M22 = J2 + m2 * l2 * l2 / 4, M33 = m3, coupling = m2 * l1 * l2 / 2;
constexpr double weight1 = g * (m1 * l1 / 2 + m2 * l1), weight2 = g * m2 * l2 / 2;
enum { q, v = 3, mu = 6, lambda = 8, size = 10 };  // q' = v + G^T mu,  M v' = f + G^T lambda,  G v = 0,  g = 0

int residual(double, N_Vector at, N_Vector rates, N_Vector out, void*) {
  const double *y = N_VGetArrayPointer(at), *dy = N_VGetArrayPointer(rates);
  double* r = N_VGetArrayPointer(out);
  const double s1 = std::sin(y[0]), c1 = std::cos(y[0]), s2 = std::sin(y[1]), c2 = std::cos(y[1]);
  const double c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2, M12 = coupling * c12;
  const double G11 = l1 * c1, G12 = l2 * c2, G21 = l1 * s1, G22 = l2 * s2;
  r[0] = dy[0] - y[v] - G11 * y[mu] - G21 * y[mu + 1];
  r[1] = dy[1] - y[v + 1] - G12 * y[mu] - G22 * y[mu + 1];
  r[2] = dy[2] - y[v + 2] - y[mu + 1];
  r[3] = M11 * dy[v] + M12 * dy[v + 1] + coupling * s12 * y[v + 1] * y[v + 1] + weight1 * c1 - G11 * y[lambda] - G21 * y[lambda + 1];
  r[4] = M12 * dy[v] + M22 * dy[v + 1] - coupling * s12 * y[v] * y[v] + weight2 * c2 - G12 * y[lambda] - G22 * y[lambda + 1];
  r[5] = M33 * dy[v + 2] - y[lambda + 1];
  r[6] = G11 * y[v] + G12 * y[v + 1];
  r[7] = G21 * y[v] + G22 * y[v + 1] + y[v + 2];
  r[8] = l1 * s1 + l2 * s2;
  r[9] = y[2] - l1 * c1 - l2 * c2;
  return 0;
}

// dr/dy + c dr/dy'
int jacobian(double, double c, N_Vector at, N_Vector rates, N_Vector, SUNMatrix matrix, void*, N_Vector, N_Vector, N_Vector) {
  const double *y = N_VGetArrayPointer(at), *dy = N_VGetArrayPointer(rates);
  const double s1 = std::sin(y[0]), c1 = std::cos(y[0]), s2 = std::sin(y[1]), c2 = std::cos(y[1]);
  const double c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2, M12 = coupling * c12;
  const double G11 = l1 * c1, G12 = l2 * c2, G21 = l1 * s1, G22 = l2 * s2;
  const auto J = [&](int i, int j) -> double& { return SM_ELEMENT_D(matrix, i, j); };
  SUNMatZero(matrix);
  for (int i = 0; i < 3; ++i) {
    J(q + i, q + i) = c;
    J(q + i, v + i) = -1;
  }
  J(0, 0) += G21 * y[mu] - G11 * y[mu + 1];
  J(1, 1) += G22 * y[mu] - G12 * y[mu + 1];
  const double along1 = coupling * (c12 * y[v + 1] * y[v + 1] - s12 * dy[v + 1]), along2 = coupling * (c12 * y[v] * y[v] + s12 * dy[v]);
  J(3, 0) = along1 - weight1 * s1 + G21 * y[lambda] - G11 * y[lambda + 1];
  J(3, 1) = -along1;
  J(4, 0) = -coupling * s12 * dy[v] - coupling * c12 * y[v] * y[v];
  J(4, 1) = along2 - weight2 * s2 + G22 * y[lambda] - G12 * y[lambda + 1];
  J(3, v) = c * M11;
  J(3, v + 1) = c * M12 + 2 * coupling * s12 * y[v + 1];
  J(4, v) = c * M12 - 2 * coupling * s12 * y[v];
  J(4, v + 1) = c * M22;
  J(5, v + 2) = c * M33;
  for (const auto& [first, row] : {std::pair{0, int(mu)}, std::pair{3, int(lambda)}}) {
    J(first, row) = -G11;
    J(first + 1, row) = -G12;
    J(first, row + 1) = -G21;
    J(first + 1, row + 1) = -G22;
    J(first + 2, row + 1) = -1;
  }
  J(6, 0) = -G21 * y[v];
  J(6, 1) = -G22 * y[v + 1];
  J(7, 0) = G11 * y[v];
  J(7, 1) = G12 * y[v + 1];
  for (const auto& [row, first] : {std::pair{6, int(v)}, std::pair{8, int(q)}}) {
    J(row, first) = G11;
    J(row, first + 1) = G12;
    J(row + 1, first) = G21;
    J(row + 1, first + 1) = G22;
    J(row + 1, first + 2) = 1;
  }
  return 0;
}

void check(int flag, const char* what) {
  if (flag >= 0) return;
  std::fprintf(stderr, "%s: %d\n", what, flag);
  std::exit(1);
}

__attribute__((noinline)) int loop_by_ida(void* ida, double end, N_Vector y, N_Vector dy) {
  double t = 0;
  return IDASolve(ida, end, &t, y, dy, IDA_NORMAL);
}

}  // namespace

int main(int argc, char** argv) {
  const double tolerance = argc > 1 ? std::atof(argv[1]) : 1e-6, end = 2;
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(size, context), dy = N_VNew_Serial(size, context), id = N_VNew_Serial(size, context);
  N_VConst(0, y);
  N_VConst(0, dy);
  double *at = N_VGetArrayPointer(y), *rates = N_VGetArrayPointer(dy), *differential = N_VGetArrayPointer(id);
  at[2] = l1 + l2;
  rates[0] = at[v] = 8;
  rates[1] = at[v + 1] = -4;
  for (int i = 0; i < size; ++i) differential[i] = i < mu;

  void* ida = IDACreate(context);
  check(IDAInit(ida, residual, 0, y, dy), "IDAInit");
  check(IDASStolerances(ida, tolerance, tolerance), "IDASStolerances");
  check(IDASetId(ida, id), "IDASetId");
  check(IDASetSuppressAlg(ida, true), "IDASetSuppressAlg");
  check(IDASetMaxNumSteps(ida, 1000000), "IDASetMaxNumSteps");
  SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  check(IDASetLinearSolver(ida, solver, matrix), "IDASetLinearSolver");
  check(IDASetJacFn(ida, jacobian), "IDASetJacFn");
  check(IDACalcIC(ida, IDA_YA_YDP_INIT, 1e-3), "IDACalcIC");
  check(loop_by_ida(ida, end, y, dy), "IDASolve");

  long steps, residuals, jacobians, corrections;
  IDAGetNumSteps(ida, &steps);
  IDAGetNumResEvals(ida, &residuals);
  IDAGetNumJacEvals(ida, &jacobians);
  IDAGetNumNonlinSolvIters(ida, &corrections);
  std::printf("%ld %ld %ld %ld", steps, residuals, jacobians, corrections);
  for (int i = 0; i < mu; ++i) std::printf(" %.15g", at[i]);
  std::printf("\n");
  return 0;
}
