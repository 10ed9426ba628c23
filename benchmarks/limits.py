"""What the machine can do at most, as `drumlin limits` measures it."""
import json
import os
import subprocess


def measure_limits(build):
    """Operations a second of all threads by unit, and bytes read a second."""
    command = [build / "bin" / "drumlin", "limits", "--json", "--threads", str(os.cpu_count())]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
