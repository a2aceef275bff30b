#!/usr/bin/env python3
"""Runs etzel-isa on the golden samples: filters, encodings, messages, traces, listings, and the tables of docs/isa.md.

usage: check_tool.py ETZEL_ISA SOURCE_DIR. Prints what differs; exit status 1 if anything does.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TOOL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SAMPLES = ROOT / "tools/etzel-isa/samples"
problems = []


def run(*arguments, data=b""):
    return subprocess.run([TOOL, *map(str, arguments)], input=data, capture_output=True, timeout=60)


def check(what, condition, detail=""):
    if not condition:
        problems.append(f"{what}: {detail}")


# Text -> raw words -> text -> raw words; and the golden words.
text = (SAMPLES / "base.isa").read_bytes()
raw = run("asm", "-", data=text)
check("asm -", raw.returncode == 0, raw.stderr)
back = run("dis", "-", data=raw.stdout)
check("dis -", back.returncode == 0 and back.stdout == text, back.stdout.decode() + back.stderr.decode())
golden = [line.split() for line in (SAMPLES / "base.hex").read_text().splitlines()]
for i, (hi, lo) in enumerate(golden):
    got = struct.unpack_from("<QQ", raw.stdout, 16 * i)
    check(f"word {i}", got == (int(lo, 16), int(hi, 16)), f"{got[1]:016x} {got[0]:016x}")
hexadecimal = run("asm", SAMPLES / "base.isa").stdout.decode().split()
check("asm FILE", hexadecimal[:2 * len(golden)] == [w for pair in golden for w in pair], str(hexadecimal[:4]))
check("odd input", run("dis", "-", data=b"123").returncode == 1)
check("reserved bits", b"reserved" in run("dis", "-", data=b"\0" * 15 + b"\1").stderr)

# Messages point at the place.
error = run("asm", "-", data=b"nop\n  fad.f32 r0.x, r0.x, r0.x\n")
check("message", error.returncode == 1 and b"line 2, column 3" in error.stderr and b"did you mean fadd" in error.stderr
      and error.stderr.splitlines()[-1] == b"    ^", error.stderr)

with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "loop.isa"
    program.write_text(".stage vertex\nfadd.f32 r0.x, i0.x, i0.y\nif r0.x\nxmov.m o0.x, r0.x\nendif\n")
    check("verify", b"4 instructions" in run("verify", program).stdout)
    result = run("run", program, "1.5", "2.0").stdout.decode()
    check("run", result.startswith("o0.x") and "(3.5)" in result, result)
    trace = run("run", "--trace", program, "1.5", "2.0").stdout.decode()
    check("trace", "01234567     2  xmov.m o0.x, r0.x" in trace and "r0.x = 40600000" in trace, trace)

if shutil.which("glslangValidator"):
    listing = run("compile", SAMPLES / "wave.vert")
    check("compile", listing.returncode == 0 and b"gl_Position = position * 2.0" in listing.stdout,
          (listing.stdout + listing.stderr).decode())

# The specification's tables are the generated ones, and it names the capabilities that the front end accepts.
specification = (ROOT / "docs/isa.md").read_text()
listed = set(re.findall(r"`(\w+)`", specification.partition("## SPIR-V capabilities")[2].partition("\n## ")[0]))
accepted = set(re.findall(r"case C::(\w+):", (ROOT / "compiler/spirv/capabilities.cpp").read_text()))
check("capabilities of docs/isa.md", listed >= accepted, ", ".join(sorted(accepted - listed)))
table = run("table").stdout.decode().strip()
check("docs/isa.md", table in specification, "its tables differ from `etzel-isa table`")

print("\n".join(problems) or "etzel-isa does what its samples say")
sys.exit(1 if problems else 0)
