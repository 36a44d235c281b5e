"""Installs the Python module: the compiled half is built by CMake in build/release, where the program is built too.

    /usr/bin/python3 -m venv --system-site-packages ENV
    ENV/bin/pip install --no-build-isolation .
"""

import os
import re
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("ESCAPEMENT_BUILD", os.path.join(HERE, "build", "release"))
DEBIAN = "/usr/bin/python3"


def version():
    with open(os.path.join(HERE, "CMakeLists.txt")) as file:
        return re.search(r"project\(Escapement VERSION ([0-9.]+)", file.read()).group(1)


def say_which_python():
    """Debian's packages are for Debian's Python."""
    base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    if os.path.exists(DEBIAN) and base != os.path.realpath(DEBIAN):
        print(f"escapement: this is {base}, not Debian's {DEBIAN}: the module is built for it, and Debian's packages (numpy, "
              f"matplotlib, ...) are not seen from it; '{DEBIAN} -m venv --system-site-packages ENV' makes an environment that sees them",
              file=sys.stderr)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        say_which_python()
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        built = os.path.join(BUILD, "python", "_core" + suffix)
        configure = ["cmake", "-S", HERE, "-B", BUILD, "-DESCAPEMENT_PYTHON=ON", f"-DPython_EXECUTABLE={os.path.realpath(sys.executable)}"]
        if not os.path.exists(os.path.join(BUILD, "build.ninja")):
            configure += ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DESCAPEMENT_TESTS=OFF"]
        self.call(configure)
        self.call(["ninja", "-C", BUILD, "escapement_python"])
        target = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        self.copy_file(built, target)

    @staticmethod
    def call(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"escapement: {' '.join(command)} failed:\n{done.stdout[-4000:]}\n"
                     "Debian's packages for the build are in packages.txt; for the module also pybind11-dev, python3-dev, python3-numpy")


setup(
    name="escapement",
    version=version(),
    description="Simulates mechanisms whose motion is not smooth",
    license="Apache-2.0",
    python_requires=">=3.9",
    packages=["escapement"],
    package_dir={"": "python"},
    package_data={"escapement": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("escapement._core", [])],
    cmdclass={"build_ext": CMakeBuild},
)
