"""Systems and schemes written in Python: every scheme, events, results."""

import inspect
import unittest

import numpy as np

import escapement as es

G = 9.81


class Pendulum(es.System):
    coordinates = ["x", "y"]
    constraints = ["rod"]
    start = {"x": 1}

    def mass(self, s):
        return np.eye(2)

    def force(self, s):
        return [0, -G]

    def gap(self, s):
        return [(s.q @ s.q - 1) / 2]

    def jacobian(self, s):
        return [s.q]

    def curvature(self, s):
        return [s.v @ s.v]

    def energy(self, s):
        return G * s.q[1]


class Roughly(Pendulum):
    """Without the curvature: differences take its place."""

    curvature = property()


class Block(es.System):
    """Slides on a floor with friction until it rests."""

    coordinates = ["x", "y"]
    contacts = {"floor": (0.0, 0.5)}
    start = {"x'": 2}

    def mass(self, s):
        return np.eye(2)

    def force(self, s):
        return [0, -G]

    def gap(self, s):
        return [s.q[1]]

    def jacobian(self, s):
        return [[0, 1]]

    def slip(self, s):
        return [[1, 0]]

    def energy(self, s):
        return G * s.q[1]


class Ball(es.System):
    coordinates = ["y"]
    contacts = {"floor": 0.8}
    start = {"y": 1}

    def mass(self, s):
        return [[1]]

    def force(self, s):
        return [-G]

    def gap(self, s):
        return s.q

    def jacobian(self, s):
        return [[1]]

    def energy(self, s):
        return G * s.q[0]


class RK4(es.Scheme):
    """The classical method on the index-1 form, with half steps as an estimate."""

    order = 4
    error_power = 5

    def one(self, system, t, q, v, h):
        def rates(t, q, v):
            return v, system.accelerate(t, q, v)[0]

        k1 = rates(t, q, v)
        k2 = rates(t + h / 2, q + h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = rates(t + h / 2, q + h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = rates(t + h, q + h * k3[0], v + h * k3[1])
        return (q + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]), v + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]))

    def step(self, system, s, h):
        q, v = self.one(system, s.t, s.q, s.v, h)
        qh, vh = self.one(system, s.t, s.q, s.v, h / 2)
        qh, vh = self.one(system, s.t + h / 2, qh, vh, h / 2)
        return es.Step(qh, vh, error=max(np.max(np.abs(q - qh) / (1 + np.abs(qh))), np.max(np.abs(v - vh) / (1 + np.abs(vh)))))


class Systems(unittest.TestCase):
    def test_every_scheme_runs_a_system_written_in_python(self):
        exact = es.examples.load("pendulum").run("hem5", tolerance=1e-12, end=0.3)
        # the example has the same numbers
        self.assertAlmostEqual(exact["x"][0], -1)  # on the other side
        schemes = {name: (adaptive, stepping) for name, _, adaptive, stepping in es._core.schemes()}
        for name, (adaptive, _) in schemes.items():
            keywords = {"tolerance": 1e-7} if adaptive else {"step": 1e-3}
            result = Pendulum().run(name, end=0.3, **keywords)
            self.assertEqual(result.status, "completed", name)
            self.assertLess(abs(result["x"][-1] + exact["x"][-1]), 2e-3, name)

    def test_differences_take_the_place_of_the_curvature(self):
        one = Pendulum().run("hem5", tolerance=1e-9, end=1)
        other = Roughly().run("rk4", step=1e-3, end=1)
        self.assertLess(abs(one["x"][-1] - other["x"][-1]), 1e-7)
        self.assertEqual(one.verdict, "sound")

    def test_events_and_impacts(self):
        like = es.examples.load("bouncing_ball")
        result = Ball().run("hem5", tolerance=1e-9, end=1.5)
        first = np.sqrt(2 / G)
        self.assertAlmostEqual(result.events[0].time, first, places=9)
        self.assertAlmostEqual(result.events[1].time, first + 2 * 0.8 * first, places=9)
        self.assertEqual(result.events[0].contact, "floor")
        self.assertTrue(like.contacts)

    def test_friction(self):
        for scheme, keywords in (("hem5", {"tolerance": 1e-8}), ("moreau-midpoint", {"step": 1e-3})):
            result = Block().run(scheme, end=1, **keywords)
            self.assertAlmostEqual(result["x"][-1], 2**2 / (2 * 0.5 * G), delta=2e-3)
            self.assertAlmostEqual(result["x'"][-1], 0, delta=1e-6)

    def test_a_start_off_the_constraints_is_refused(self):
        class Off(Pendulum):
            start = {"x": 1.1}

        with self.assertRaisesRegex(ValueError, "'rod'"):
            Off().run(end=1)

    def test_mistakes_in_python_come_back(self):
        class Wrong(Ball):
            def force(self, s):
                raise KeyError("mine")

        with self.assertRaises(KeyError):
            Wrong().run(end=1)
        with self.assertRaisesRegex(ValueError, "force"):
            type("Short", (Ball,), {"force": lambda self, s: [1, 2]})().run(end=1)


class Schemes(unittest.TestCase):
    def test_its_order(self):
        model = es.examples.load("pendulum_angle")
        exact = model.run("hem5", tolerance=1e-13, end=0.5)
        name = model.coordinates[0]
        errors = []
        for h in (0.05, 0.025, 0.0125):
            errors.append(abs(model.run(RK4(), step=h, end=0.5)[name][-1] - exact[name][-1]))
        for coarse, fine in zip(errors, errors[1:]):
            self.assertGreater(np.log2(coarse / fine), 3.6)

    def test_its_tolerance_and_constraints(self):
        model = es.examples.load("pendulum")
        exact = model.run("hem5", tolerance=1e-12, end=1)
        result = model.run(RK4(), tolerance=1e-8, end=1)
        self.assertLess(abs(result["x"][-1] - exact["x"][-1]), 1e-5)
        self.assertGreater(result.summary["steps"], 5)

    def test_with_contacts_and_with_a_system_in_python(self):
        model = es.examples.load("bouncing_ball")
        mine, ours = model.run(RK4(), tolerance=1e-9, end=1), model.run("hem5", tolerance=1e-9, end=1)
        self.assertEqual(mine.summary["impacts"], ours.summary["impacts"])
        self.assertLess(abs(mine.q[-1, 0] - ours.q[-1, 0]), 1e-7)
        self.assertLess(abs(Ball().run(RK4(), tolerance=1e-9, end=1)["y"][-1] - Ball().run(tolerance=1e-9, end=1)["y"][-1]), 1e-7)


class Conformance(unittest.TestCase):
    """What tests/schemes/conformance_test.cpp asks of every scheme, as far as it can be asked from here; ours must pass it too."""

    schemes = (RK4(), "rk4", "hem5")
    controlled = (RK4(), "hem5")  # those with an error estimate

    def test_thirty_lines_are_enough(self):
        for one in (Pendulum, RK4):
            self.assertLessEqual(len(inspect.getsource(one).splitlines()), 30)

    def test_fixed_steps_end_where_they_should(self):
        for scheme in self.schemes:
            for model in (es.examples.load("pendulum_angle"), Pendulum()):
                result = model.run(scheme, step=0.03, end=0.5)
                self.assertEqual(result.t[-1], 0.5)
                self.assertEqual(result.summary["steps"], 17)

    def test_a_run_can_be_repeated(self):
        for scheme in self.controlled:
            for model in (es.examples.load("pendulum"), Pendulum()):
                first, second = (model.run(scheme, tolerance=1e-7, end=0.7) for _ in range(2))
                self.assertEqual(first.q.tobytes(), second.q.tobytes())

    def test_errors_fall_with_the_tolerance(self):
        model = es.examples.load("pendulum_angle")
        name = model.coordinates[0]
        exact = model.run("hem5", tolerance=1e-13, end=1)[name][-1]
        for scheme in self.controlled:
            errors = [abs(model.run(scheme, tolerance=tolerance, end=1)[name][-1] - exact) for tolerance in (1e-4, 1e-6, 1e-8)]
            self.assertGreater(errors[0], 5 * errors[1])
            self.assertGreater(errors[1], 5 * errors[2])

    def test_the_constraint_holds(self):
        for scheme in self.controlled:
            self.assertLess(Pendulum().run(scheme, tolerance=1e-8, end=1).summary["max_drift"]["velocity"], 1e-5)

    def test_energy_is_kept(self):
        for scheme in self.controlled:
            result = Pendulum().run(scheme, tolerance=1e-9, end=1)
            self.assertLess(result.summary["energy"]["max_error"], 1e-5)
