"""Runs: whole or step by step, their errors, threads, interrupts."""

import os
import pty
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy as np

import escapement as es

PUSHED = """
escapement: 1
parameters: {u: 0, twice: 2*u, m: 1}
coordinates: {x: {}}
kinetic_energy: m*x'^2/2
forces: {x: twice - x'}
outputs: {push: u}
simulation: {end: 3, scheme: hem5, tolerance: 1e-8}
"""


class Runs(unittest.TestCase):
    def test_errors_have_the_text_and_place_of_the_command_line(self):
        with self.assertRaises(es.ModelError) as caught:
            es.model("escapement: 1\ncoordinates: {x: {}}\nkinetic_energy: z'^2/2\nsimulation: {end: 1}\n", file="wrong.yaml")
        self.assertRegex(str(caught.exception), r"^wrong\.yaml:3:\d+: ")
        self.assertEqual(caught.exception.line, 3)
        with self.assertRaisesRegex(es.OptionError, "parameter"):
            es.examples.load("pendulum", nobody=1)
        with self.assertRaisesRegex((es.OptionError, es.ModelError), "hem6"):
            es.examples.load("pendulum").run("hem6")

    def test_a_failed_run_has_its_result(self):
        model = es.model("""
escapement: 1
coordinates: {x: {start: 1}}
kinetic_energy: x'^2/2
forces: {x: 1/(0.5 - t)^3}
simulation: {end: 1, scheme: hem5, tolerance: 1e-6}
""")
        with self.assertRaises(es.SimulationError) as caught:
            model.run()
        self.assertGreater(len(caught.exception.result.t), 1)
        self.assertEqual(caught.exception.result.status, "failed")

    def test_step_by_step_gives_the_same_bits(self):
        for name, keywords in (("slider_crank_clearance", {"end": 0.02}), ("bouncing_ball", {"end": 1}), ("pendulum", {"end": 0.5, "scheme": "bdf"})):
            model = es.examples.load(name)
            whole = model.run(**keywords)
            sim = model.simulation(**keywords)
            steps = 0
            while sim.step():
                steps += 1
            result = sim.finish()
            for path in whole.names:
                self.assertEqual(whole.table(path).tobytes(), result.table(path).tobytes(), f"{name} {path}")
            self.assertEqual(list(whole.events), list(result.events))
            self.assertGreaterEqual(steps + 1, result.summary["steps"])

    def test_inputs_between_steps(self):
        sim = es.model(PUSHED).simulation(step=1e-2, scheme="rk4")
        # x'' = 2u - x': exact between sets
        x = v = 0.0
        u, t = 0.0, 0.0
        rng = np.random.default_rng(1)
        for _ in range(30):
            u = float(rng.uniform(-1, 1))
            sim.set("u", u)
            for _ in range(5):
                sim.step()
            h = sim.t - t
            t = sim.t
            x, v = x + 2 * u * h + (v - 2 * u) * (1 - np.exp(-h)), 2 * u + (v - 2 * u) * np.exp(-h)
            self.assertAlmostEqual(sim.state.q[0], x, delta=1e-9)
            self.assertAlmostEqual(sim.state.v[0], v, delta=1e-9)
        result = sim.finish()
        self.assertEqual(result["u"][0], 0)
        self.assertEqual(result["u"][-1], u)
        self.assertTrue((result["outputs.push"] == result["u"]).all())
        self.assertEqual(len(set(result["u"])), 31)

    def test_only_inputs_can_be_set(self):
        sim = es.model(PUSHED).simulation()
        with self.assertRaisesRegex(es.ModelError, "kinetic_energy.*'m'"):
            sim.set("m", 2)
        with self.assertRaisesRegex(es.OptionError, "no parameter 'w'"):
            sim.set("w", 2)
        with self.assertRaises(ValueError):
            sim.set("u", float("nan"))
        sim.set("u", 1)
        while sim.step():
            pass
        self.assertEqual(sim.finish().status, "completed")

    def test_contacts_follow_inputs(self):
        # held on the floor by its weight, lifted off by u
        sim = es.model("""
escapement: 1
parameters: {u: 0}
coordinates: {y: {}}
kinetic_energy: y'^2/2
potential_energy: 9.81*y
forces: {y: u}
contacts: {floor: {gap: y, restitution: 0}}
simulation: {end: 1, scheme: hem5, tolerance: 1e-8}
""").simulation(end=1)
        for _ in range(3):
            sim.step()
        lifted = sim.t
        sim.set("u", 20)
        while sim.step():
            pass
        result = sim.finish()
        self.assertAlmostEqual(result["y"][-1], (20 - 9.81) * (1 - lifted) ** 2 / 2, places=6)
        self.assertIn("open", result.events.kind)

    def test_threads_run_at_once(self):
        model = es.examples.load("slider_crank_clearance")
        whole = model.run(end=0.02)
        results = {}

        def work(k):
            results[k] = model.run(end=0.02)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in range(2):
            self.assertEqual(results[k].q.tobytes(), whole.q.tobytes())

    def test_the_interpreter_is_free_while_a_run_goes_on(self):
        model = es.examples.load("slider_crank_clearance")
        over = threading.Event()
        thread = threading.Thread(target=lambda: (model.run("moreau-midpoint-ggl", step=2e-6, end=0.4), over.set()))
        thread.start()
        counted = 0
        while not over.is_set():
            counted += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(counted, 20)

    def test_progress_is_told_and_its_errors_end_the_run(self):
        told = []
        model = es.examples.load("slider_crank_clearance")
        model.run("moreau-midpoint-ggl", step=2e-6, end=0.4, progress=lambda t, h, n: told.append((t, h, n)))
        self.assertGreater(len(told), 1)
        self.assertEqual(told, sorted(told))

        def refuse(t, h, n):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            model.run("moreau-midpoint-ggl", step=2e-6, end=40, progress=refuse)

    def test_a_bar_in_a_terminal(self):
        code = "import escapement as es; es.examples.load('slider_crank_clearance').run('moreau-midpoint-ggl', step=2e-6, end=0.8)"
        master, slave = pty.openpty()
        child = subprocess.Popen([sys.executable, "-c", code], stderr=slave)
        os.close(slave)
        seen = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        os.close(master)
        self.assertEqual(child.wait(), 0)
        self.assertRegex(seen.decode(), r"\[#*\.*\] t = [0-9.e-]+ of 0.8 s, step 2.00e-06 s, [0-9.e+]+ steps/s, \d+ s left")
        self.assertTrue(seen.endswith(b"\r\x1b[K"))  # nothing is left behind

    def test_a_bar_and_a_report_in_a_notebook(self):
        try:
            import nbformat
            from jupyter_client.manager import KernelManager
            from nbclient import NotebookClient
        except ImportError:
            self.skipTest("nbclient is not installed")

        class Here(KernelManager):
            @property
            def kernel_spec(self):
                spec = super().kernel_spec
                spec.argv[0] = sys.executable
                return spec

        shown = []
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(
            "import escapement as es\nresult = es.examples.load('slider_crank_clearance').run('moreau-midpoint-ggl', step=2e-6, end=0.8)\nresult.show()")])

        class Client(NotebookClient):
            def process_message(self, message, cell, index):
                shown.append(message["content"].get("data", {}).get("text/html", ""))
                return super().process_message(message, cell, index)

        Client(notebook, kernel_name="python3", kernel_manager_class=Here, timeout=300).execute()
        self.assertTrue(any("<progress" in text and "steps/s" in text for text in shown))
        self.assertTrue(any("<iframe" in text for text in shown))

    def test_ctrl_c_ends_a_run(self):
        code = textwrap.dedent("""
            import escapement as es, signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)  # it may have been inherited as ignored
            model = es.examples.load("slider_crank_clearance")
            print("ready", flush=True)
            try:
                model.run("moreau-midpoint-ggl", step=1e-6, end=1000)
            except KeyboardInterrupt as error:
                print(error.result.status, len(error.result.t) > 0)
        """)
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
        self.assertEqual(out.split(), ["interrupted", "True"])
