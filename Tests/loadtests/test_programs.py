"""The programs that measure start on a machine that has Python and no package for it."""

import pathlib
import subprocess
import sys
import unittest

LOAD_TESTS = pathlib.Path(__file__).resolve().parents[2] / "LoadTests"


class TestPrograms(unittest.TestCase):
    def test_they_need_no_package(self):
        for name in ("bench.py", "soak/soak.py"):
            with self.subTest(name):
                # Without "site", Python finds no installed package.
                program = subprocess.run(
                    [sys.executable, "-S", "-B", LOAD_TESTS / name, "--help"], capture_output=True, text=True)
                self.assertEqual((program.returncode, program.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=1)
