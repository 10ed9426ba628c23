"""The tasks of `./dev`, one module per task. Uses only Python 3.11's standard library, since it
runs before anything is installed."""
