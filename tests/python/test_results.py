"""Results are views of the recorded numbers, and can be saved, read and pickled."""

import gc
import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np

import escapement as es


def address(array):
    return array.__array_interface__["data"][0]


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = es.examples.load("slider_crank_clearance")
        cls.result = cls.model.run(end=0.02)

    def test_columns_are_views_of_one_block(self):
        r = self.result
        table = r.q
        self.assertEqual(table.shape, (len(r.t), len(self.model.coordinates)))
        for k, name in enumerate(self.model.coordinates):
            column = r[name]
            self.assertEqual(address(column), address(table) + 8 * k)
            self.assertEqual(column.strides, (8 * table.shape[1],))
            self.assertFalse(column.flags.owndata or column.flags.writeable)
        self.assertEqual(address(r[self.model.coordinates[0] + "'"]), address(r.v))
        self.assertEqual(address(r.t), address(r["t"]))

    def test_contacts_are_views(self):
        name = self.model.contacts[0]
        force = self.result.contacts[name].force
        self.assertEqual(address(force), address(self.result.table("contacts/force")))
        self.assertTrue((force == self.result[f"contacts.{name}.force"]).all())
        with self.assertRaises(KeyError):
            self.result.contacts["nobody"]

    def test_points_where_shapes_touch(self):
        run = es.examples.load("stack_of_boxes").run(end=0.2)
        points = run.contact_points
        last = points.sample == len(run.t) - 1
        self.assertEqual(points.force.shape, (len(points.sample), 3))
        self.assertEqual(set(points.contact), {"stack"})
        floor = [k for k in np.flatnonzero(last) if points.a[k] == "ground"]
        self.assertEqual({points.b[k] for k in floor}, {"box1"})
        self.assertAlmostEqual(run.contacts["stack"].force[-1], (points.force * points.normal).sum(axis=1)[last].sum(), places=9)
        self.assertEqual(self.result.contact_points.point.shape[0], 0)

    def test_views_keep_the_result_alive(self):
        column = es.examples.load("pendulum").run(end=0.1)["x"]
        gc.collect()
        self.assertEqual(column[0], es.examples.load("pendulum").run(end=0.1)["x"][0])

    def test_a_misspelt_column_has_a_hint(self):
        with self.assertRaisesRegex(KeyError, "did you mean 'energy.total'"):
            self.result["energy.totl"]

    def test_saved_and_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("h5", "csv", "html"):
                path = os.path.join(folder, "run." + ending)
                self.result.save(path)
                self.assertGreater(os.path.getsize(path), 1000)
            same = es.read(os.path.join(folder, "run.h5"))
        for path in self.result.names:
            self.assertEqual(self.result.table(path).tobytes(), same.table(path).tobytes(), path)
        self.assertEqual(self.result.summary, same.summary)
        with self.assertRaises(es.ResultError):
            es.read("no_such_file.h5")

    def test_pickled(self):
        same = pickle.loads(pickle.dumps(self.result))
        self.assertEqual(self.result["th1'"].tobytes(), same["th1'"].tobytes())
        self.assertEqual(list(self.result.events), list(same.events))
        model = pickle.loads(pickle.dumps(es.examples.load("pendulum", l=2)))
        self.assertEqual(model.parameters["l"], 2)
        # files that a model reads go with it
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "lift.csv"), "w") as file:
                file.write("angle,lift\n" + "".join(f"{k},{k * k}\n" for k in range(6)))
            path = os.path.join(folder, "cam.yaml")
            with open(path, "w") as file:
                file.write("escapement: 1\ntables: {lift: {file: lift.csv, x: angle, y: lift}}\ncoordinates: {x: {start: 1, rate: 1}}\n"
                           "kinetic_energy: x'^2/2\npotential_energy: lift(x)\nsimulation: {end: 1}\n")
            model = es.load(path)
            before, carried = model.run()["x"], pickle.dumps(model)
        self.assertEqual(pickle.loads(carried).run()["x"].tobytes(), before.tobytes())
        with self.assertRaises(es.ModelError):
            es.model(model.text, file=path)
        error = pickle.loads(pickle.dumps(es.ModelError("a:1:2: no", "a", 1, 2, "no")))
        self.assertEqual((str(error), error.line, error.column), ("a:1:2: no", 1, 2))

    def test_a_page_for_notebooks(self):
        page = self.result.html()
        self.assertIn("<html", page)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # they would stand in the notebook
            self.assertIn("<iframe", self.result.show()._repr_html_())

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        axes = self.result.plot("th1", "contacts.g1.force")
        self.assertEqual([line.get_label() for line in axes.get_lines()], ["th1", "contacts.g1.force"])

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.result.frame()
        self.assertTrue((frame["th1"].to_numpy() == self.result["th1"]).all())
        self.assertEqual(len(self.result.events.frame()), len(self.result.events))
