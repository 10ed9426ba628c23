"""The tasks of `./dev`, one module per task. They use only Python 3.11's standard library, since
they run before anything is installed."""
