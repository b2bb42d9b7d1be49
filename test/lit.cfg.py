import os

import lit.formats

config.name = "Pocket"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["python", "fuzz", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.pocket_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["PYTHONPATH"] = config.pocket_python_dir
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all --allow-unused-prefixes=false"
config.substitutions.append(("%python", config.python))
