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
    def listing(name, text):
        path = pathlib.Path(folder) / name
        path.write_text(text)
        return path

    def runs(what, program, settings, expected):
        """The interpreter and native code (where there is any) agree, and every expected line is there."""
        result = run("run", *(["--both"] if native else []), program, *settings)
        lines = result.stdout.decode().splitlines()
        missing = [e for e in expected if not any(l.startswith(e) for l in lines)]
        check(what, result.returncode == 0 and not missing, f"{missing}\n{result.stdout}{result.stderr}")

    refusal = run("run", "--jit", listing("nothing.isa", ".stage vertex\nldimm o0.x, #1\n")).stderr
    native = b"no quick code for this host" not in refusal
    program = listing("branch.isa", ".stage vertex\nfadd.f32 r0.x, i0.x, i0.y\nif r0.x\nxmov.m o0.x, r0.x\nendif\n")
    check("verify", b"4 instructions" in run("verify", program).stdout)
    runs("vertex", program, ["i0=1.5,2.0", "i0.y=0,1.0,2.0,3.0,4.0,5.0,6.0,7.0"],
         ["o0.x  0x3fc00000 (1.5)  0x40200000 (2.5)"])
    trace = run("run", "--trace", program, "i0=1.5,2.0").stdout.decode()
    check("trace", "01234567     2  xmov.m o0.x, r0.x" in trace and "r0.x = 40600000" in trace, trace)
    if native:
        alone = run("run", "--jit", program, "i0=1.5,2.0").stdout.decode()
        check("run --jit", alone.startswith("o0.x  0x40600000 (3.5)"), alone)

    attributes = listing("lda.isa", ".stage vertex\naddi r0, r0, 1\nlda o4, r0.x, t3\n")
    result = run("run", attributes, "attribute 3=4*1.0,5,6.0,7,8").stdout.decode()
    check("lda", result.startswith("o4.x  0x00000005") and "o4.y  0x40c00000 (6)" in result, result)

    sum_up = listing("sum.isa", ".stage compute\n.local 12 1 1\n.shared 48\n.resource 0 2 0x20 32 1\n"
                     "desc r0.x, -, #0\nsys r0.y, #39\nldimm r0.w, #4\nimul.i32 r1.x, r0.y, r0.w\n"
                     "ld.buffer.i32 r1.y, r0.x, r1.x, #0\nst.shared.i32 -, r1.x, r1.y, #0\nbarrier\n"
                     "ldimm r1.z, #44\nisub.i32 r1.z, r1.z, r1.x\nld.shared.i32 r1.w, -, r1.z, #0\n"
                     "st.buffer.i32 r0.x, r1.x, r1.w, #0\n")
    order = run("dis", "-", data=run("asm", "-", data=b"sys r0.y, #39").stdout).stdout.decode()
    check("sys", order == "sys r0.y, #0x27\n", order)
    runs("compute", sum_up, ["buffer 0:2=1,2,3,4,5,6,7,8,9,10,11,12"],
         ["buffer 0 word 0 = 0x0000000c", "buffer 0 word 11 = 0x00000001"])

    texture = listing("tex.isa", ".stage fragment\n.resource 0 0 0 32 1\n.const 0.25 0.75 0 0\ntex o1, c0, t0\n"
                      "zxs c0, s1\n")
    result = run("run", texture, "samples=4",
                 "image 0=r8g8b8a8_unorm 2x2 clamp: 1.0,0.0,0.0,1.0, 4*0.0, 4*1.0, 4*0.0")
    text = result.stdout.decode()
    check("tex", "o1.w  0x3f800000" in text and "o18.z  0x3f400000" in text, text + result.stderr.decode())
    for setting, message in (("i0=1.x", b"column"), ("image 0=r8_unorm 2x2", b"expected ':'"),
                             ("buffer 7=1", b"no such resource"), ("sys Foo=1", b"no such system value"),
                             ("bogus=1", b"no such setting"), ("i0.x=1,2", b"8 lanes")):
        error = run("run", texture, setting)
        check(setting, error.returncode == 1 and message in error.stderr and b"column" in error.stderr, error.stderr)
    settings = listing("settings.txt", "# a comment\nsamples=4\nimage 0=r32_sfloat 1x1 @\n")
    error = run("run", "--with", settings, texture)
    check("--with", b"line 3, column 24" in error.stderr, error.stderr)

if shutil.which("glslangValidator"):
    compiled = run("compile", SAMPLES / "wave.vert")
    check("compile", compiled.returncode == 0 and b"gl_Position = position * 2.0" in compiled.stdout,
          (compiled.stdout + compiled.stderr).decode())
    with tempfile.TemporaryDirectory() as folder:  # what compile printed, run takes
        path = pathlib.Path(folder) / "wave.isa"
        path.write_bytes(compiled.stdout)
        result = run("run", *(["--both"] if native else []), path, "i0=1.0,2.0,3.0,4.0").stdout.decode()
        check("compile, run", "o0.y  0x40800000 (4)" in result, result)

# The specification's tables are the generated ones, and it names the capabilities that the front end accepts.
specification = (ROOT / "docs/isa.md").read_text()
listed = set(re.findall(r"`(\w+)`", specification.partition("## SPIR-V capabilities")[2].partition("\n## ")[0]))
accepted = set(re.findall(r"(?m)^ETZEL_(?:NEWER_)?CAPABILITY\((\w+)[),]", (ROOT / "compiler/spirv/capabilities.def").read_text()))
check("capabilities of docs/isa.md", listed >= accepted, ", ".join(sorted(accepted - listed)))
lowering = "".join(p.read_text() for p in (ROOT / "compiler/lower").rglob("*.cpp") if "_test" not in p.name)
section = specification.partition("## SPIR-V instructions")[2].partition("\n## ")[0]
lowered = set(re.findall(r"\bOp[A-Z]\w+|(?<=GLSLstd450)[A-Z]\w+", lowering))
lowered = {name for name in lowered if not re.match("OpType|Opcode|Operand", name)}
absent = lowered - set(re.findall(r"\b[A-Z]\w+", section))
check("instructions of docs/isa.md", not absent, ", ".join(sorted(absent)))
table = run("table").stdout.decode().strip()
check("docs/isa.md", table in specification, "its tables differ from `etzel-isa table`")

print("\n".join(problems) or "etzel-isa does what its samples say")
sys.exit(1 if problems else 0)
