"""Runs a program on Etzel."""
import os
import shutil
import sys

import etzel

USAGE = """usage: python -m etzel run [--wgpu] PROGRAM [ARGUMENT...]    run a program on Etzel
       python -m etzel env [--wgpu]                              print what a shell would set for it
       python -m etzel version
  --wgpu   for programs on wgpu (wgpu-py, Deno, Bevy), which hides drivers that report no conformance version"""


def main():
    command, *words = sys.argv[1:] or [""]
    wgpu = words[:1] == ["--wgpu"]
    words = words[1:] if wgpu else words
    variables = etzel.environment(wgpu)
    if command == "run" and words and not words[0].startswith("-"):
        program = shutil.which(words[0])
        if not program:
            sys.exit(f"etzel: there is no program {words[0]}")
        os.execve(program, words, {**os.environ, **variables})
    elif command == "env":
        for name, value in variables.items():
            print(f"export {name}='{value}'")
    elif command == "version":
        print(f"etzel {etzel.__version__} ({etzel.manifest()})")
    elif command in ("help", "-h", "--help"):
        print(USAGE)
    else:
        sys.exit(USAGE)


if __name__ == "__main__":
    main()
