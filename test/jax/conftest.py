"""JAX has one set of backends in a process: inside_*.py run in processes of their own, with the plugin."""
collect_ignore_glob = ["inside_*.py"]
