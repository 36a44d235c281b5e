"""Systems and schemes written in Python: every scheme, events, results."""

import inspect
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import escapement as es

G = 9.81
PROGRAM = os.environ.get("ESCAPEMENT", "escapement")


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


class Swing(es.System):
    """Smooth, damped and bound by nothing."""

    coordinates = ["x", "y"]
    start = {"x": 1, "y'": 0.5}

    def mass(self, s):
        return np.eye(2)

    def force(self, s):
        (x, y), (u, _) = s.q, s.v
        return [-x - 0.4 * x * y - 0.1 * u, -4 * y - x * x / 5]

    def energy(self, s):
        return 0.0


class RK4(es.Scheme):
    """The classical method on the index-1 form, with half steps as an estimate."""

    order = 4
    error_power = 5

    def one(self, system, t, s, h):
        def rates(t, q, v, z):
            a, _, rate = system.accelerate(t, q, v, z)
            return system.rate(q, v), a, rate

        def along(k, h):
            return [x + h * rate for x, rate in zip(s, k)]

        k1 = rates(t, *s)
        k2 = rates(t + h / 2, *along(k1, h / 2))
        k3 = rates(t + h / 2, *along(k2, h / 2))
        k4 = rates(t + h, *along(k3, h))
        return along([(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4)], h)

    def step(self, system, s, h):
        whole = self.one(system, s.t, (s.q, s.v, s.z), h)
        fine = self.one(system, s.t + h / 2, self.one(system, s.t, (s.q, s.v, s.z), h / 2), h / 2)
        off = [np.max(np.abs(x - y) / (1 + np.abs(y)), initial=0) for x, y in zip(whole, fine)]
        return es.Step(*fine, error=max(off))


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

    def test_what_is_raised_on_the_way_has_the_result_so_far(self):
        class Late(Pendulum):
            def force(self, s):
                if s.t > 0.5:
                    raise KeyError("late")
                return super().force(s)

        class Short(Pendulum):
            def force(self, s):
                return [1, 2, 3] if s.t > 0.5 else super().force(s)

        for system, kind in ((Late, KeyError), (Short, ValueError)):
            with self.assertRaises(kind) as raised:
                system().run("hem5", end=1, step=1e-2)
            result = raised.exception.result
            self.assertEqual(result.status, "failed")
            self.assertIn(kind.__name__, result.summary["message"])
            self.assertGreater(result.t[-1], 0.47)
            self.assertLessEqual(result.t[-1], 0.5)
            whole = Pendulum().run("hem5", end=1, step=1e-2)
            self.assertEqual(list(result["x"]), list(whole["x"][: len(result.t)]))

    def test_what_is_missing_or_off_is_told_before_the_run(self):
        with self.assertRaisesRegex(ValueError, "Empty has no coordinates"):
            type("Empty", (es.System,), {})().run(end=1)
        with self.assertRaisesRegex(NotImplementedError, r"Free needs a method force\(self, s\)"):
            type("Free", (es.System,), {"coordinates": ["x"], "mass": lambda self, s: [[1]]})().run(end=1)
        with self.assertRaisesRegex(ValueError, "mass.* must be symmetric"):
            type("Skew", (Pendulum,), {"mass": lambda self, s: [[1, 5], [0, 1]]})().run(end=1)


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
        self.assertEqual(mine.summary["scheme"], "RK4")
        self.assertEqual(mine.summary["impacts"], ours.summary["impacts"])
        self.assertLess(abs(mine.q[-1, 0] - ours.q[-1, 0]), 1e-7)
        self.assertLess(abs(Ball().run(RK4(), tolerance=1e-9, end=1)["y"][-1] - Ball().run(tolerance=1e-9, end=1)["y"][-1]), 1e-7)


    def test_it_takes_the_place_of_the_one_in_the_file(self):
        class Counted(RK4):
            made = 0

            def step(self, system, s, h):
                self.made += 1
                return super().step(system, s, h)

        for name in ("bouncing_ball", "pendulum_angle", "slider_crank"):  # auto, and others
            scheme = Counted()
            result = es.examples.load(name).run(scheme, step=1e-2, end=0.2)
            self.assertGreaterEqual(scheme.made, 20, name)
            self.assertEqual(result.summary["scheme"], "Counted", name)
            with tempfile.TemporaryDirectory() as folder:  # and the file says so
                path = os.path.join(folder, "own.h5")
                result.save(path)
                self.assertEqual(es.read(path).summary["scheme"], "Counted", name)

    def test_what_is_no_scheme_is_refused(self):
        model = es.examples.load("pendulum_angle")
        for wrong in (RK4, 5, es.Step([0], [0])):
            with self.assertRaisesRegex(TypeError, "a scheme is a name or an object"):
                model.run(wrong, step=1e-2, end=0.1)
            with self.assertRaisesRegex(TypeError, "a scheme is a name or an object"):
                Pendulum().run(wrong, step=1e-2, end=0.1)

    def test_a_step_that_is_none_is_told(self):
        class Forgets(es.Scheme):
            def step(self, system, s, h):
                pass

        with self.assertRaisesRegex(TypeError, "Forgets.step.* must return an escapement.Step, not None"):
            es.examples.load("pendulum_angle").run(Forgets(), step=1e-2, end=0.1)


OSCILLATOR = """
escapement: 1
coordinates: {x: {start: 1}, y: {rate: 0.5}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: (x^2 + 4*y^2)/2 + x^2*y/5
simulation: {end: 2, scheme: hem5, tolerance: 1e-8}
"""
STATES = """
escapement: 1
coordinates: {x: {start: 1}}
states: {i: {start: 0.3, rate: -2*i + x*x'}}
kinetic_energy: x'^2/2
potential_energy: 2*x^2
forces: {x: i}
simulation: {end: 2, scheme: hem5, tolerance: 1e-8}
"""
DRIVEN = """
escapement: 1
coordinates: {x: {start: 0.6, rate: 0.24}, y: {start: -0.8, rate: -0.32}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
constraints: {rod: (x^2 + y^2 - (1 + 0.4*sin(t))^2)/2}
simulation: {end: 1, scheme: hem5, tolerance: 1e-8}
"""
TOP = """
escapement: 1
dimension: 3
bodies: {top: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, -1.5]}}
simulation: {end: 1, scheme: hem5, tolerance: 1e-8}
"""


class Conformance(unittest.TestCase):
    """What tests/schemes/conformance_test.cpp asks of every scheme, as far as it can be asked from here; ours must pass it too."""

    schemes = (RK4(), "rk4", "hem5")
    controlled = (RK4(), "hem5")  # those with an error estimate
    order = {"rk4": 4, "hem5": 5}

    def expect_order(self, scheme, model, end, steps, *groups, order=None):
        """The error of each group of columns, at the end and half-way, falls with the step as the scheme promises."""
        order = order or (scheme.order if isinstance(scheme, es.Scheme) else self.order[scheme])

        def values(**keywords):
            runs = [model.run(end=part, **keywords) for part in (end / 2, end)]
            return [np.array([result[name][-1] for result in runs for name in group]) for group in groups]

        exact = values(scheme="hem5", tolerance=1e-13)
        coarse, fine = (values(scheme=scheme, step=end / n) for n in (2 * steps, 4 * steps))
        for group, a, b, x in zip(groups, coarse, fine, exact):
            errors = np.linalg.norm(a - x), np.linalg.norm(b - x)
            self.assertGreater(np.log2(errors[0] / errors[1]), 0.95 * order - 0.1, f"{scheme} {group} {errors}")

    def test_order_on_a_smooth_ode(self):
        for scheme in self.schemes:
            self.expect_order(scheme, es.model(OSCILLATOR), 2, 10, ("x", "y"), ("x'", "y'"))

    def test_order_on_a_pendulum(self):
        for scheme in self.schemes:
            for model in (es.examples.load("pendulum"), Pendulum()):
                self.expect_order(scheme, model, 0.6, 8, ("x", "y"), ("x'", "y'"), ("lambda.rod",))

    def test_order_on_the_slider_crank(self):
        for scheme in self.schemes:
            self.expect_order(scheme, es.examples.load("slider_crank"), 0.25, 10, ("x", "alpha1", "alpha2"), ("x'", "alpha1'", "alpha2'"))

    def test_order_on_a_rheonomic_constraint(self):
        for scheme in self.schemes:
            self.expect_order(scheme, es.model(DRIVEN), 0.8, 8, ("x", "y"), ("x'", "y'"))

    def test_order_with_a_first_order_state(self):
        for scheme in self.schemes:
            self.expect_order(scheme, es.model(STATES), 1, 8, ("x", "x'", "i"))

    def test_order_on_a_freely_rotating_body(self):
        for scheme in self.schemes:
            self.expect_order(scheme, es.model(TOP), 1, 16, ("top.wx", "top.wy", "top.wz"))

    def test_every_scheme_has_its_order_on_a_system_written_in_python(self):
        told = subprocess.run([PROGRAM, "schemes", "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout
        orders = {one["id"]: one["order"] for one in json.loads(told)["schemes"]}
        for name, _, _, stepping in es._core.schemes():
            if stepping or name == "auto" or orders[name] > 5:  # for impacts, for a tolerance, too soon at rounding
                continue
            with self.subTest(name):
                self.expect_order(name, Swing(), 1, 10, ("x", "y"), ("x'", "y'"), order=orders[name])

    def test_the_error_estimate_falls_with_its_power(self):
        model = es.model(OSCILLATOR)
        largest = [model.run(RK4(), step=h, end=0.8).steps.error.max() for h in (0.1, 0.05, 0.025)]
        for coarse, fine in zip(largest, largest[1:]):
            self.assertGreater(np.log2(coarse / fine), RK4.error_power - 0.5, largest)

    def test_a_failed_step_leaves_no_trace(self):
        class Refuses(RK4):
            refused = 0

            def step(self, system, s, h):
                made = super().step(system, s, h)
                if h > 0.01:
                    self.refused += 1
                    raise es.StepFailed("too long")
                return made

        scheme = Refuses()
        model = es.examples.load("pendulum")
        result = model.run(scheme, tolerance=1e-5, end=0.5)
        self.assertGreater(scheme.refused, 0)
        self.assertLess(result.steps.size.max(), 0.01 + 1e-15)
        self.assertLess(abs(result["x"][-1] - model.run("hem5", tolerance=1e-12, end=0.5)["x"][-1]), 1e-6)

    def test_redundant_rows(self):
        class Twice(Pendulum):
            constraints = ("rod", "again")

            def gap(self, s):
                return [(s.q @ s.q - 1) / 2, s.q @ s.q - 1]

            def jacobian(self, s):
                return [s.q, 2 * s.q]

            def curvature(self, s):
                return [s.v @ s.v, 2 * s.v @ s.v]

        for scheme in self.schemes:
            one, two = (system.run(scheme, step=5e-3, end=1) for system in (Pendulum(), Twice()))
            self.assertLess(np.abs(one.q - two.q).max(), 1e-9)
            self.assertAlmostEqual(one["lambda.rod"][-1], two["lambda.rod"][-1] + 2 * two["lambda.again"][-1], delta=1e-6)
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
