"""What `./dev` does, one module a task. Only Python 3.11's own library: this runs before anything is installed."""
