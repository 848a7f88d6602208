"""Reads ringcast's result files and draws them. Run `python -m ringcast_analysis --help`."""
