import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import run_golden  # noqa: E402


class GoldenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "bin" / "ringcast"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho I am ringcast\n")
        program.chmod(0o755)

    def run_text(self, text, *options):
        """Exit code, and what was printed."""
        file = self.folder / "test.golden"
        file.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = run_golden.main([str(file), "--bin", str(self.folder / "bin"), *options])
        return code, printed.getvalue()

    def assert_passes(self, text):
        self.assertEqual(self.run_text(text), (0, ""))

    def assert_fails(self, text, *words):
        code, printed = self.run_text(text)
        self.assertEqual(code, 1)
        for word in words:
            self.assertIn(word, printed)

    def test_compares_output(self):
        self.assert_passes("$ echo one; echo two\none\ntwo\n")
        self.assert_fails("$ echo one\ntwo\n", "-two", "+one")

    def test_keeps_blank_lines_inside_an_output(self):
        self.assert_passes("// remark\n\n$ printf 'a\\n\\nb\\n'\na\n\nb\n\n// end\n")

    def test_missing_and_surplus_output_fail(self):
        self.assert_fails("$ echo one\n", "+one")
        self.assert_fails("$ true\none\n", "-one")

    def test_compares_the_exit_code(self):
        self.assert_passes("$ exit 3\n! exit 3\n")
        self.assert_fails("$ exit 3\n", "+! exit 3")
        self.assert_fails("$ true\n! exit 3\n", "-! exit 3")

    def test_names_a_signal(self):
        self.assert_passes("$ kill -KILL $$\n! signal 9\n")

    def test_compares_errors_apart_from_output(self):
        self.assert_passes("$ echo bad >&2; echo good; exit 2\n! exit 2\ngood\nstderr> bad\n")
        self.assert_fails("$ echo bad >&2\nbad\n", "+stderr> bad")

    def test_patterns_match_whole_lines(self):
        self.assert_passes("$ echo took 17 s\n~ took \\d+ s\n")
        self.assert_fails("$ echo took 17 seconds\n~ took \\d+ s\n", "+took 17 seconds")

    def test_lines_that_look_like_marks_are_escaped(self):
        self.assert_passes("$ printf '$ x\\n# y\\n! z\\n// w\\n'\n\\$ x\n# y\n\\! z\n\\// w\n")

    def test_commands_may_go_on(self):
        self.assert_passes("$ echo one \\\n  two\none two\n")

    def test_commands_share_a_folder_that_begins_fresh(self):
        self.assert_passes("$ ls results\n$ echo x > results/a\n$ ls results\na\n")

    def test_writes_files_before_the_next_command(self):
        self.assert_passes("< a\n| one\n|\n|   two\n< b\n\n$ cat a b\none\n\n  two\n"
                           "// another\n< a\n| three\n$ cat a\nthree\n")

    def test_lines_of_no_file_are_refused(self):
        self.assert_fails("// remark\n| stray\n$ true\n", "a line of no file")
        self.assert_fails("< a\n\n| stray\n$ true\n", "a line of no file")

    def test_output_that_looks_like_a_file_is_escaped(self):
        self.assert_passes("$ printf '< a\\n| b\\n|\\n'\n\\< a\n\\| b\n\\|\n")

    def test_the_folder_is_called_tmp(self):
        self.assert_passes('$ pwd; echo "$TMP"\n$TMP\n$TMP\n')

    def test_has_the_repository_and_the_programs(self):
        self.assert_passes("$ test -f tests/golden/run_golden.py && ringcast\nI am ringcast\n"
                           "$ build/release/bin/ringcast\nI am ringcast\n")

    def test_update_writes_what_happens_and_keeps_the_rest(self):
        code, _ = self.run_text("// why\n\n$ echo new; echo 5; exit 1\nold\n~ \\d\n\n// end\n",
                                "--update")

        self.assertEqual(code, 0)
        self.assertEqual((self.folder / "test.golden").read_text(),
                         "// why\n\n$ echo new; echo 5; exit 1\n! exit 1\nnew\n5\n\n// end\n")

    def test_refuses_output_without_a_command(self):
        self.assert_fails("stray\n$ true\n", "does not begin")
        self.assert_fails("$ true\n// remark\nstray\n", "output without a command")


if __name__ == "__main__":
    unittest.main()
