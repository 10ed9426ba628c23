"""A pytest plugin: writes a line of JSON when a test begins and when it ends, so that a crash can
be attributed to a test. Tests that are already in the file are not run again."""
import ctypes
import json
import os
import pathlib
import time


def pytest_addoption(parser):
    parser.addoption("--record", type=pathlib.Path, required=True)


class Record:
    def __init__(self, path):
        before = path.read_text().splitlines() if path.exists() else []
        self.known = {json.loads(line).get("test") for line in before}
        self.file = path.open("a", buffering=1)
        self.outcome = {}

    def write(self, **values):
        self.file.write(json.dumps(values) + "\n")

    def pytest_collection_modifyitems(self, config, items):
        left = [item for item in items if item.nodeid not in self.known]
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self.known])
        items[:] = left

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(test=report.nodeid, outcome="failed", why=str(report.longrepr)[-2000:])

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(test=nodeid, outcome="began", at=time.time())
        self.outcome = {"outcome": "passed"}

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.outcome = {"outcome": "failed", "why": str(report.longrepr)[-4000:]}
        elif report.skipped and self.outcome["outcome"] == "passed":
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.outcome = {"outcome": "skipped", "why": reason}

    def pytest_runtest_logfinish(self, nodeid, location):
        self.write(test=nodeid, at=time.time(), **self.outcome)

    def pytest_sessionfinish(self, session):
        if library := os.environ.get("DRUMLIN_LIBRARY"):
            count = ctypes.CDLL(library).drumlin_execution_count
            count.restype = ctypes.c_uint64
            self.write(executions=count())


def pytest_configure(config):
    # Use one device on each side, whatever a file requests.
    from jax._src import test_util
    test_util.request_cpu_devices = lambda count: None
    config.pluginmanager.register(Record(config.getoption("--record")))
