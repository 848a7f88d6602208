"""`cmake --install`: programs, catalogue, man pages and completion that work in any directory."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

BUILD = os.environ.get("RINGCAST_BUILD")


def matplotlib_is_there():
    return any(subprocess.run([python, "-c", "import matplotlib"], capture_output=True,
                              check=False).returncode == 0
               for python in ("python3", "/usr/bin/python3") if shutil.which(python))


@unittest.skipUnless(BUILD, "RINGCAST_BUILD names no build folder")
class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="ringcast-install-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.prefix, cls.empty = cls.root / "prefix", cls.root / "empty"
        cls.empty.mkdir()
        subprocess.run(["cmake", "--install", BUILD, "--prefix", str(cls.prefix)], check=True,
                       stdout=subprocess.DEVNULL)
        environment = mock.patch.dict(os.environ, XDG_CACHE_HOME=str(cls.root / "cache"))
        environment.start()
        cls.addClassCleanup(environment.stop)
        cls.program = str(cls.prefix / "bin" / "ringcast")
        cls.man = cls.prefix / "share" / "man" / "man1"
        cls.completion = cls.prefix / "share" / "bash-completion" / "completions" / "ringcast"

    def ringcast(self, *words, code=0):
        done = subprocess.run([self.program, *words], cwd=self.empty, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def commands(self):
        listed = self.ringcast("--help").split("Subcommands:\n")[1]
        return re.findall(r"^  ([a-z-]+)", listed, re.MULTILINE)

    def offered(self, *words):
        """What bash offers for the last word."""
        script = ('source "$1"; shift; COMP_WORDS=(ringcast "$@"); COMP_CWORD=$#; _ringcast;'
                  ' printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", str(self.completion), *words],
                              capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_short_names_are_those_of_the_installed_catalogue(self):
        self.ringcast("predict", "scenarios/baidu-40gpu.yaml", "--ranks", "2", "--sizes", "1MiB",
                      "--output", "x.json")
        result = json.loads((self.empty / "x.json").read_text())
        self.assertEqual(result["provenance"]["scenario_file"],
                         str(self.prefix / "share/ringcast/scenarios/baidu-40gpu.yaml"))
        self.assertIn("40 GPUs", self.ringcast("show", "scenarios/clusters/baidu-2017.yaml"))

    def test_files_of_the_user_name_the_installed_catalogue(self):
        (self.empty / "mine.yaml").write_text(
            "cluster: scenarios/clusters/baidu-2017.yaml\n"
            "transport: {name: mine, base: scenarios/transports/ideal.yaml, source: x}\n"
            "ranks: 2\nsizes: 1 MiB\n")
        self.assertIn("node0.gpu0", self.ringcast("predict", str(self.empty / "mine.yaml")))

    def test_validate_has_the_published_sets(self):
        self.assertIn("Usage: ringcast validate", self.ringcast("validate", "--help"))
        self.assertIn("H200", self.ringcast("validate", "scenarios/published/h200.yaml"))
        shutil.copytree(self.prefix, self.root / "small")
        published = self.root / "small" / "share/ringcast/scenarios/published"
        for file in published.iterdir():
            if file.name not in ("h200.yaml", "b200.yaml"):
                file.unlink()
        done = subprocess.run([self.root / "small/bin/ringcast", "validate", "--summary"],
                              cwd=self.empty, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"(?s)B200.*H200.*\n   all ")

    def test_plot_runs_the_installed_analysis(self):
        self.ringcast("predict", "scenarios/sizes.yaml", "--sizes", "1MiB,2MiB",
                      "--output", "s.json")
        if matplotlib_is_there():
            self.ringcast("plot", "s.json", "--output", "s.png")
            self.assertTrue((self.empty / "s.png").read_bytes().startswith(b"\x89PNG"))
        analysis = self.prefix / "share/ringcast/analysis"
        analysis.rename(self.root / "gone")
        self.assertIn(f"{analysis}: no ringcast_analysis there",
                      self.ringcast("plot", "s.json", "--output", "s.png", code=3))
        (self.root / "gone").rename(analysis)

    def test_the_program_of_the_ranks_finds_its_libraries(self):
        done = subprocess.run([self.prefix / "bin" / "ringcast-mpi", "--help"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Usage: ringcast-mpi", done.stdout)

    def test_the_catalogue_is_whole(self):
        tree = Path(__file__).resolve().parents[1] / "scenarios"
        names = {str(file.relative_to(tree)) for suffix in ("*.yaml", "README.md")
                 for file in tree.rglob(suffix)}
        share = self.prefix / "share/ringcast/scenarios"
        self.assertEqual({str(file.relative_to(share)) for file in share.rglob("*")
                          if file.is_file()}, names)

    def test_each_command_has_a_man_page(self):
        self.assertEqual({file.name for file in self.man.iterdir()},
                         {"ringcast.1", *[f"ringcast-{name}.1" for name in self.commands()]})
        for file in self.man.iterdir():
            text = file.read_text()
            titles = re.findall(r"^\.SH \"?([A-Z ]+)\"?$", text, re.MULTILINE)
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(title, titles, file.name)
            self.assertRegex(text, r"\.B 130\n", file.name)
            self.assertNotRegex(text, r"\.TP\n\n|\.TP\n.*\n\.(TP|S)", file.name)  # undescribed

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_man_pages_are_without_warnings(self):
        for file in self.man.iterdir():
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(file)],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", file.name)
            self.assertIn("EXIT STATUS", re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout))

    def test_completion_offers_what_exists(self):
        self.assertEqual(self.offered(""), [*self.commands(), "--help", "--version"])
        self.assertEqual(self.offered("val"), ["validate"])
        for command in self.commands():
            text = self.ringcast(command, "--help")
            options = self.offered(command, "-")
            self.assertIn("--help", options)
            for option in options:
                self.assertRegex(text, rf"(?m)^  (\S*,)?{option}\b", command)
            for line in re.findall(r"^  (-\S+)", text, re.MULTILINE):
                self.assertLessEqual(set(re.sub(r"\{\w+\}", "", line).split(",")), set(options))

    def test_completion_offers_values_else_files(self):
        self.assertEqual(self.offered("predict", "--format", ""), ["table", "csv", "json"])
        self.assertEqual(self.offered("show", "x.yaml", "--format", "d"), ["dot"])
        self.assertEqual(self.offered("predict", "scen"), [])


if __name__ == "__main__":
    unittest.main()
