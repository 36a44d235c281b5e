"""Python and the command line give the same bits, over all examples."""

import json
import os
import subprocess
import tempfile
import unittest

import escapement as es

PROGRAM = os.environ.get("ESCAPEMENT", "escapement")


def command(*words, cwd):
    return subprocess.run([PROGRAM, *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def without_clock(data):
    if isinstance(data, dict):
        return {k: without_clock(v) for k, v in data.items() if k not in ("wall_seconds", "seconds", "time")}
    if isinstance(data, list):
        return [without_clock(x) for x in data]
    return data


class SameBits(unittest.TestCase):
    def test_all_examples(self):
        models = {name: es.examples.load(name) for name in es.examples.names()}
        self.assertGreater(len(models), 40)
        with tempfile.TemporaryDirectory() as folder:
            for name, model in models.items():
                with open(os.path.join(folder, name + ".yaml"), "w") as file:
                    file.write(model.text)
            for name, model in models.items():
                start, end = model._loaded.times
                short = repr(start + (end - start) / 50)
                done = command("run", name + ".yaml", "--end", short, "--no-report", "--quiet", cwd=folder)
                try:
                    result = model.run(end=short)
                except es.SimulationError as error:
                    self.assertEqual(done.returncode, 1, name)
                    self.assertIn(str(error), done.stderr)
                    result = error.result
                else:
                    self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
                theirs = es.read(os.path.join(folder, name + ".h5"))
                self.assertEqual(result.t.tobytes(), theirs.t.tobytes(), name)
                for path in theirs.names:
                    self.assertEqual(result.table(path).tobytes(), theirs.table(path).tobytes(), f"{name} {path}")
                self.assertEqual([e[:3] + e[6:] for e in result.events], [e[:3] + e[6:] for e in theirs.events], name)
                for column in ("velocity_before", "velocity_after", "impulse"):
                    self.assertEqual(getattr(result.events, column).tobytes(), getattr(theirs.events, column).tobytes())
                for mine, other in zip(result.steps, theirs.steps):
                    self.assertEqual(mine.tobytes(), other.tobytes(), name)
                self.assertEqual(without_clock(result.summary), without_clock(theirs.summary), name)

    def test_a_comparison_of_nothing_is_refused(self):
        with self.assertRaisesRegex(es.OptionError, "give --schemes"):
            es.compare(es.examples.load("pendulum"), [], [1e-4])
        with self.assertRaisesRegex(es.OptionError, "give --tolerances or --steps"):
            es.compare(es.examples.load("pendulum"), ["hem5"], [])

    def test_compare_modes_statics_reproduce(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pendulum", "bend_45", "helical_spring", "pendulum_angle"):
                with open(os.path.join(folder, name + ".yaml"), "w") as file:
                    file.write(es.examples.load(name).text)
            words = ["compare", "pendulum.yaml", "--schemes", "hem5,rkf45", "--tolerances", "1e-4,1e-6", "--end", "0.5"]
            theirs = json.loads(command(*words, "--json", "--no-report", cwd=folder).stdout)
            table = es.compare(es.examples.load("pendulum"), ["hem5", "rkf45"], [1e-4, 1e-6], end=0.5)
            for column in ("work", "error.at_end", "steps"):
                flat = [row["error"]["at_end"] if column == "error.at_end" else row[column] for row in theirs["rows"]]
                self.assertEqual(list(table[column]), flat)
            self.assertEqual(json.loads(command("modes", "pendulum_angle.yaml", "--json", cwd=folder).stdout),
                             es.modes(es.examples.load("pendulum_angle")))
            found = json.loads(command("statics", "bend_45.yaml", "--json", cwd=folder).stdout)
            self.assertEqual(found, dict(es.statics(es.examples.load("bend_45"))))
            name = next(iter(es.experiments()))
            theirs = json.loads(command("reproduce", name, "--quick", "--json", "--no-report", cwd=folder).stdout)
            mine = es.reproduce(name, quick=True)
            self.assertEqual([[r["what"] for r in e["rows"]] for e in mine["experiments"]],
                             [[r["what"] for r in e["rows"]] for e in theirs["experiments"]])
