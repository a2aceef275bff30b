#!/usr/bin/env python3
"""A manual page of what a program says of itself with --help, compressed. usage: man_page.py SUMMARY OUTPUT PROGRAM

An emulator's command line may be before PROGRAM.
"""
import gzip
import pathlib
import re
import subprocess
import sys

summary, output, *command = sys.argv[1:]
program = command[-1]
name = pathlib.Path(program).name
done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
text = done.stdout.replace(program, name).strip()
if not re.search(r"\busage:", text, re.I):
    sys.exit(f"{name} says nothing of how it is used: {text}")


def escaped(line):
    """Neither escapes nor requests of troff, and hyphens as they are."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


page = [f".TH {name.upper()} 1 \"\" Etzel", ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}", ".SH DESCRIPTION", ".nf",
        *map(escaped, text.splitlines()), ".fi", ".SH SEE ALSO", "/usr/share/doc/etzel", ""]
with open(output, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
    packed.write("\n".join(page).encode())
