"""python_threads.py: two simulations in two threads of one interpreter beside one after the other. Run it with a Python that has the module."""

import os
import threading
import time

import escapement as es


def run(count: int, at_once: bool) -> float:
    model = es.examples.load("slider_crank_clearance")

    def one() -> None:
        model.run("moreau-midpoint-ggl", step=1e-6, end=0.3, progress=False)

    begin = time.perf_counter()
    if at_once:
        threads = [threading.Thread(target=one) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        for _ in range(count):
            one()
    return time.perf_counter() - begin


run(1, False)
apart, together = min(run(2, False) for _ in range(3)), min(run(2, True) for _ in range(3))
print(f"two runs one after the other {apart:.2f} s, in two threads {together:.2f} s: {apart / together:.2f} times as fast "
      f"(load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")
