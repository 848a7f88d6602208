import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import check_tree  # noqa: E402


class CheckTreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def problems(self, **files):
        """What is printed for a tree of these files; `__` in a name is `/`, `_dot_` is `.`."""
        for name, text in files.items():
            path = self.root / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = check_tree.main([str(self.root)])
        lines = printed.getvalue().splitlines()
        self.assertEqual(code, 1 if lines else 0)
        return lines

    def test_an_empty_tree_is_fine(self):
        self.assertEqual(self.problems(), [])

    def test_includes_point_down(self):
        self.assertEqual(
            self.problems(sim__model__a_dot_cpp='#include "engine/numbers/b.hpp"\n'
                                         '#include "topology/rings/c.hpp"\n'), [])
        self.assertEqual(
            self.problems(engine__numbers__a_dot_hpp='\n  # include "sim/model/b.hpp"\n'),
            ["engine/numbers/a.hpp:2: engine/numbers includes sim/model/b.hpp (expected from engine/numbers only)"])

    def test_sim_and_real_do_not_know_each_other(self):
        printed = self.problems(sim__model__a_dot_cpp='#include "real/mpi/b.hpp"\n',
                                real__mpi__a_dot_cu='#include "sim/model/b.hpp"\n#include "topology/rings/b.hpp"\n')

        self.assertEqual([line.split(": ")[0] for line in printed],
                         ["real/mpi/a.cu:1", "real/mpi/a.cu:2", "sim/model/a.cpp:1"])

    def test_tests_may_include_anything(self):
        self.assertEqual(self.problems(
            tests__a_dot_cpp='#include "sim/model/b.hpp"\n#include "real/mpi/b.hpp"\n'
                             '#include "tests/c.hpp"\n#include <nlohmann/json.hpp>\n'
                             '#include <gtest/gtest.h>\n'), [])

    def test_files_belong_to_rooms(self):
        printed = self.problems(app__a_dot_cpp='#include "engine/b.hpp"\n',
                                app__cli__c_dot_cpp='#include "engine/b.hpp"\n')

        self.assertEqual([line.split(" (")[0] for line in printed],
                         ["app/a.cpp:1: app/a.cpp is in no room",
                          "app/cli/c.cpp:1: engine/b.hpp is in no room"])

    def test_only_the_commands_know_every_room(self):
        line = '#include "app/predict/b.hpp"\n#include "app/logs/b.hpp"\n'
        self.assertEqual(self.problems(app__cli__a_dot_cpp=line), [])
        printed = self.problems(app__measure__a_dot_cpp=line)
        self.assertEqual([text.split(" (")[0] for text in printed],
                         ["app/measure/a.cpp:1: app/measure includes app/predict/b.hpp",
                          "app/measure/a.cpp:2: app/measure includes app/logs/b.hpp"])

    def test_includes_begin_at_the_root(self):
        self.assertEqual(self.problems(engine__numbers__a_dot_cpp='#include "b.hpp"\n'),
                         ['engine/numbers/a.cpp:1: "b.hpp" is not written from the repository root'])

    def test_a_namespace_has_one_type_of_a_name(self):
        one = "namespace ringcast {{\n{0}\n}}  // namespace ringcast\n"
        own = one.format("namespace {\nstruct Sample {\n};\n}  // namespace\n")
        sample = one.format("struct Sample {\n};")
        self.assertEqual(self.problems(
            engine__numbers__a_dot_hpp=sample, engine__numbers__b_dot_cpp=own, sim__c_dot_cpp=own,
            sim__d_dot_hpp=one.format("struct Sample;\nclass Other final : public Sample {\n};"),
            sim__model__e_dot_hpp="namespace other {\nstruct Sample {\n};\n}  // namespace other\n"), [])
        self.assertEqual(self.problems(topology__rings__f_dot_hpp="\n" + sample),
                         ["topology/rings/f.hpp:3: ringcast::Sample is a type of engine/numbers/a.hpp too"])

    def test_third_party_headers_stay_in_their_folder(self):
        homes = {"pugixml.hpp": "topology/import", "simgrid/s4u.hpp": "sim/simgrid",
                 "xbt/log.h": "sim/simgrid", "yaml-cpp/yaml.h": "app/config/yaml", "CLI/CLI.hpp": "app/cli", "mpi.h": "real/mpi",
                 "openssl/evp.h": "app/report", "nccl.h": "real/mpi"}
        for header, home in homes.items():
            with self.subTest(header):
                line = f"#include <{header}>\n"
                self.assertEqual(self.problems(**{f"{home}/a.cpp": line}), [])
                self.assertEqual(
                    self.problems(engine__numbers__a_dot_cpp=line),
                    [f"engine/numbers/a.cpp:1: <{header}> in engine/numbers (expected in {home} only)"])
                self.assertEqual(
                    self.problems(engine__numbers__a_dot_cpp="", **{f"{home}/a.hpp": line}),
                    [f"{home}/a.hpp:1: <{header}> in a header (expected in a source file)"])
                (self.root / home / "a.hpp").unlink()

    def test_fmt_and_the_standard_library_may_be_anywhere(self):
        self.assertEqual(
            self.problems(engine__numbers__a_dot_hpp="#include <fmt/format.h>\n#include <vector>\n"), [])

    def test_files_are_short(self):
        self.assertEqual(self.problems(engine__numbers__a_dot_cpp="\n" * 300), [])
        self.assertEqual(self.problems(engine__numbers__a_dot_cpp="\n" * 301),
                         ["engine/numbers/a.cpp:301: 301 lines (expected 300 or fewer)"])

    def test_the_table_of_rooms_says_what_the_rules_say(self):
        def row(room, included):
            return f"| `{room}/` | {', '.join(f'`{other}/`' for other in sorted(included))} | x |\n"

        rows = {room: row(room, included) for room, included in check_tree.MAY_INCLUDE.items()}
        for name in check_tree.MAY_INCLUDE:
            (self.root / name).mkdir(parents=True)
        self.assertEqual(self.problems(ARCHITECTURE_dot_md="".join(rows.values())), [])
        rows["sim/model"] = row("sim/model", check_tree.MAY_INCLUDE["sim/model"] | {"real"})
        del rows["app/logs"]
        self.assertEqual(
            [line for line in self.problems(ARCHITECTURE_dot_md="".join(rows.values()))
             if " sim/model " in line or "app/logs is" in line],
            ["ARCHITECTURE.md:15: sim/model includes real here only",
             "ARCHITECTURE.md:1: app/logs is not in the table of rooms"])

    def test_documents_name_what_exists(self):
        readme = ("See `engine/numbers/a.cpp`, `a.cpp`, [it](engine/numbers/a.cpp#top), `engine/`, `engine/*/*.cpp`\n"
                  "`GB/s`, `send/recv`, `results/x.json`, `build/dev/x.cpp` [web](https://a.b/c)\n"
                  "[below](#below), `--output x.yaml`.\n"
                  "```text\n`engine/numbers/none.cpp`\n```\n")

        self.assertEqual(self.problems(engine__numbers__a_dot_cpp="", README_dot_md=readme), [])

    def test_documents_that_name_what_is_gone_are_told(self):
        printed = self.problems(
            engine__numbers__a_dot_cpp="",
            ARCHITECTURE_dot_md="x\n`engine/numbers/none.cpp` [it](gone.md) `engine/numbers/sub/` `none.hpp`\n")

        self.assertEqual(sorted(printed), [f"ARCHITECTURE.md:2: {name} does not exist" for name in
                                           ("engine/numbers/none.cpp", "engine/numbers/sub/", "gone.md",
                                            "none.hpp")])

    def test_commands_of_the_readme_are_run(self):
        readme = ("```console\n$ ringcast predict a.yaml\n$ build/release/bin/ringcast show \\\n"
                  "    b.yaml   # a remark\noutput\n$ ./quickstart.sh\n$ ./check.sh\n$ ls\n```\n")

        self.assertEqual(self.problems(
            README_dot_md=readme, check_dot_sh="  ./quickstart.sh\n",
            tests__golden__a_dot_golden="$ ringcast predict a.yaml\nx\n$ ringcast show b.yaml\noutput\n"),
            [])

    def test_commands_that_no_transcript_runs_are_told(self):
        readme = "```sh\nringcast predict a.yaml --quiet\n```\n```text\nringcast is a name\n```\n"

        self.assertEqual(self.problems(
            README_dot_md=readme,
            tests__golden__a_dot_golden="// ringcast predict a.yaml --quiet\n"
                                        "$ ringcast predict a.yaml\n"),
            ["README.md:2: ringcast predict a.yaml --quiet: not run by a transcript in"
             " tests/golden"])

    def test_the_pages_of_docs_are_checked_like_the_readme(self):
        page = ("[up](../README.md) [beside](a.md) [gone](README.md) `engine/none.cpp`\n"
                "```console\n$ ringcast a\n1\n3\n$ ringcast b\n```\n")
        self.assertEqual(
            self.problems(
                README_dot_md="[down](docs/a.md) [gone](a.md)\n", docs__a_dot_md=page,
                engine__numbers__a_dot_cpp="", engine__a_dot_md="`numbers/a.cpp` [gone](a/b.md)\n",
                tests__golden__a_dot_golden="$ ringcast a\n1\n2\n"),
            ["README.md:1: a.md does not exist", "docs/a.md:1: README.md does not exist",
             "docs/a.md:1: engine/none.cpp does not exist",
             "engine/a.md:1: a/b.md does not exist",
             "docs/a.md:6: ringcast b: not run by a transcript in tests/golden",
             "docs/a.md:5: 3: not in the output of ringcast a"])

    def test_files_that_git_ignores_are_left_out(self):
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.problems(_dot_gitignore="out/\n", out__a_dot_py="\n" * 400)

        self.assertEqual(self.problems(), [])

    def test_outputs_in_the_readme_are_those_of_a_transcript(self):
        golden = "$ ringcast a\n~ # ringcast \\S+\n1\n2\n3\n$ ringcast b\n"
        self.assertEqual(
            self.problems(
                README_dot_md="```console\n$ ringcast a\n# ringcast 0.1\n...\n2\n\n3\n```\n"
                              "```console\n$ ringcast b\n```\n",
                tests__golden__a_dot_golden=golden), [])
        self.assertEqual(
            self.problems(README_dot_md="```console\n$ ringcast a\n2\n1\n$ ringcast b\n4\n```\n",
                          tests__golden__a_dot_golden=golden),
            ["README.md:4: 1: not in the output of ringcast a",
             "README.md:6: 4: not in the output of ringcast b"])


if __name__ == "__main__":
    unittest.main()
