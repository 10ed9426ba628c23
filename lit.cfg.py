"""lit's configuration: tests are the .mlir and .test files of `test` folders, which say how they are run in RUN lines."""
import os

import lit.formats

config.name = "drumlin"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Programs and inputs that tests read, not tests themselves.
config.excludes = ["artifacts", "Inputs", "findings", "training_step.mlir"]

build = os.path.abspath(lit_config.params.get("build", "build/release"))
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(build, "lit")
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
# A kernel cache of the tests' own: they neither read nor fill the user's.
config.environment["DRUMLIN_CACHE"] = os.path.join(build, "test-cache")
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error"
config.substitutions.append(("%root", config.test_source_root))
config.substitutions.append(("%models", os.path.join(config.test_source_root, "test", "models")))
