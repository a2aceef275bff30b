#!/usr/bin/env python3
"""Makes packages for Node and Python of an installed tree: etzel-VERSION.tgz (`npm install FILE`) and a wheel
(`pip install FILE`). What they do is set the environment; the tree in them is the driver as it is. Nothing is fetched.

usage: make.py TREE OUT [--fast]
  TREE    what `cmake --install` made, or the folder of the relocatable archive; of it the driver's part is taken
  --fast  hardly compressed, for tests
The files have no times and no order of their own: the same tree gives the same packages.
"""
import argparse
import base64
import gzip
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# The part of the tree that programs need; lib holds the driver alone.
PARTS = ("lib*/etzel/*", "lib/*/etzel/*", "share/vulkan/icd.d/*.json", "share/doc/etzel/LICENSE", "share/doc/etzel/copyright")
CPUS = {"x86_64": "x64", "aarch64": "arm64"}  # as Node calls them
GLIBC = "2_34"  # tests/check_exports.sh sees to it


def tree_files(tree):
    """(name below the tree, contents) of what goes into the packages."""
    found = sorted({path for part in PARTS for path in tree.glob(part) if path.is_file()})
    if not any(path.suffix == ".so" for path in found) or not any(path.suffix == ".json" for path in found):
        raise SystemExit(f"{tree} has no driver with a manifest")
    return [(path.relative_to(tree).as_posix(), path.read_bytes()) for path in found]


def host_of(files):
    names = [name for name, _ in files if name.endswith(".json")]
    return re.search(r"\.(\w+)\.json$", names[0])[1]


def version():
    return re.search(r"^project\(etzel VERSION ([0-9.]+)", (HERE.parent / "CMakeLists.txt").read_text(), re.M)[1]


def node_package(files, out, level):
    """npm's form: a compressed archive in which everything lies in the folder package."""
    values = {"VERSION": version(), "CPU": CPUS[host_of(files)]}
    entries = [(f"tree/{name}", data) for name, data in files]
    for path in sorted((HERE / "node").iterdir()):
        text = re.sub(r"@(\w+)@", lambda m: values[m[1]], path.read_text()) if path.suffix == ".in" else path.read_text()
        entries.append((path.name.removesuffix(".in"), text.encode()))
    target = out / f"etzel-{version()}.tgz"
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in entries:
            info = tarfile.TarInfo(f"package/{name}")
            info.size, info.mode = len(data), 0o755 if name == "etzel-run.js" else 0o644
            archive.addfile(info, io.BytesIO(data))
    return target


def wheel(files, out, level):
    """The form of PEP 427: a .zip whose RECORD has a digest of every file."""
    tag = f"py3-none-manylinux_{GLIBC}_{host_of(files)}"
    info = f"etzel-{version()}.dist-info"
    entries = [(f"etzel/tree/{name}", data) for name, data in files]
    for path in sorted((HERE / "python" / "etzel").glob("*.py")):
        entries.append((f"etzel/{path.name}", path.read_text().replace("@VERSION@", version()).encode()))
    entries += [
        (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: etzel\nVersion: {version()}\n"
         "Summary: Vulkan driver that runs on the CPU\nLicense: Apache-2.0\nRequires-Python: >=3.8\n".encode()),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: etzel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()),
    ]
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},"
                     f"{len(data)}\n" for name, data in entries)
    entries.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    target = out / f"etzel-{version()}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in entries:
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, data)
    return target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    files = tree_files(options.tree)
    options.out.mkdir(parents=True, exist_ok=True)
    level = 1 if options.fast else 9
    for make in (node_package, wheel):
        print(make(files, options.out, level))


main()
