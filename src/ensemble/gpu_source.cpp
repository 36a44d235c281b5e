#include "ensemble/gpu_source.hpp"

#include <fmt/format.h>

#include <functional>

namespace escapement::inline ensemble {

namespace {

std::string number(double x) {
  std::string text = fmt::format("{:.17g}", x);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return x < 0 ? "(" + text + ")" : text;
}

// one operation as an expression of its operands
std::string expression(Code code, const std::string& a, const std::string& b, const std::string& c) {
  const auto call = [&](const char* name) { return fmt::format("{}({})", name, a); };
  switch (code) {
    case Code::copy: return a;
    case Code::add: return a + " + " + b;
    case Code::subtract: return a + " - " + b;
    case Code::multiply: return a + " * " + b;
    case Code::divide: return a + " / " + b;
    case Code::negate: return "-" + a;
    case Code::square_root: return call("sqrt");
    case Code::sine: return call("sin");
    case Code::cosine: return call("cos");
    case Code::tangent: return call("tan");
    case Code::arc_sine: return call("asin");
    case Code::arc_cosine: return call("acos");
    case Code::arc_tangent: return call("atan");
    case Code::hyperbolic_sine: return call("sinh");
    case Code::hyperbolic_cosine: return call("cosh");
    case Code::hyperbolic_tangent: return call("tanh");
    case Code::exponential: return call("exp");
    case Code::logarithm: return call("log");
    case Code::absolute: return call("fabs");
    case Code::sign: return fmt::format("double({0} > 0) - double({0} < 0)", a);
    case Code::arc_tangent2: return fmt::format("atan2({}, {})", a, b);
    case Code::power: return fmt::format("pow({}, {})", a, b);
    case Code::minimum: return fmt::format("{1} < {0} ? {1} : {0}", a, b);
    case Code::maximum: return fmt::format("{0} < {1} ? {1} : {0}", a, b);
    case Code::less: return fmt::format("{} < {} ? 1.0 : 0.0", a, b);
    case Code::less_equal: return fmt::format("{} <= {} ? 1.0 : 0.0", a, b);
    case Code::equal: return fmt::format("{} == {} ? 1.0 : 0.0", a, b);
    case Code::not_equal: return fmt::format("{} != {} ? 1.0 : 0.0", a, b);
    case Code::select: return fmt::format("{} != 0 ? {} : {}", a, b, c);
    default: return "";
  }
}

// a program as statements; input and output name the places
std::string statements(const BasicProgram& p, const std::function<std::string(std::size_t)>& input, const std::function<std::string(std::size_t)>& output) {
  std::string text;
  const auto name = [&](Register r) {
    if (r < p.first_input()) return number(p.constants[r]);
    if (r < p.first_result()) return input(r - p.first_input());
    return fmt::format("r{}", r - p.first_result());
  };
  for (const Instruction& i : p.code) {
    if (i.code == Code::sine_cosine) {
      text += fmt::format("    double {0}, {1};\n    sincos({2}, &{0}, &{1});\n", name(i.targets[0]), name(i.targets[1]), name(i.operands[0]));
      continue;
    }
    const auto operand = [&](std::size_t k) { return k < i.reads ? name(i.operands[k]) : std::string(); };
    text += fmt::format("    const double {} = {};\n", name(i.targets[0]), expression(i.code, operand(0), operand(1), operand(2)));
  }
  for (std::size_t k = 0; k < p.outputs.size(); ++k) text += fmt::format("    {} = {};\n", output(k), name(p.outputs[k]));
  return text;
}

// f(i) for i = 0 .. count - 1 as a chain of conditions, which compilers resolve where loops are unrolled
std::string choice(int count, const std::function<std::string(int)>& value) {
  std::string text;
  for (int i = 0; i + 1 < count; ++i) text += fmt::format("i == {} ? {} : ", i, value(i));
  return text + (count > 0 ? value(count - 1) : "0");
}

std::string bits(const std::vector<unsigned char>& table, int row, int columns) {
  unsigned mask = 0;
  for (int j = 0; j < columns; ++j) mask |= unsigned(table[static_cast<std::size_t>(row * columns + j)] != 0) << j;
  return fmt::format("{}u", mask);
}

constexpr const char* prologue = R"kernel(// made by escapement
#if defined(__CUDACC__)
#define ESCAPEMENT_KERNEL __device__ __forceinline__
#define ESCAPEMENT_UNROLL _Pragma("unroll")
#else
#include <math.h>
#define ESCAPEMENT_KERNEL inline
#define ESCAPEMENT_UNROLL
#endif

namespace members {

ESCAPEMENT_KERNEL double select(bool which, double yes, double no) { return which ? yes : no; }
ESCAPEMENT_KERNEL bool any(bool x) { return x; }

)kernel";

constexpr const char* arguments_text = R"kernel(
struct Arguments {
  const double* parameters;
  double* state;
  const int* sample_step;
  const double *sample_part, *sample_time;
  double begin, step, end;
  int steps, samples, members;
  int from, to, sample;
};

)kernel";

constexpr const char* epilogue = R"kernel(
ESCAPEMENT_KERNEL void escapement_member(const Arguments& a, int member) {
  Machine k(a);
  double p[Machine::parameters > 0 ? Machine::parameters : 1];
  ESCAPEMENT_UNROLL
  for (int i = 0; i < Machine::parameters; ++i) p[i] = a.parameters[(long long)i * a.members + member];
  MemberState<Machine> s;
  MemberTally<Machine> tally;
  k.keep(p, s);
  long long slot = member;
  const auto exchange = [&](double& x, bool load) {
    if (load) x = a.state[slot]; else a.state[slot] = x;
    slot += a.members;
  };
  const auto all = [&](bool load) {
    slot = member;
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Machine::values(); ++i) exchange(k.best_[i], load);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Machine::values(); ++i) exchange(k.last_[i], load);
    exchange(tally.impacts, load);
    exchange(tally.failure, load);
    exchange(tally.failed_at, load);
    exchange(tally.work, load);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Machine::nv(); ++i) {
      exchange(s.q[i], load);
      exchange(s.v[i], load);
    }
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Machine::nu(); ++i) {
      exchange(s.lambda[i], load);
      double closed = s.closed[i] ? 1.0 : 0.0;
      exchange(closed, load);
      s.closed[i] = closed != 0;
    }
  };
  if (a.from == 0) {
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Machine::nu(); ++i) {
      s.lambda[i] = 0;
      s.closed[i] = false;
    }
    tally.impacts = tally.failure = tally.failed_at = tally.work = 0;
    check_start(k, s, tally);
    begin_samples(k, s);
  } else {
    all(true);
  }
  if (tally.failure == 0) march<Machine, Scheme>(k, a.from, a.to, a.sample, s, tally);
  all(false);
}

#if defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(BOUNDS) escapement_members(const Arguments a) {
  const int member = blockIdx.x * blockDim.x + threadIdx.x;
  if (member < a.members) escapement_member(a, member);
}
#else
extern "C" void escapement_members(const Arguments& a) {
  for (int member = 0; member < a.members; ++member) escapement_member(a, member);
}
#endif

}  // namespace members
)kernel";

// the machine of kernel/members.hpp for one member
std::string machine(const Ensemble& e) {
  const int n = e.v, rows = e.rows(), state = 1 + 2 * n;
  const auto of_state = [n](std::size_t i) {
    if (i == 0) return std::string("t");
    const int k = static_cast<int>(i) - 1;
    return k < n ? fmt::format("q[{}]", k) : fmt::format("v[{}]", k - n);
  };
  const auto input = [&](const char* kept, int inputs) {
    return [&, kept, inputs](std::size_t i) {
      if (static_cast<int>(i) < state) return of_state(i);
      return static_cast<int>(i) < inputs ? fmt::format("lambda[{}]", static_cast<int>(i) - state) : fmt::format("{}[{}]", kept, static_cast<int>(i) - inputs);
    };
  };
  const auto in = [](const char* array) { return [array](std::size_t i) { return fmt::format("{}[{}]", array, i); }; };
  const auto at_least_one = [](std::size_t size) { return std::max<std::size_t>(size, 1); };

  std::string s = "struct Machine {\n  typedef double R;\n  typedef bool B;\n";
  s += fmt::format("  static constexpr int most_v = {}, most_rows = {}, most_u = {}, parameters = {};\n", n, at_least_one(static_cast<std::size_t>(rows)), at_least_one(static_cast<std::size_t>(e.contacts)), e.parameters);
  const auto constant = [&](const char* type, const char* name, const std::string& argument, const std::string& value) {
    s += fmt::format("  ESCAPEMENT_KERNEL static constexpr {} {}({}) {{ return {}; }}\n", type, name, argument, value);
  };
  constant("int", "nv", "", std::to_string(n));
  constant("int", "nb", "", std::to_string(e.bilateral));
  constant("int", "nu", "", std::to_string(e.contacts));
  constant("bool", "coupled", "int i, int j", fmt::format("(({}) >> j & 1u) != 0", choice(n, [&](int i) { return bits(e.coupled, i, n); })));
  constant("bool", "acts", "int i, int j", fmt::format("(({}) >> j & 1u) != 0", rows > 0 ? choice(rows, [&](int i) { return bits(e.acts, i, n); }) : std::string("0u")));
  constant("double", "scale_q", "int i", choice(n, [&](int i) { return number(e.scale_q[static_cast<std::size_t>(i)]); }));
  constant("double", "scale_v", "int i", choice(n, [&](int i) { return number(e.scale_v[static_cast<std::size_t>(i)]); }));
  constant("int", "values", "", std::to_string(e.values()));
  constant("int", "reduction", "int i", choice(e.values(), [&](int i) { return std::to_string(e.reductions[static_cast<std::size_t>(i)]); }));
  s += R"kernel(  ESCAPEMENT_KERNEL static double magnitude(double x) { return fabs(x); }
  ESCAPEMENT_KERNEL static double no_number() { return nan(""); }

  const Arguments& a;
  ESCAPEMENT_KERNEL explicit Machine(const Arguments& given) : a(given) {}
  ESCAPEMENT_KERNEL double start() const { return a.begin; }
  ESCAPEMENT_KERNEL double step() const { return a.step; }
  ESCAPEMENT_KERNEL double end() const { return a.end; }
  ESCAPEMENT_KERNEL int steps() const { return a.steps; }
  ESCAPEMENT_KERNEL int samples() const { return a.samples; }
  ESCAPEMENT_KERNEL int sample_step(int i) const { return a.sample_step[i]; }
  ESCAPEMENT_KERNEL double sample_part(int i) const { return a.sample_part[i]; }
  ESCAPEMENT_KERNEL double sample_time(int i) const { return a.sample_time[i]; }
  ESCAPEMENT_KERNEL double M(int i, int j) const { return M_[packed(i, j)]; }
  ESCAPEMENT_KERNEL double f(int i) const { return f_[i]; }
  ESCAPEMENT_KERNEL double g(int r) const { return g_[r]; }
  ESCAPEMENT_KERNEL double G(int r, int j) const { return G_[r * nv() + j]; }
  ESCAPEMENT_KERNEL double g_t(int r) const { return g_t_[r]; }
  ESCAPEMENT_KERNEL double restitution(int i) const { return e_[i]; }
  ESCAPEMENT_KERNEL double value(int i) const { return value_[i]; }
  ESCAPEMENT_KERNEL double& best(int i) { return best_[i]; }
  ESCAPEMENT_KERNEL double& last(int i) { return last_[i]; }
)kernel";
  const auto array = [&](const char* name, std::size_t size) { s += fmt::format("  double {}[{}];\n", name, at_least_one(size)); };
  const auto un = static_cast<std::size_t>(n), ur = static_cast<std::size_t>(rows);
  array("M_", un * (un + 1) / 2);
  array("f_", un);
  array("g_", ur);
  array("G_", ur * un);
  array("g_t_", ur);
  array("e_", static_cast<std::size_t>(e.contacts));
  array("value_", e.reductions.size());
  array("best_", e.reductions.size());
  array("last_", e.reductions.size());
  array("kept_", e.terms.kept());
  array("kept_samples_", e.sample.kept());

  // start and what is kept of the parameters
  s += "\n  ESCAPEMENT_KERNEL void keep(const double* p, MemberState<Machine>& s) {\n    {\n";
  s += statements(e.start, in("p"), [n](std::size_t i) {
    const int k = static_cast<int>(i);
    return k < n ? fmt::format("s.q[{}]", k) : k < 2 * n ? fmt::format("s.v[{}]", k - n) : fmt::format("e_[{}]", k - 2 * n);
  });
  s += "    }\n    {\n" + statements(e.terms.once, in("p"), in("kept_")) + "    }\n    {\n" + statements(e.sample.once, in("p"), in("kept_samples_")) + "    }\n  }\n";

  s += "  ESCAPEMENT_KERNEL void terms(double t, const double* q, const double* v) {\n";
  s += statements(e.terms.every, input("kept_", state), [un, ur](std::size_t i) {
    for (const auto& [name, size] : {std::pair{"M_", un * (un + 1) / 2}, std::pair{"f_", un}, std::pair{"g_", ur}, std::pair{"G_", ur * un}}) {
      if (i < size) return fmt::format("{}[{}]", name, i);
      i -= size;
    }
    return fmt::format("g_t_[{}]", i);
  });
  s += "  }\n  ESCAPEMENT_KERNEL void sample(double t, const double* q, const double* v, const double* lambda) {\n";
  s += statements(e.sample.every, input("kept_samples_", state + e.contacts), in("value_"));
  return s + "  }\n};\n";
}

}  // namespace

std::string refuse_gpu(const Ensemble& e) {
  if (e.terms.uses_tables() || e.sample.uses_tables() || !e.start.calls.empty()) return "the model has tables, which kernels do not have";
  if (e.v > 30) return fmt::format("the model has {} coordinates, and kernels take at most 30", e.v);
  return "";
}

int gpu_slots(const Ensemble& e) { return 2 * e.values() + 4 + 2 * e.v + 2 * e.contacts; }

std::string gpu_source(const Ensemble& e, const GpuShape& shape) {
  constexpr const char* schemes[] = {"MoreauMidpoint<Machine>", "MoreauMidpointGgl<Machine>", "MoreauJean<Machine>", "RungeKutta<Machine, TableauRk4>", "RungeKutta<Machine, TableauHem5>"};
  const std::string bounds = shape.blocks > 0 ? fmt::format("{}, {}", shape.block, shape.blocks) : std::to_string(shape.block);
  return fmt::format("{}{}{}{}using Scheme = {};\n#define BOUNDS {}\n{}", prologue, kernel_source(), arguments_text, machine(e),
                     schemes[static_cast<int>(e.settings.scheme)], bounds, epilogue);
}

}  // namespace escapement
