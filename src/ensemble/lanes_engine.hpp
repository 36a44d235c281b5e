// The engine over lanes, for the set of instructions that the file including this is compiled for: ESCAPEMENT_LANES members at once.
// Everything here is local to that file.
#include <math.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "ensemble/lanes_job.hpp"
#include "math/program_forms.hpp"
#include "math/sine_cosine.hpp"

#define ESCAPEMENT_KERNEL inline __attribute__((always_inline))
#define ESCAPEMENT_UNROLL

namespace escapement::inline ensemble {
namespace {

constexpr int lanes = ESCAPEMENT_LANES;
typedef double Numbers __attribute__((vector_size(8 * ESCAPEMENT_LANES)));
typedef long long Whole __attribute__((vector_size(8 * ESCAPEMENT_LANES)));

#if defined(__AVX512F__)
struct Truth {
  __mmask8 bits;
};
inline Truth operator&(Truth a, Truth b) { return {__mmask8(a.bits & b.bits)}; }
inline Truth operator|(Truth a, Truth b) { return {__mmask8(a.bits | b.bits)}; }
inline Truth operator!(Truth a) { return {__mmask8(~a.bits)}; }
inline Truth operator!=(Truth a, Truth b) { return {__mmask8(a.bits ^ b.bits)}; }
inline bool any(Truth a) { return a.bits != 0; }
#define ESCAPEMENT_COMPARE(sign, code) \
  inline Truth operator sign(Lanes a, Lanes b) { return {_mm512_cmp_pd_mask(a.x, b.x, code)}; }
#else
struct Truth {
  Whole bits;
};
inline Truth operator&(Truth a, Truth b) { return {a.bits & b.bits}; }
inline Truth operator|(Truth a, Truth b) { return {a.bits | b.bits}; }
inline Truth operator!(Truth a) { return {~a.bits}; }
inline Truth operator!=(Truth a, Truth b) { return {a.bits ^ b.bits}; }
inline bool any(Truth a) {
#if defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)a.bits) != 0;
#else
  long long all = 0;
  for (int i = 0; i < lanes; ++i) all |= a.bits[i];
  return all != 0;
#endif
}
#define ESCAPEMENT_COMPARE(sign, code) \
  inline Truth operator sign(Lanes a, Lanes b) { return {a.x sign b.x}; }
#endif

struct Lanes {
  Numbers x;
  Lanes() = default;
  Lanes(Numbers numbers) : x(numbers) {}
  explicit Lanes(double all) : x(all - Numbers{}) {}
};
inline Lanes operator+(Lanes a, Lanes b) { return a.x + b.x; }
inline Lanes operator-(Lanes a, Lanes b) { return a.x - b.x; }
inline Lanes operator*(Lanes a, Lanes b) { return a.x * b.x; }
inline Lanes operator/(Lanes a, Lanes b) { return a.x / b.x; }
inline Lanes operator-(Lanes a) { return -a.x; }
ESCAPEMENT_COMPARE(<, _CMP_LT_OQ)
ESCAPEMENT_COMPARE(>, _CMP_GT_OQ)
ESCAPEMENT_COMPARE(<=, _CMP_LE_OQ)
ESCAPEMENT_COMPARE(==, _CMP_EQ_OQ)
ESCAPEMENT_COMPARE(!=, _CMP_NEQ_UQ)
inline Lanes select(Truth which, Lanes yes, Lanes no) {
#if defined(__AVX512F__)
  return Numbers(_mm512_mask_blend_pd(which.bits, no.x, yes.x));
#else
  return Numbers((which.bits & (Whole)yes.x) | (~which.bits & (Whole)no.x));
#endif
}
inline Lanes magnitude_of(Lanes a) { return Numbers((Whole)a.x & 0x7fffffffffffffffll); }

#include "ensemble/kernel/members.hpp"
#include "ensemble/kernel/mass_factors.hpp"
#include "ensemble/kernel/rows.hpp"
#include "ensemble/kernel/time_stepping.hpp"
#include "ensemble/kernel/iteration_end.hpp"
#include "ensemble/kernel/moreau_midpoint.hpp"
#include "ensemble/kernel/moreau_jean.hpp"
#include "ensemble/kernel/moreau_midpoint_ggl.hpp"
#include "ensemble/kernel/runge_kutta.hpp"
#include "ensemble/kernel/march.hpp"

// ---------------------------------------------------------------------------------------------------------------------------------
// functions

template <class F>
inline Lanes each(Lanes a, F f) {
  for (int i = 0; i < lanes; ++i) a.x[i] = f(a.x[i]);
  return a;
}
template <class F>
inline Lanes each(Lanes a, Lanes b, F f) {
  for (int i = 0; i < lanes; ++i) a.x[i] = f(a.x[i], b.x[i]);
  return a;
}
inline Lanes root(Lanes a) {
#if defined(__AVX512F__)
  return Numbers(_mm512_sqrt_pd(a.x));
#elif defined(__AVX2__)
  return Numbers(_mm256_sqrt_pd(a.x));
#else
  return each(a, [](double x) { return ::sqrt(x); });
#endif
}

// what single runs do (math/sine_cosine.hpp): every width gives the same bits
inline void sine_cosine(Lanes x, Lanes& sine, Lanes& cosine) {
  using K = SineCosine;
  if (__builtin_expect(any(!(magnitude_of(x) < Lanes(K::most_quarters))), 0)) {
    for (int i = 0; i < lanes; ++i) {
      const double angle = x.x[i];
      sine.x[i] = ::sin(angle);
      cosine.x[i] = ::cos(angle);
    }
    return;
  }
  const Lanes big(K::rounder);
  const Lanes shifted = x * Lanes(K::quarters) + big, n = shifted - big;
  const Whole quarter = (Whole)shifted.x;
  const Lanes r = x - n * Lanes(K::quarter[0]);
  const Lanes second = n * Lanes(K::quarter[1]), r2 = r - second;
  const Lanes third = n * Lanes(K::quarter[2]) - ((r - r2) - second);
  const Lanes y = r2 - third, low = (r2 - y) - third;
  const Lanes z = y * y;
  Lanes s(K::S[5]), c(K::C[5]);
  for (int k = 4; k > 0; --k) s = Lanes(K::S[k]) + z * s;
  for (int k = 4; k >= 0; --k) c = Lanes(K::C[k]) + z * c;
  c = z * c;
  const Lanes v = z * y, half(0.5), one(1.0);
  const Lanes sin_y = y - ((z * (half * low - v * s) - low) - v * Lanes(K::S[0]));
  const Lanes hz = half * z, w = one - hz;
  const Lanes cos_y = w + (((one - w) - hz) + (z * c - y * low));
  const Whole odd = (quarter & 1) != 0, sine_sign = (quarter & 2) << 62, cosine_sign = ((quarter + 1) & 2) << 62;
  const Whole a = (odd & (Whole)cos_y.x) | (~odd & (Whole)sin_y.x), b = (odd & (Whole)sin_y.x) | (~odd & (Whole)cos_y.x);
  sine.x = (Numbers)(a ^ sine_sign);
  cosine.x = (Numbers)(b ^ cosine_sign);
}
inline Lanes sine_of(Lanes x) {
  Lanes s, c;
  sine_cosine(x, s, c);
  return s;
}
inline Lanes cosine_of(Lanes x) {
  Lanes s, c;
  sine_cosine(x, s, c);
  return c;
}
inline Lanes truth(Truth t) { return select(t, Lanes(1.0), Lanes(0.0)); }
inline Lanes sign_of(Lanes a) { return truth(a > Lanes(0.0)) - truth(a < Lanes(0.0)); }

// ---------------------------------------------------------------------------------------------------------------------------------
// programs

using LookUp = double (*)(const void* calls, uint32_t call, double x);

inline Lanes look_up(LookUp table, const void* calls, uint32_t call, Lanes x) {
  for (int i = 0; i < lanes; ++i) x.x[i] = table(calls, call, x.x[i]);
  return x;
}

// the basic operations in the order of Code, but for sine_cosine
// clang-format off
#define ESCAPEMENT_FIRST_OPERATIONS(X)                                                                                      \
  X(copy, A) X(add, A + B) X(subtract, A - B) X(multiply, A * B) X(divide, A / B) X(negate, -A) X(square_root, root(A))
#define ESCAPEMENT_LAST_OPERATIONS(X)                                                                                       \
  X(sine, sine_of(A)) X(cosine, cosine_of(A))                                                                               \
  X(tangent, each(A, [](double x) { return ::tan(x); })) X(arc_sine, each(A, [](double x) { return ::asin(x); }))           \
  X(arc_cosine, each(A, [](double x) { return ::acos(x); })) X(arc_tangent, each(A, [](double x) { return ::atan(x); }))    \
  X(hyperbolic_sine, each(A, [](double x) { return ::sinh(x); }))                                                           \
  X(hyperbolic_cosine, each(A, [](double x) { return ::cosh(x); }))                                                         \
  X(hyperbolic_tangent, each(A, [](double x) { return ::tanh(x); }))                                                        \
  X(exponential, each(A, [](double x) { return ::exp(x); })) X(logarithm, each(A, [](double x) { return ::log(x); }))       \
  X(absolute, magnitude_of(A)) X(sign, sign_of(A)) X(table, look_up(look, program.calls, i->call, A))                       \
  X(arc_tangent2, each(A, B, [](double x, double y) { return ::atan2(x, y); }))                                             \
  X(power, each(A, B, [](double x, double y) { return ::pow(x, y); })) X(minimum, select(B < A, B, A))                      \
  X(maximum, select(A < B, B, A)) X(less, truth(A < B)) X(less_equal, truth(A <= B)) X(equal, truth(A == B))                \
  X(not_equal, truth(A != B)) X(choice, select(A != Lanes(0.0), B, C))
// clang-format on

#define A (*(const Lanes*)(r + i->operands[0]))
#define B (*(const Lanes*)(r + i->operands[1]))
#define C (*(const Lanes*)(r + i->operands[2]))
#define D (*(const Lanes*)(r + i->operands[3]))
#define E (*(const Lanes*)(r + i->operands[4]))
#define F (*(const Lanes*)(r + i->operands[5]))

// instructions are executed by jumping from handler to handler; instrumenting them takes compilers minutes
__attribute__((noinline, no_sanitize("undefined", "address"))) void execute(const LaneProgram& program, Lanes* registers, Lanes* outputs, LookUp look) {
#define ESCAPEMENT_LIST(label, form, expression) &&label##_register, &&label##_output, &&label##_both,
#define ESCAPEMENT_LIST_OPERATION(code, expression) ESCAPEMENT_LIST(code, , expression)
  static const void* const handlers[] = {
      ESCAPEMENT_FORMS(ESCAPEMENT_LIST) ESCAPEMENT_FIRST_OPERATIONS(ESCAPEMENT_LIST_OPERATION) &&sine_and_cosine,
      &&sine_and_cosine, &&sine_and_cosine, ESCAPEMENT_LAST_OPERATIONS(ESCAPEMENT_LIST_OPERATION) && finish};
  char* const r = (char*)registers;
  char* const out = (char*)outputs;
  const LaneInstruction* i = program.code;
  goto* handlers[i->operation];
#define ESCAPEMENT_NEXT \
  ++i;                  \
  goto* handlers[i->operation]
#define ESCAPEMENT_HANDLE(label, form, expression)                                           \
  label##_register : *(Lanes*)(r + i->targets[0]) = expression;                              \
  ESCAPEMENT_NEXT;                                                                           \
  label##_output : *(Lanes*)(out + i->targets[0]) = expression;                              \
  ESCAPEMENT_NEXT;                                                                           \
  label##_both : *(Lanes*)(r + i->targets[0]) = *(Lanes*)(out + i->targets[1]) = expression; \
  ESCAPEMENT_NEXT;
#define ESCAPEMENT_HANDLE_OPERATION(code, expression) ESCAPEMENT_HANDLE(code, , expression)
  ESCAPEMENT_FORMS(ESCAPEMENT_HANDLE)
  ESCAPEMENT_FIRST_OPERATIONS(ESCAPEMENT_HANDLE_OPERATION)
  ESCAPEMENT_LAST_OPERATIONS(ESCAPEMENT_HANDLE_OPERATION)
sine_and_cosine : {
  Lanes sine, cosine;
  sine_cosine(A, sine, cosine);
  *(Lanes*)(r + i->targets[0]) = sine;
  *(Lanes*)(r + i->targets[1]) = cosine;
}
  ESCAPEMENT_NEXT;
finish:
  return;
}

#undef A
#undef B
#undef C
#undef D
#undef E
#undef F

// ---------------------------------------------------------------------------------------------------------------------------------
// members

// registers of all programs of one group of members, in one block
class Memory {
 public:
  explicit Memory(size_t numbers) : block_(static_cast<char*>(__builtin_malloc((numbers + 1) * sizeof(Lanes)))) {
    next_ = (Lanes*)(((uintptr_t)block_ + sizeof(Lanes) - 1) / sizeof(Lanes) * sizeof(Lanes));
  }
  ~Memory() { __builtin_free(block_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Lanes* take(size_t count) {
    Lanes* const here = next_;
    next_ += count;
    return here;
  }

 private:
  char* block_;
  Lanes* next_;
};

// a program with its registers, in which constants stand, and its outputs
struct Prepared {
  const LaneProgram* program = nullptr;
  Lanes *registers = nullptr, *inputs = nullptr, *outputs = nullptr;

  static size_t size(const LaneProgram& p) { return p.register_count + p.output_count; }
  void prepare(const LaneProgram& p, Memory& memory) {
    program = &p;
    registers = memory.take(p.register_count);
    outputs = memory.take(p.output_count);
    inputs = registers + p.constant_count;
    for (size_t i = 0; i < p.constant_count; ++i) registers[i] = Lanes(p.constants[i]);
    for (size_t i = 0; i < p.output_count; ++i) outputs[i] = Lanes(p.fixed_outputs ? p.fixed_outputs[i] : 0.0);
  }
  void run(LookUp look) { execute(*program, registers, outputs, look); }
};

struct PreparedPair {
  Prepared once, every;
  static size_t size(const LanePair& p) { return Prepared::size(p.once) + Prepared::size(p.every); }
  void prepare(const LanePair& p, Memory& memory) {
    once.prepare(p.once, memory);
    every.prepare(p.every, memory);
  }
  // the values kept of the parameters stand behind the state
  void begin(const Lanes* parameters, size_t state, LookUp look) {
    if (!every.program->code) return;
    for (size_t i = 0; i < once.program->input_count; ++i) once.inputs[i] = parameters[i];
    once.run(look);
    for (size_t i = 0; i < once.program->output_count; ++i) every.inputs[state + i] = once.outputs[i];
  }
};

struct LaneMachine {
  using R = Lanes;
  using B = Truth;
  static constexpr int most_v = most_lane_v, most_rows = most_lane_rows, most_u = most_rows;
  int nv() const { return job->v; }
  int nb() const { return job->bilateral; }
  int nu() const { return job->contacts; }
  bool coupled(int i, int j) const { return job->coupled[i * nv() + j]; }
  bool acts(int r, int j) const { return job->acts[r * nv() + j]; }
  static Lanes magnitude(Lanes x) { return magnitude_of(x); }
  static double no_number() { return __builtin_nan(""); }

  void terms(double t, const Lanes* q, const Lanes* v) {
    put_state(terms_.every.inputs, t, q, v);
    terms_.every.run(job->table);
  }
  Lanes M(int i, int j) const { return terms_.every.outputs[packed(i, j)]; }
  Lanes f(int i) const { return terms_.every.outputs[f_at + i]; }
  Lanes g(int r) const { return terms_.every.outputs[g_at + r]; }
  Lanes G(int r, int j) const { return terms_.every.outputs[G_at + r * nv() + j]; }
  Lanes g_t(int r) const { return terms_.every.outputs[g_t_at + r]; }
  Lanes restitution(int i) const { return start_.outputs[2 * nv() + i]; }
  double scale_q(int i) const { return job->scale_q[i]; }
  double scale_v(int i) const { return job->scale_v[i]; }

  void sample(double t, const Lanes* q, const Lanes* v, const Lanes* lambda) {
    Lanes* in = put_state(sample_.every.inputs, t, q, v);
    for (int i = 0; i < nu(); ++i) in[i] = lambda[i];
    sample_.every.run(job->table);
  }
  int values() const { return job->values; }
  Lanes value(int i) const { return sample_.every.outputs[i]; }
  int reduction(int i) const { return job->reductions[i]; }
  Lanes& best(int i) { return best_[i]; }
  Lanes& last(int i) { return last_[i]; }

  double start() const { return job->begin; }
  double step() const { return job->step; }
  double end() const { return job->end; }
  int steps() const { return job->steps; }
  int samples() const { return job->samples; }
  int sample_step(int k) const { return job->sample_step[k]; }
  double sample_part(int k) const { return job->sample_part[k]; }
  double sample_time(int k) const { return job->sample_time[k]; }

  LaneMachine(const LaneJob& j, Memory& memory) : job(&j) {
    const int n = nv(), rows = nb() + nu();
    f_at = n * (n + 1) / 2;
    g_at = f_at + n;
    G_at = g_at + rows;
    g_t_at = G_at + rows * n;
    start_.prepare(j.start, memory);
    terms_.prepare(j.terms, memory);
    sample_.prepare(j.sample, memory);
    best_ = memory.take(size_t(j.values));
    last_ = memory.take(size_t(j.values));
  }
  static size_t size(const LaneJob& j) {
    return Prepared::size(j.start) + PreparedPair::size(j.terms) + PreparedPair::size(j.sample) + 2 * size_t(j.values);
  }

  // members side by side: their parameters and their start
  void begin(const size_t* members, MemberState<LaneMachine>& s, MemberTally<LaneMachine>& tally) {
    for (int p = 0; p < job->parameters; ++p)
      for (int l = 0; l < lanes; ++l) start_.inputs[p].x[l] = job->parameter[members[l] * size_t(job->parameters) + size_t(p)];
    start_.run(job->table);
    terms_.begin(start_.inputs, 1 + 2 * size_t(nv()), job->table);
    sample_.begin(start_.inputs, 1 + 2 * size_t(nv()) + size_t(nu()), job->table);
    for (int i = 0; i < nv(); ++i) {
      s.q[i] = start_.outputs[i];
      s.v[i] = start_.outputs[nv() + i];
    }
    for (int i = 0; i < nu(); ++i) {
      s.lambda[i] = Lanes(0.0);
      s.closed[i] = Lanes(0.0) > Lanes(0.0);
    }
    tally.impacts = tally.failure = tally.failed_at = tally.work = Lanes(0.0);
  }

 private:
  Lanes* put_state(Lanes* in, double t, const Lanes* q, const Lanes* v) {
    *in++ = Lanes(t);
    for (int i = 0; i < nv(); ++i) *in++ = q[i];
    for (int i = 0; i < nv(); ++i) *in++ = v[i];
    return in;
  }

  const LaneJob* job;
  Prepared start_;
  PreparedPair terms_, sample_;
  Lanes *best_ = nullptr, *last_ = nullptr;
  int f_at = 0, g_at = 0, G_at = 0, g_t_at = 0;
};

template <class K, class Scheme>
__attribute__((noinline)) void run_members(const LaneJob& job, size_t first, size_t count) {
  Memory memory(K::size(job));
  K k(job, memory);
  constexpr int some_steps = 256;
  for (size_t group = 0; group < count; group += lanes) {
    size_t members[lanes];
    for (int l = 0; l < lanes; ++l) members[l] = first + (group + l < count ? group + l : count - 1);
    MemberState<K> s;
    MemberTally<K> tally;
    k.begin(members, s, tally);
    check_start(k, s, tally);
    begin_samples(k, s);
    int sample = 0;
    for (int n = 0; n < job.steps; n += some_steps) {
      if (job.stop(job.stop_context)) return;
      sample = march<K, Scheme>(k, n, n + some_steps < job.steps ? n + some_steps : job.steps, sample, s, tally);
    }
    for (int l = 0; l < lanes; ++l) {
      const size_t m = members[l];
      for (int i = 0; i < job.values; ++i) {
        const double best = k.best(i).x[l], span = job.samples > 0 ? job.sample_time[job.samples - 1] - job.begin : 0;
        job.value[m * size_t(job.values) + size_t(i)] =
            job.reductions[i] != reduce_mean ? best : span > 0 ? best / span : k.last(i).x[l];
      }
      job.impacts[m] = tally.impacts.x[l];
      job.failure[m] = tally.failure.x[l];
      job.failed_at[m] = tally.failed_at.x[l];
      job.work[m] = tally.work.x[l];
    }
  }
}

void run_lanes_here(const LaneJob& job, size_t first, size_t count) {
  switch (job.scheme) {
    case 0: return run_members<LaneMachine, MoreauMidpoint<LaneMachine>>(job, first, count);
    case 1: return run_members<LaneMachine, MoreauMidpointGgl<LaneMachine>>(job, first, count);
    case 2: return run_members<LaneMachine, MoreauJean<LaneMachine>>(job, first, count);
    case 3: return run_members<LaneMachine, RungeKutta<LaneMachine, TableauRk4>>(job, first, count);
    case 4: return run_members<LaneMachine, RungeKutta<LaneMachine, TableauHem5>>(job, first, count);
  }
}

}  // namespace
}  // namespace escapement
