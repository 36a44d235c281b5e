// Systems and schemes written in Python.
#include "binding.hpp"
#include "math/saddle_solver.hpp"

namespace escapement::python {

namespace {

constexpr double small = 6e-6;  // of differences: the cube root of the rounding of doubles

py::object state_object(const State& s) {
  static py::handle kind = py::object(py::module_::import("escapement.system").attr("State")).release();
  return kind(s.t, copy_of(s.q), copy_of(s.v), copy_of(s.z));
}

// asks an object of Python for the terms; every call holds the interpreter. Derivatives are central differences
class WrittenSystem : public System {
 public:
  WrittenSystem(py::object self, Dim dim, Names names, std::vector<ContactLaw> contacts)
      : self_(std::move(self)), dim_(dim), names_(std::move(names)), contacts_(std::move(contacts)) {
    for (const auto& [name, flag] : {std::pair{"curvature", &has_curvature_}, std::pair{"drive_rate", &has_drive_},
                                     std::pair{"energy", &has_energy_}, std::pair{"slip_drive", &has_slip_drive_}})
      *flag = py::bool_(py::hasattr(self_, name));
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  std::span<const ContactLaw> contacts() const override { return contacts_; }

  void prepare(Terms& T) const override;
  void prepare(Tangent& D) const override;
  void evaluate(const State&, Need, Terms&) const override;
  void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const override;
  Energy energy(const State& s, Terms& T) const override;

 private:
  py::object ask(const char* what, const py::object& at) const { return self_.attr(what)(at); }
  // of rows and slips at constant v, along the motion
  void curvature(const State&, Vec* kappa, Vec* kappa_T) const;
  // M w - f - G^T mu - T^T mu_T of the parts asked for
  void balance(const State&, const Vec& w, const Vec& mu, Parts, Terms&, Vec& out) const;
  void rates(const State&, Terms&, Vec& out) const;  // G v + g_t, T v + t0
  double potential(const State& s) const;
  double step_of(double x) const { return small * (1 + std::abs(x)); }

  py::object self_;
  Dim dim_;
  Names names_;
  std::vector<ContactLaw> contacts_;
  bool has_curvature_ = false, has_drive_ = false, has_energy_ = false, has_slip_drive_ = false;
};

void WrittenSystem::prepare(Terms& T) const { size_dense(dim_, T); }
void WrittenSystem::prepare(Tangent& D) const { size_dense(dim_, D); }

void WrittenSystem::evaluate(const State& s, Need need, Terms& T) const {
  const py::gil_scoped_acquire gil;
  const py::object at = state_object(s);
  if (has(need, Need::mass)) assign(ask("mass", at), T.M, "mass(s)");
  if (has(need, Need::force)) {
    assign(ask("force", at), T.f, "force(s)");
    if (dim_.z > 0) assign(ask("state_rates", at), T.zdot, "state_rates(s)");
  }
  if (dim_.rows() > 0) {
    if (has(need, Need::gap)) assign(ask("gap", at), T.g, "gap(s)");
    if (has(need, Need::jacobian)) {
      assign(ask("jacobian", at), T.G, "jacobian(s)");
      if (has_drive_) assign(ask("drive_rate", at), T.g_t, "drive_rate(s)");
    }
  }
  if (dim_.slip > 0 && has(need, Need::slip)) {
    assign(ask("slip", at), T.T, "slip(s)");
    if (has_slip_drive_) assign(ask("slip_drive", at), T.t0, "slip_drive(s)");
  }
  const bool rows = dim_.rows() > 0 && has(need, Need::curvature), slips = dim_.slip > 0 && has(need, Need::slip_rate);
  if (rows && has_curvature_) assign(ask("curvature", at), T.kappa, "curvature(s)");
  if ((rows && !has_curvature_) || slips) curvature(s, rows && !has_curvature_ ? &T.kappa : nullptr, slips ? &T.kappa_T : nullptr);
}

void WrittenSystem::rates(const State& s, Terms& T, Vec& out) const {
  evaluate(s, dim_.slip > 0 ? Need::jacobian | Need::slip : Need::jacobian, T);
  out.setZero(dim_.multipliers());
  out.head(dim_.rows()) = T.g_t;
  T.G.dense().rows() > 0 ? void(out.head(dim_.rows()) += T.G.dense() * s.v) : void();
  if (dim_.slip > 0) out.tail(dim_.slip) = T.T.dense() * s.v + T.t0;
}

void WrittenSystem::curvature(const State& s, Vec* kappa, Vec* kappa_T) const {
  const double speed = s.v.size() ? s.v.cwiseAbs().maxCoeff() : 0, size = s.q.size() ? s.q.cwiseAbs().maxCoeff() : 0;
  const double h = small * (1 + size) / (1 + speed);
  State at = s;
  Terms T;
  prepare(T);
  Vec before, after;
  at.t = s.t - h, at.q = s.q - h * s.v;
  rates(at, T, before);
  at.t = s.t + h, at.q = s.q + h * s.v;
  rates(at, T, after);
  const Vec slope = (after - before) / (2 * h);
  if (kappa) *kappa = slope.head(dim_.rows());
  if (kappa_T) *kappa_T = slope.tail(dim_.slip);
}

void WrittenSystem::balance(const State& s, const Vec& w, const Vec& mu, Parts parts, Terms& T, Vec& out) const {
  out.setZero(dim_.v);
  if (has(parts, Parts::mass)) {
    evaluate(s, Need::mass, T);
    out += T.M.dense() * w;
  }
  if (has(parts, Parts::force)) {
    evaluate(s, Need::force, T);
    out -= T.f;
  }
  if (has(parts, Parts::constraint) && dim_.multipliers() > 0) {
    evaluate(s, dim_.slip > 0 ? Need::jacobian | Need::slip : Need::jacobian, T);
    out -= T.G.dense().transpose() * mu.head(dim_.rows());
    if (dim_.slip > 0) out -= T.T.dense().transpose() * mu.tail(dim_.slip);
  }
}

void WrittenSystem::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  Terms T;
  prepare(T);
  State at = s;
  Vec a, b;
  D.K.set_zero();
  D.D.set_zero();
  // column j of each matrix: slopes along q_j, v_j, z_j
  const auto slopes = [&](double& x, auto value, auto put) {
    const double x0 = x, h = step_of(x0);
    x = x0 - h;
    value(a);
    x = x0 + h;
    value(b);
    x = x0;
    put(Vec((b - a) / (2 * h)));
  };
  const auto forces = [&](Vec& out) {
    evaluate(at, Need::force, T);
    out.resize(dim_.v + dim_.z);
    out << T.f, T.zdot;
  };
  for (int j = 0; j < dim_.v; ++j) {
    if ((unsigned(parts) & unsigned(Parts::all)) != 0)
      slopes(at.q[j], [&](Vec& out) { balance(at, w, mu, parts, T, out); }, [&](const Vec& x) { D.K.dense().col(j) = x; });
    if (has(parts, Parts::force)) {
      slopes(at.v[j], forces, [&](const Vec& x) {
        D.D.dense().col(j) = -x.head(dim_.v);
        if (dim_.z > 0) D.zdot_v.col(j) = x.tail(dim_.z);
      });
      if (dim_.z > 0) slopes(at.q[j], forces, [&](const Vec& x) { D.zdot_q.col(j) = x.tail(dim_.z); });
    }
    if (has(parts, Parts::velocity_rows) && dim_.multipliers() > 0)
      slopes(at.q[j], [&](Vec& out) { rates(at, T, out); }, [&](const Vec& x) { D.V_q.dense().col(j) = x; });
    if (has(parts, Parts::curvature_rows) && dim_.rows() > 0) {
      const auto kappa = [&](Vec& out) {
        evaluate(at, Need::curvature, T);
        out = T.kappa;
      };
      slopes(at.q[j], kappa, [&](const Vec& x) { D.kappa_q.dense().col(j) = x; });
      slopes(at.v[j], kappa, [&](const Vec& x) { D.kappa_v.dense().col(j) = x; });
    }
  }
  if (has(parts, Parts::force))
    for (int j = 0; j < dim_.z; ++j)
      slopes(at.z[j], forces, [&](const Vec& x) {
        D.f_z.col(j) = x.head(dim_.v);
        D.zdot_z.col(j) = x.tail(dim_.z);
      });
}

double WrittenSystem::potential(const State& s) const {
  const py::gil_scoped_acquire gil;
  return has_energy_ ? self_.attr("energy")(state_object(s)).cast<double>() : 0.0;
}

// the rate of kinetic and potential energy: power of the forces and of drives, less what moves within the system
Energy WrittenSystem::energy(const State& s, Terms& T) const {
  evaluate(s, dim_.rows() > 0 ? Need::mass | Need::force | Need::jacobian : Need::mass | Need::force, T);
  Energy e;
  e.kinetic = 0.5 * s.v.dot(T.M.dense() * s.v);
  e.potential = potential(s);
  e.power = s.v.dot(T.f);
  for (int i = 0; i < dim_.bilateral; ++i) e.power += s.lambda[i] * T.G.dense().row(i).dot(s.v);
  const double speed = s.v.size() ? s.v.cwiseAbs().maxCoeff() : 0, size = s.q.size() ? s.q.cwiseAbs().maxCoeff() : 0;
  const double h = small * (1 + size) / (1 + speed);
  State at = s;
  double sum = 0;
  for (const double side : {-1.0, 1.0}) {
    at.t = s.t + side * h, at.q = s.q + side * h * s.v;
    evaluate(at, Need::mass, T);
    sum += side * (0.5 * s.v.dot(T.M.dense() * s.v) + potential(at));
  }
  e.power += sum / (2 * h);
  return e;
}

// what a scheme written in Python is given: a system for as long as one call lasts
struct SystemView {
  const System* system = nullptr;
  Terms terms;
  SaddleSolver kkt;
  State at;

  void look(const System& now) {
    if (system != &now) {
      now.prepare(terms);
      kkt.resize(now.dim().v, now.dim().rows());
      at = make_state(now.dim());
    }
    system = &now;
  }
  const System& now() const {
    if (!system) throw std::runtime_error("the system of a scheme can be asked within start and step only");
    return *system;
  }
  void place(double t, const py::object& q, const py::object& v, const py::object& z) {
    at.t = t;
    assign(q, at.q, "q");
    assign(v, at.v, "v");
    if (at.z.size() > 0) assign(z, at.z, "z");
  }
  bool accelerate(State& s) {
    const Dim& dim = now().dim();
    now().evaluate(s, dim.rows() > 0 ? Need::mass | Need::force | Need::jacobian | Need::curvature : Need::mass | Need::force, terms);
    if (!kkt.factor(terms.M, terms.top(), terms.G)) return false;
    Vec lambda = Vec::Zero(dim.rows()), right = -terms.kappa;
    kkt.solve(terms.f, right, s.vdot, lambda);
    s.lambda.setZero();
    s.lambda.head(dim.rows()) = lambda;
    return true;
  }
};

class WrittenScheme : public Scheme {
 public:
  explicit WrittenScheme(py::object self) : self_(std::move(self)) {
    const auto text = [&](const char* name) { return self_.attr(name).cast<std::string>(); };
    info_.id = text("id");
    info_.description = text("description");
    info_.paper = "ours";
    info_.equations = "-";
    info_.order = self_.attr("order").cast<int>();
    info_.error_power = self_.attr("error_power").cast<int>();
    info_.index = 1;
    view_ = std::make_shared<SystemView>();
  }
  ~WrittenScheme() override { view_->system = nullptr; }
  const SchemeInfo& info() const override { return info_; }

  void start(const System& system, State& s) override {
    const py::gil_scoped_acquire gil;
    view_->look(system);
    view_->accelerate(s);
    s.memory.vectors.clear();
    s.memory.numbers.clear();
    self_.attr("start")(view_, state_object(s));
  }

  StepReport step(const System& system, const State& s, double h, State& s1) override {
    const py::gil_scoped_acquire gil;
    StepReport report;
    view_->look(system);
    py::object made;
    try {
      made = self_.attr("step")(view_, state_object(s), h);
    } catch (py::error_already_set& error) {
      if (!error.matches(py::module_::import("escapement.errors").attr("StepFailed"))) throw;
      report.status = Status::newton_failed;
      return report;
    }
    if (!py::hasattr(made, "q") || !py::hasattr(made, "v"))
      throw py::type_error(info_.id + ".step(system, s, h) must return an escapement.Step, not " + py::repr(made).cast<std::string>());
    s1 = s;
    s1.t = s.t + h;
    assign(made.attr("q"), s1.q, "q of a step");
    assign(made.attr("v"), s1.v, "v of a step");
    if (s1.z.size() > 0) assign(made.attr("z"), s1.z, "z of a step");
    system.normalize(s1.q);
    report.error = made.attr("error").cast<double>();
    report.linear_solves = 1;
    if (!s1.q.allFinite() || !s1.v.allFinite()) report.status = Status::not_finite;
    else if (!view_->accelerate(s1)) report.status = Status::singular_matrix;
    return report;
  }

 private:
  py::object self_;
  SchemeInfo info_;
  std::shared_ptr<SystemView> view_;
};

std::shared_ptr<Loaded> load_system(const py::object& self, const py::dict& spec) {
  using Words = std::vector<std::string>;
  Dim dim;
  Names names;
  names.q = names.v = spec["coordinates"].cast<Words>();
  names.z = spec["states"].cast<Words>();
  names.multipliers = spec["constraints"].cast<Words>();
  dim.q = dim.v = static_cast<int>(names.q.size());
  dim.z = static_cast<int>(names.z.size());
  dim.bilateral = static_cast<int>(names.multipliers.size());
  std::vector<ContactLaw> laws;
  for (const auto& [name, restitution, friction] : spec["contacts"].cast<std::vector<std::tuple<std::string, double, double>>>()) {
    names.multipliers.push_back(name);
    laws.push_back({.name = name, .restitution = restitution, .friction = friction});
    if (friction > 0) laws.back().slip = dim.slip++;
    ++dim.unilateral;
  }
  for (const ContactLaw& law : laws)
    if (law.slip >= 0) add_slip_names(law, names);
  auto loaded = std::make_shared<Loaded>();
  loaded->owner = self;
  Model& model = loaded->model;
  model.name = spec["name"].cast<std::string>();
  model.file = spec["file"].cast<std::string>();
  model.kind = "system written in Python";
  model.start = make_state(dim);
  model.start.t = 0;
  assign(spec["q"], model.start.q, "the start");
  assign(spec["v"], model.start.v, "the rates at the start");
  if (dim.z > 0) assign(spec["z"], model.start.z, "the states at the start");
  const Overrides given = overrides_of(spec["overrides"].cast<py::dict>());
  const auto number = [](const std::string& text) { return std::stod(text); };
  Settings& settings = model.settings;
  if (given.scheme) settings.scheme = *given.scheme;
  if (given.step) settings.step = number(*given.step);
  if (given.tolerance) settings.tolerance = number(*given.tolerance);
  if (given.end) settings.end = number(*given.end);
  for (const auto& [name, text] : given.options) {
    try {
      std::size_t used = 0;
      const double value = std::stod(text, &used);
      settings.options[name] = used == text.size() ? OptionValue(value) : OptionValue(text);
    } catch (const std::logic_error&) {
      settings.options[name] = text;
    }
  }
  model.overrides = given;
  model.explicit_terms.fill = [](const State& s, double* inputs) { *inputs = s.t; };
  model.system = std::make_unique<WrittenSystem>(self, dim, names, laws);
  Terms T;
  model.system->prepare(T);
  if (dim.rows() > 0) {
    model.system->evaluate(model.start, Need::gap | Need::jacobian, T);
    Vec rates = Vec::Zero(dim.rows());
    velocity_rows(T, model.start.v, rates);
    constexpr double rough = 1e-6;
    for (int i = 0; i < dim.rows(); ++i) {
      const bool contact = i >= dim.bilateral;
      const double g = contact ? std::min(T.g[i], 0.0) : T.g[i], rate = contact ? 0 : rates[i];
      if (std::abs(g) > rough || std::abs(rate) > rough)
        throw py::value_error(fmt::format("the start does not satisfy '{}': it is {:.3g}, its rate {:.3g}", names.multipliers[static_cast<std::size_t>(i)], g, rate));
    }
  }
  return loaded;
}

}  // namespace

std::unique_ptr<Scheme> make_scheme(const py::object& written) { return std::make_unique<WrittenScheme>(written); }

void bind_systems(py::module_& m) {
  m.def("load_system", &load_system);
  py::class_<SystemView, std::shared_ptr<SystemView>>(m, "SystemView", "The system of a scheme's start and step.")
      .def(
          "accelerate",
          [](SystemView& view, double t, const py::object& q, const py::object& v, const py::object& z) {
            view.place(t, q, v, z);
            if (!view.accelerate(view.at)) {
              const py::object kind = py::module_::import("escapement.errors").attr("StepFailed");
              PyErr_SetString(kind.ptr(), "the mass matrix is singular");
              throw py::error_already_set();
            }
            return py::make_tuple(copy_of(view.at.vdot), copy_of(view.at.lambda), copy_of(view.terms.zdot));
          },
          py::arg("t"), py::arg("q"), py::arg("v"), py::arg("z") = py::tuple(),
          "Accelerations, multipliers and rates of states that the equations of motion give.")
      .def(
          "rate",
          [](SystemView& view, const py::object& q, const py::object& v) {
            assign(q, view.at.q, "q");
            assign(v, view.at.v, "v");
            Vec rate = view.at.q;
            view.now().rate(view.at.q, view.at.v, rate);
            return copy_of(rate);
          },
          "The rates of the coordinates.")
      .def(
          "terms",
          [](SystemView& view, double t, const py::object& q, const py::object& v, const py::object& z) {
            view.place(t, q, v, z);
            view.now().evaluate(view.at, Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature, view.terms);
            const auto matrix = [](const Matrix& a) {
              py::array_t<double> out({a.rows(), a.cols()});
              for (int i = 0; i < a.rows(); ++i)
                for (int j = 0; j < a.cols(); ++j) out.mutable_at(i, j) = a(i, j);
              return out;
            };
            py::dict d;
            d["M"] = matrix(view.terms.M);
            d["f"] = copy_of(view.terms.f);
            d["g"] = copy_of(view.terms.g);
            d["G"] = matrix(view.terms.G);
            d["g_t"] = copy_of(view.terms.g_t);
            d["kappa"] = copy_of(view.terms.kappa);
            return d;
          },
          py::arg("t"), py::arg("q"), py::arg("v"), py::arg("z") = py::tuple(),
          "The terms M, f, g, G, g_t and kappa of the equations of motion.");
}

}  // namespace escapement::python
