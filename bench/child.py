"""Runs one row of the benchmark in a child of its own, as the scripts beside this one do."""
import json
import os
import subprocess


def measured(bench, row, manifest, seconds, **environment):
    """What a child says of the row (scenario.h), or None where it failed. Nothing is cached from run to run."""
    env = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, ETZEL_CACHE="off",
               MESA_SHADER_CACHE_DISABLE="true", **environment)
    try:
        done = subprocess.run([bench, "--fd", "1", "--seconds", str(seconds), "--child", row], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        said = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    return said if said.get("state") == "ok" else None


def rows(bench):
    """Names and units."""
    listed = subprocess.run([bench, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in filter(str.strip, listed.splitlines()):
        name, _, unit = line.partition(" ")
        yield name, unit.strip("()")
