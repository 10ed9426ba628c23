"""No shared fixtures: inside.py runs in an environment that has only the package, numpy and pytest."""
collect_ignore = ["inside.py"]
