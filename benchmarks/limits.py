"""The machine's peak rates, as measured by `drumlin limits`."""
import json
import os
import subprocess


def measure_limits(build):
    """Returns operations per second of all threads by unit, and bytes read per second."""
    command = [build / "bin" / "drumlin", "limits", "--json", "--threads", str(os.cpu_count())]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


class Limits:
    """The peak rates during a measurement. A shared machine's rates can double or halve within
    seconds, so they are measured before and after, and the higher rate counts. If the rates
    changed meanwhile, the measurement should be repeated."""

    STEADY = 0.15  # fraction by which rates may differ

    def __init__(self, build):
        self.build, self.last = build, measure_limits(build)
        self.lowest, self.highest = dict(self.last), dict(self.last)

    def around(self):
        """Returns the rates since the last call of this method (at first: since the object was
        made), and whether they stayed the same in that time."""
        before, self.last = self.last, measure_limits(self.build)
        for unit, rate in self.last.items():
            self.lowest[unit], self.highest[unit] = min(self.lowest[unit], rate), max(self.highest[unit], rate)
        steady = all(abs(before[unit] - rate) <= self.STEADY * max(rate, before[unit]) for unit, rate in self.last.items())
        return {unit: max(before[unit], self.last[unit]) for unit in before}, steady

    def text(self):
        span = lambda unit: f"{self.lowest[unit] / 1e9:.0f} to {self.highest[unit] / 1e9:.0f}"
        return (f"limits of {self.last['threads']} threads during the run, in Gop/s: "
                + ", ".join(f"{unit} {span(unit)}" for unit in ("f32", "bf16", "int8")) + f"; memory read {span('read')} GB/s")
