#include "schemes/contact_rows.hpp"

#include <algorithm>

namespace escapement::inline schemes {

namespace {
using V3 = ManyContacts::V3;
using M3 = ManyContacts::M3;
}  // namespace

void ContactRows::start(const System& sys, const TouchingBodies& touching) {
  touching_ = &touching;
  coupled_.assign(touching_->extent.size() + 1, 0);
  for (Vec* x : {&right_, &answer_}) x->setZero(sys.dim().v);
  zero_.setZero(sys.dim().bilateral);
}

void ContactRows::set(const std::vector<ContactPoint>& points, const std::vector<BodyPlace>& places, bool normals, ManyContacts& problem) const {
  problem.clear();
  for (const ContactPoint& point : points) {
    ManyContacts::Contact& c = problem.contacts().emplace_back();
    const TouchLaw& law = touching_->laws[static_cast<std::size_t>(point.law)];
    const M3 frame = ManyContacts::frame(point.normal);
    c.a = point.a < 0 ? problem.ground() : point.a;
    c.b = point.b < 0 ? problem.ground() : point.b;
    c.mu = normals ? 0 : law.friction;
    c.rows = !(c.mu > 0) ? 1 : problem.width() == 3 ? 2 : 3;
    c.D = frame;
    for (int k = c.rows; k < 3; ++k) c.D.row(k).setZero();
    const auto arms = [&](int body, M3& L) {
      L.setZero();
      if (body < 0) return;
      const BodyPlace& place = places[static_cast<std::size_t>(body)];
      const V3 r = point.point - place.x;
      for (int k = 0; k < c.rows; ++k) L.row(k) = place.R.transpose() * r.cross(V3(c.D.row(k)));
    };
    arms(point.a, c.La);
    arms(point.b, c.Lb);
    c.P.setZero();
    c.bias.setZero();
    c.wide = -1;
    if (normals || !(law.rolling > 0 || law.spinning > 0)) continue;
    ManyContacts::Turning& t = problem.turnings().emplace_back();
    const auto turned = [&](int body) { return body < 0 ? M3(M3::Zero()) : M3(frame * places[static_cast<std::size_t>(body)].R); };
    t = {static_cast<int>(problem.contacts().size()) - 1, turned(point.a), turned(point.b), M3::Zero(), V3::Zero(), law.rolling, law.spinning};
  }
}

void ContactRows::set_bodies(const Motion& m, ManyContacts& problem) {
  const int width = problem.width(), lines = problem.lines();
  std::fill(coupled_.begin(), coupled_.end(), 0);
  for (int r = 0; r < bilateral(); ++r)
    m.T.G.for_each_in_row(r, [&](int j, double x) {
      if (x != 0) coupled_[static_cast<std::size_t>(j / width)] = 1;
    });
  for (int b = 0; b < problem.ground(); ++b) {
    const int first = width * b;
    M3 turning = M3::Identity();
    const double mass = m.A(first, first);
    for (int i = 0; i < width; ++i)
      m.A.for_each_in_row(first + i, [&](int j, double x) {
        if (x == 0) return;
        const int k = j - first;
        const bool own = k >= 0 && k < width;
        if (own && i >= lines && k >= lines) turning(problem.place(i) - 3, problem.place(k) - 3) = x;
        else if (!(own && i == k && x == mass)) coupled_[static_cast<std::size_t>(b)] = 1;
      });
    ManyContacts::Body& body = problem.bodies()[static_cast<std::size_t>(b)];
    body.mass = 1 / mass;
    body.turning = turning.inverse();
    if (width == 3) body.turning(0, 0) = body.turning(1, 1) = 0;
  }
}

void ContactRows::set_responses(ManyContacts& problem) {
  for (ManyContacts::Contact& c : problem.contacts())
    if (c.own < 0) problem.set_response(c);
  for (ManyContacts::Turning& t : problem.turnings()) {
    const ManyContacts::Contact& c = problem.contacts()[static_cast<std::size_t>(t.contact)];
    const M3 &a = problem.bodies()[static_cast<std::size_t>(c.a)].turning, &b = problem.bodies()[static_cast<std::size_t>(c.b)].turning;
    t.W = t.La * a * t.La.transpose() + t.Lb * b * t.Lb.transpose();
  }
}

void ContactRows::set_answers(const Motion& m, ManyContacts& problem) {
  problem.forget_answers();
  for (ManyContacts::Contact& c : problem.contacts())
    if (coupled(c.a) || coupled(c.b) || c.own >= 0) set_answer(m, problem, c);
}

void ContactRows::add_own(const Motion& m, const ImpactProblem& own, ManyContacts& problem) {
  problem.clear_own();
  for (int k = 0; k < m.response.size(); ++k) {
    const int first = m.response.row(k);
    if (!(own.contact.W(first, first) > 0)) continue;  // held fast
    const Cone& cone = own.contact.cones[static_cast<std::size_t>(k)];
    ManyContacts::OwnRows& rows = problem.add_own();
    ManyContacts::Contact& c = problem.contacts().back();
    c.mu = cone.mu;
    c.rows = cone.rows();
    if (cone.kind == Cone::Kind::interval) c.brake = cone.offset;
    for (int i = 0; i < c.rows; ++i) {
      const ContactResponse::Row& row = m.response.rows()[static_cast<std::size_t>(first + i)];
      c.bias[i] = row.drive(m.T);
      c.P[i] = own.P[first + i];
      for (int j = 0; j < c.rows; ++j) c.W(i, j) = own.contact.W(first + i, first + j);
      (row.is_slip ? m.T.T : m.T.G).for_each_in_row(row.row, [&](int at, double x) {
        if (x == 0) return;
        std::size_t n = 0;
        while (n < rows.at.size() && rows.at[n] != at) ++n;
        if (n == rows.at.size()) {
          rows.at.push_back(at);
          rows.J.push_back(V3::Zero());
        }
        rows.J[n][i] = x;
      });
    }
    if (!c.is_brake()) c.bias[0] += own.restitution[static_cast<std::size_t>(k)] * own.u_minus[first];
    ManyContacts::judge_response(c);
  }
}

void ContactRows::add_own_gap(const Terms& T, int row, ManyContacts& problem) {
  ManyContacts::OwnRows& rows = problem.add_own();
  ManyContacts::Contact& c = problem.contacts().back();
  c.mu = 0;
  c.rows = 1;
  c.bias[0] = T.g[row];
  T.G.for_each_in_row(row, [&](int at, double x) {
    if (x == 0) return;
    rows.at.push_back(at);
    rows.J.emplace_back(x, 0, 0);
  });
}

void ContactRows::limit_brakes(const Motion& m, const ImpactProblem& own, ManyContacts& problem) {
  auto c = problem.contacts().end();
  for (int k = m.response.size(); k-- > 0;) {
    if (!(own.contact.W(m.response.row(k), m.response.row(k)) > 0)) continue;
    --c;
    if (c->is_brake()) c->brake = own.contact.cones[static_cast<std::size_t>(k)].offset;
  }
}

void ContactRows::give_own(const Motion& m, const ManyContacts& problem, ImpactProblem& own) {
  auto c = problem.contacts().end();
  for (int k = m.response.size(); k-- > 0;) {
    const int first = m.response.row(k), rows = own.contact.cones[static_cast<std::size_t>(k)].rows();
    const bool held = !(own.contact.W(first, first) > 0);
    if (!held) --c;
    for (int i = 0; i < rows; ++i) own.P[first + i] = held ? 0 : c->P[i];
  }
}

// A x - G^T mu = (a row of the contact)^T for each of its rows, and W = J x
void ContactRows::set_answer(const Motion& m, ManyContacts& problem, ManyContacts::Contact& c) {
  ManyContacts::Answer& answer = problem.add_answer(c);
  const int width = problem.width();
  c.W.setZero();
  for (int row = 0; row < c.rows; ++row) {
    right_.setZero();
    problem.add_impulse(c, V3::Unit(row), right_);
    answer.mu[row].setZero(bilateral());
    m.response.solve(right_, zero_, answer_, answer.mu[row]);
    problem.for_each_column(c, [&](int j, const V3& J) { c.W.col(row) += answer_[j] * J; });
    std::size_t k = 0;
    for (int j = 0; j < answer_.size(); ++j) {
      if (answer_[j] == 0) continue;
      const int place = 6 * (j / width) + problem.place(j % width);
      while (k < answer.at.size() && answer.at[k] < place) ++k;
      if (k == answer.at.size() || answer.at[k] != place) {
        answer.at.insert(answer.at.begin() + static_cast<std::ptrdiff_t>(k), place);
        answer.values.insert(answer.values.begin() + static_cast<std::ptrdiff_t>(k), V3(V3::Zero()));
      }
      answer.values[k][row] = answer_[j];
    }
  }
  ManyContacts::judge_response(c);
}

}  // namespace escapement
