// The contact problem of many bodies without its matrix W: u = J v + bias with v = v_free + A^-1 J^T P, by blocks of bodies.
//
// Velocities of a body stand in six numbers, linear and angular; in the plane some of them stay 0. A body that nothing couples to
// others answers an impulse by its own small inverse; answers of bodies that joints or forces couple are solved for (wide).
// A contact law in De Saxce's form: K* contains (u_n + mu |u_t|, u_t), perpendicular to P in K = {|P_t| <= mu P_n}. Limits of joints,
// brakes and gaps by formulas have rows of their own beside them; a brake is |P| <= its bound, against u.
#pragma once

#include <algorithm>
#include <vector>

#include "math/types.hpp"

namespace escapement::inline nonsmooth {

class ManyContacts {
 public:
  using V3 = Eigen::Vector3d;
  using M3 = Eigen::Matrix3d;

  struct Body {
    V3 v = V3::Zero(), w = V3::Zero();
    double mass = 0;          // inverse of it; 0: the ground
    M3 turning = M3::Zero();  // inverse of the inertia
  };
  struct Contact {
    M3 D, La, Lb;  // rows n, t1, t2: directions in the world, what they are on the angular velocities of a and b
    M3 W;
    V3 bias, P;
    double mu, weight;  // weight: the mean of W's diagonal
    int a, b;           // places of bodies
    int rows;           // 1: without friction, 2: in the plane, 3
    int wide;           // its answers, -1: its bodies answer by themselves
    bool round;         // W is diagonal, its tangential part a multiple of the identity
    int own = -1;       // its rows, where they are not those of two bodies that touch; its bodies are the ground then
    double brake = -1;  // >= 0: one row, with this bound
    bool is_brake() const { return brake >= 0; }
    double braking(double wanted) const { return std::clamp(wanted, -brake, brake); }
  };
  // of a contact, on velocities of the system
  struct OwnRows {
    std::vector<int> at;
    std::vector<V3> J;
  };
  // moments that resist rolling and spinning: rows n, t1, t2 of the angular velocity of b against a
  struct Turning {
    int contact;
    M3 La, Lb, W;
    V3 M;
    double rolling, spinning;
    void keep_within(double normal);  // the limits of this normal impulse
    double across() const { return std::max(W(1, 1), W(2, 2)); }  // the larger of both keeps iterations monotone
  };
  // answers to unit impulses on the rows of a contact: column, and what they add there
  struct Answer {
    std::vector<int> at;     // 6 * place + component
    std::vector<V3> values;
    Vec mu[3];               // of the bilateral rows
  };

  void resize(int bodies, int width);  // width: velocities of a body in the system, 3 in the plane, 6 in space
  void clear();                        // no contacts
  void clear_own();                    // none with rows of their own, which are behind the others
  OwnRows& add_own();                  // of a new contact, the last one
  std::vector<Body>& bodies() { return bodies_; }  // the last is the ground
  int ground() const { return static_cast<int>(bodies_.size()) - 1; }
  int width() const { return width_; }
  int lines() const { return width_ == 3 ? 2 : 3; }  // linear velocities among them
  // component 0 ... width - 1 of a body's velocities, among its six numbers
  int place(int component) const { return width_ == 3 && component == 2 ? 5 : component; }
  void take(const Vec& v);          // velocities of the bodies
  void give(Vec& v) const;
  // f(k, J): of the contact's rows on a velocity k of the system
  template <class F>
  void for_each_column(const Contact&, F&& f) const;
  void add_impulse(const Contact&, const V3& P, Vec& impulses) const;  // J^T P
  const std::vector<Body>& bodies() const { return bodies_; }
  std::vector<Contact>& contacts() { return contacts_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  std::vector<Turning>& turnings() { return turnings_; }
  const std::vector<Turning>& turnings() const { return turnings_; }
  void forget_answers();
  Answer& add_answer(Contact&);  // an empty one
  const Answer& answer(const Contact& c) const { return answers_[static_cast<std::size_t>(c.wide)]; }

  // the frame of a contact: normal first
  static M3 frame(const V3& normal);
  void set_response(Contact&) const;  // W of bodies that answer by themselves
  static void judge_response(Contact&);  // round, weight

  V3 velocity(const Contact& c) const {
    if (c.own >= 0) return own_velocity(c);
    const Body &a = bodies_[static_cast<std::size_t>(c.a)], &b = bodies_[static_cast<std::size_t>(c.b)];
    return c.D * (b.v - a.v) + c.Lb * b.w - c.La * a.w;
  }
  V3 velocity(const Turning& t) const {
    const Contact& c = contacts_[static_cast<std::size_t>(t.contact)];
    return t.Lb * bodies_[static_cast<std::size_t>(c.b)].w - t.La * bodies_[static_cast<std::size_t>(c.a)].w;
  }
  void push(const Contact&, const V3& impulse);  // changes velocities
  void push(const Turning&, const V3& moment);
  void push_all();                               // by the impulses that are there

  // one sweep of Gauss-Seidel with exact local solutions; the largest weight |dP|
  double sweep();
  V3 rate(const Contact&) const;  // u: velocity and bias, of the rows that there are
  // weight |P - proj_K(P - u^/weight)| of a contact with this rate, in units of velocity; the largest of all
  static double residual(const Contact&, V3 u);
  double residual() const;  // of moments that resist too

  static V3 project(double mu, const V3& z);  // onto K

 private:
  V3 own_velocity(const Contact&) const;
  V3 solve(const Contact&, const V3& b) const;
  double resist(Turning&);
  V3 missing_moment(const Turning&) const;             // by which it would meet its law, the other impulses held
  static double size_of(const Turning&, const V3& dM);  // as a velocity

  int width_ = 6;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<Turning> turnings_;
  std::vector<Answer> answers_;
  std::size_t wides_ = 0;  // of them in use
  std::vector<OwnRows> own_;
  std::size_t owns_ = 0;
};

template <class F>
void ManyContacts::for_each_column(const Contact& c, F&& f) const {
  if (c.own >= 0) {
    const OwnRows& rows = own_[static_cast<std::size_t>(c.own)];
    for (std::size_t k = 0; k < rows.at.size(); ++k) f(rows.at[k], rows.J[k]);
    return;
  }
  for (const int body : {c.a, c.b}) {
    if (body == ground()) continue;
    const double sign = body == c.b ? 1 : -1;
    for (int i = 0; i < width_; ++i) {
      const int k = place(i);
      f(width_ * body + i, V3(sign * (k < 3 ? c.D.col(k) : (body == c.b ? c.Lb : c.La).col(k - 3))));
    }
  }
}

}  // namespace escapement
