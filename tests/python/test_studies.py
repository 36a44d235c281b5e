"""Studies: the same table from every engine, going on after an end of any kind, failing rows, refusals."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np

import escapement as es

PROGRAM = os.environ.get("ESCAPEMENT", "escapement")
STUDY = """escapement: 1
model: bouncing_ball.yaml
vary: {restitution: "linspace(0.3, 1.02, 20)"}
sample: {count: 3, seed: 3, of: {g: "uniform(9, 10)"}}
measure: {hits: impacts, kept: final(energy.total)/initial(energy.total), lowest: min(contacts.floor.gap)}
"""


def command(*words, cwd, **more):
    return subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def rows_in(path):
    """How many rows a file of rows has."""
    try:
        with open(path) as file:
            return sum(1 for line in file if line.startswith("[") and "," in line and line.endswith("\n"))
    except FileNotFoundError:
        return 0


def wait_for_rows(path, count, process):
    limit = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < limit and rows_in(path) < count:
        time.sleep(0.002)


def dies_in_its_first_chunk(marker, run_chunk, *arguments):
    """On a worker: the first process that gets here ends at once."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return run_chunk(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


class DyingPool(ProcessPoolExecutor):
    marker = ""

    def submit(self, function, *arguments, **keywords):
        return super().submit(dies_in_its_first_chunk, type(self).marker, function, *arguments, **keywords)


class Studies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        with open(os.path.join(cls.folder, "bouncing_ball.yaml"), "w") as file:
            file.write(es.examples.load("bouncing_ball").text)
        cls.file = os.path.join(cls.folder, "study.yaml")
        with open(cls.file, "w") as file:
            file.write(STUDY)
        done = command(PROGRAM, "sweep", cls.file, "--end", "1", "--quiet", "-j", "1", "-o", "one", cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        with open(os.path.join(cls.folder, "one.csv")) as file:
            cls.csv = file.read()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def study(self):
        return es.study(self.file, end=1)

    def test_the_table_of_the_command_line(self):
        study = self.study()
        table = study.run()
        self.assertEqual(study.csv(), self.csv)
        self.assertEqual(len(table["hits"]), 60)
        # of a model and dictionaries the same
        like = es.study(es.load(os.path.join(self.folder, "bouncing_ball.yaml")), vary={"restitution": "linspace(0.3, 1.02, 20)"},
                        sample={"count": 3, "seed": 3, "of": {"g": "uniform(9, 10)"}}, end=1,
                        measure={"hits": "impacts", "kept": "final(energy.total)/initial(energy.total)", "lowest": "min(contacts.floor.gap)"})
        like.run(jobs=2)
        self.assertEqual(like.csv(), self.csv.replace(os.path.join(self.folder, ""), os.path.join(self.folder, "")))

    def test_rows_that_are_refused_say_why(self):
        table = self.study().run()
        refused = [(s, m) for s, m in zip(table["status"], table["message"]) if s == "refused"]
        self.assertEqual(len(refused), 3)
        for _, message in refused:
            self.assertIn("restitution", message)

    def test_one_row_in_twenty_fails_and_says_why(self):
        with open(os.path.join(self.folder, "pole.yaml"), "w") as file:
            file.write("escapement: 1\nparameters: {c: 2}\ncoordinates: {x: {start: 1}}\nkinetic_energy: x'^2/2\n"
                       "forces: {x: 1/(c - t)^3}\nsimulation: {end: 1, scheme: hem5, tolerance: 1e-6}\n")
        with open(os.path.join(self.folder, "failing.yaml"), "w") as file:
            file.write('escapement: 1\nmodel: pole.yaml\nvary: {c: "linspace(0.5, 10, 20)"}\nmeasure: {x: final(x)}\n')
        # at 0.5 and 1 the force has no bound within the run
        done = command(PROGRAM, "sweep", "failing.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^ +0 +0\.5 +failed: .*t = 0\.(5|49)")
        self.assertRegex(done.stdout, r"\d of 20 runs failed")
        table = es.study(os.path.join(self.folder, "failing.yaml")).run()
        failed = [c for c, status in zip(table["c"], table["status"]) if status == "failed"]
        self.assertEqual(failed[0], 0.5)
        self.assertLessEqual(len(failed), 2)
        self.assertEqual(sum(status == "completed" for status in table["status"]), 20 - len(failed))
        for x, status, message in zip(table["x"], table["status"], table["message"]):
            self.assertEqual(np.isnan(x), status == "failed")
            self.assertEqual(bool(message), status == "failed")

    def test_tables_with_and_without_pandas(self):
        code = ("import escapement as es\n"
                "table = es.study(es.examples.load('bouncing_ball'), vary={'restitution': [0.2, 0.8]}, measure={'hits': 'impacts'}, end=1).run()\n"
                "print(type(table).__module__.split('.')[0], [int(n) for n in table['hits']], list(table.columns))\n"
                "print(es.compare(es.examples.load('pendulum'), ['hem5'], [1e-4], end=0.1).attrs['comparison']['rows'][0]['scheme'])")
        said = [subprocess.run([sys.executable, "-c", first + code], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
                for first in ("", "import sys; sys.modules['pandas'] = None\n")]
        try:
            import pandas  # noqa: F401
        except ImportError:
            pass
        else:
            self.assertEqual(said[0][0].split()[0], "pandas")
        self.assertEqual(said[1][0].split()[0], "escapement")
        self.assertEqual(*[lines[0].split(maxsplit=1)[1] for lines in said])
        self.assertEqual([lines[1] for lines in said], ["hem5", "hem5"])

    def test_any_executor(self):
        for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(2)):
            with executor:
                study = self.study()
                study.run(executor)
                self.assertEqual(study.csv(), self.csv)

    def test_a_process_that_dies_costs_its_chunk(self):
        DyingPool.marker = os.path.join(self.folder, "died")
        with DyingPool(2) as executor:
            study = self.study()
            study.run(executor)
        self.assertTrue(os.path.exists(DyingPool.marker))
        self.assertEqual(study.csv(), self.csv)

    def test_a_killed_study_goes_on(self):
        words = [PROGRAM, "sweep", "study.yaml", "--end", "60", "-j", "2", "-o", "killed"]
        whole = command(*words[:-1], "whole", "--quiet", cwd=self.folder)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        rows = os.path.join(self.folder, "killed.rows")
        seen = 0
        for _ in range(2):
            child = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for_rows(rows, seen + 8, child)
            child.kill()
            child.wait()
            if not os.path.exists(rows):
                self.fail("the study was over before it could be killed")
            now = rows_in(rows)
            self.assertGreater(now, seen)
            seen = now
        last = command(*words, cwd=self.folder)
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertRegex(last.stderr, f"goes on with {seen} of 60 runs")
        self.assertFalse(os.path.exists(rows))
        for ending in ("csv",):
            self.assertEqual(open(os.path.join(self.folder, "killed." + ending)).read(), open(os.path.join(self.folder, "whole." + ending)).read())

    def test_python_goes_on_with_rows_of_the_command_line(self):
        name = os.path.join(self.folder, "mixed")
        study = self.study()
        with ThreadPoolExecutor(1) as executor:

            class Enough(Exception):
                pass

            def stop(done, of):
                if done == 10:
                    raise Enough

            with self.assertRaises(Enough):
                study.run(executor, file=name, progress=stop)
        done = command(PROGRAM, "sweep", self.file, "--end", "1", "-o", "mixed", cwd=self.folder)
        # the files name the study differently, its rows are the same study's
        self.assertIn("goes on with", done.stderr)
        self.assertEqual(open(name + ".csv").read(), self.csv)

    def test_a_misspelt_measure_is_refused_with_its_place(self):
        path = os.path.join(self.folder, "wrong.yaml")
        with open(path, "w") as file:
            file.write(STUDY.replace("impacts", "impact"))
        with self.assertRaises(es.ModelError) as caught:
            es.study(path)
        self.assertEqual(caught.exception.line, 5)
        self.assertIn("impact", str(caught.exception))
        done = command(PROGRAM, "sweep", "wrong.yaml", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^wrong\.yaml:5:\d+: .*did you mean")
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("wrong.") and name != "wrong.yaml"])

    def test_under_mpirun_without_mpi(self):
        done = command(PROGRAM, "sweep", "study.yaml", cwd=self.folder, env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertIn("--on mpi", done.stderr)

    def test_mpi(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            self.skipTest("mpi4py is not installed")
        if not shutil.which("mpirun"):
            self.skipTest("mpirun is not installed")
        words = ["mpirun", "-n", "4", "--oversubscribe", "--allow-run-as-root", sys.executable, "-m", "mpi4py.futures", "-m", "escapement",
                 "sweep", self.file, "--on", "mpi"]
        done = command(*words, "--end", "1", "--quiet", "-o", "mpi", cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(open(os.path.join(self.folder, "mpi.csv")).read(), self.csv)
        # a process that dies ends the job; the same command goes on
        whole = command(PROGRAM, "sweep", self.file, "--end", "60", "--quiet", "-o", "cores", cwd=self.folder)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        words += ["--end", "60", "-o", "mpi"]
        job = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = os.path.join(self.folder, "mpi.rows")
        wait_for_rows(rows, 5, job)
        with open(f"/proc/{job.pid}/task/{job.pid}/children") as children:
            os.kill(int(children.read().split()[-1]), signal.SIGKILL)
        self.assertNotEqual(job.wait(timeout=60), 0)
        kept = rows_in(rows)
        self.assertGreaterEqual(kept, 5)
        done = command(*words, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"goes on with {kept} of 60 runs from mpi.rows; \d+ that were cut short are made again")
        self.assertEqual(open(os.path.join(self.folder, "mpi.csv")).read(), open(os.path.join(self.folder, "cores.csv")).read())

    def test_dask_and_a_worker_that_is_killed(self):
        try:
            import distributed  # noqa: F401
        except ImportError:
            self.skipTest("distributed is not installed")
        children = []

        def start(*words):
            children.append(subprocess.Popen([sys.executable, "-m", *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            return children[-1]

        try:
            scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
            address = ""
            for line in scheduler.stderr:
                if "Scheduler at:" in line:
                    address = line.split()[-1]
                    break
            workers = [start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(3)]
            from distributed import Client

            with Client(address) as client:
                client.wait_for_workers(3)
            words = [PROGRAM, "sweep", "study.yaml", "--end", "60", "--on", "dask:" + address, "--quiet", "-o", "dask"]
            environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}
            study = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, text=True, env=environment)
            rows = os.path.join(self.folder, "dask.rows")
            wait_for_rows(rows, 5, study)
            workers[0].kill()
            _, text = study.communicate(timeout=120)
            self.assertEqual(study.returncode, 0, text)
            self.assertFalse(os.path.exists(rows))
        finally:
            for child in children:
                child.kill()
                child.communicate()
        command(PROGRAM, "sweep", "study.yaml", "--end", "60", "--quiet", "-o", "cores", cwd=self.folder)
        self.assertEqual(open(os.path.join(self.folder, "dask.csv")).read(), open(os.path.join(self.folder, "cores.csv")).read())
