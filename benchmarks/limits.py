"""What the machine can do at most: builds and runs limits.cpp."""
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def measure_limits(folder):
    """Operations a second of all threads by unit, and bytes read a second; the program is built in `folder`."""
    program = folder / "limits"
    compiler = ["clang++-22", "-std=c++20", "-O3", "-march=native", "-pthread"]
    subprocess.run([*compiler, HERE / "limits.cpp", "-o", program], check=True)
    return json.loads(subprocess.run([program, str(os.cpu_count())], capture_output=True, text=True, check=True).stdout)
