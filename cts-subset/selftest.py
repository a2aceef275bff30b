#!/usr/bin/env python3
"""Runs etzel-cts --selftest and checks what its results say, in every format that it writes.

usage: selftest.py ETZEL_CTS MANIFEST [CTS_CASE_LIST]    (with the list, mirrored names are looked up in it)
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

program, manifest = sys.argv[1:3]
want = {"pass": "Pass", "fail": "Fail", "picture": "Fail", "not_supported": "NotSupported", "throws": "Fail",
        "crash": "Crash", "exit": "Crash", "after": "Pass"}
want = {"etzel.selftest." + name: status for name, status in want.items()}
HANG = "etzel.selftest.hang"


def run(*arguments, **environment):
    done = subprocess.run([program, "--driver", manifest, *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout


def qpa(path):
    text, statuses = open(path).read(), {}
    for block in re.findall(r"#beginTestCaseResult (.*?)#endTestCaseResult", text, re.S):
        name, _, document = block.partition("\n")
        root = xml.fromstring(document.encode())
        assert root.get("CasePath") == name
        statuses[name] = root.find("Result").get("StatusCode")
        if name.endswith(".picture"):
            images = root.findall("ImageSet/Image")
            assert [(i.get("Width"), i.get("Height")) for i in images] == [("16", "8")] * 3, images
    return statuses


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = {kind: os.path.join(folder, "all." + kind) for kind in ("qpa", "junit", "html")}
        options = [o for kind, path in files.items() for o in ("--" + kind, path)]
        status, _ = run("--selftest", "--expect", folder, *options, *want)
        assert status == 1, "unexpected failures must show in the exit status"
        assert qpa(files["qpa"]) == want, qpa(files["qpa"])

        suite = xml.parse(files["junit"]).getroot()
        assert [suite.get(k) for k in ("tests", "failures", "errors", "skipped")] == ["8", "3", "2", "1"]
        kinds = {c.get("classname") + "." + c.get("name"): [e.tag for e in c] for c in suite}
        assert kinds["etzel.selftest.crash"] == ["error"] and kinds["etzel.selftest.not_supported"] == ["skipped"]
        assert "<markup> & \"quotes\"" in suite.find("testcase[@name='fail']/failure").text

        page = open(files["html"]).read()
        assert page.count("<figure>") == 3 and page.count("<h3 ") == 5 and "&lt;markup&gt;" in page

        # A case that hangs is ended. It is alone, because on a busy machine others may take longer than it is given.
        hung = os.path.join(folder, "hung.qpa")
        assert run("--selftest", "--timeout", "1", "--expect", folder, "--qpa", hung, HANG)[0] == 1
        assert qpa(hung) == {HANG: "Timeout"}, qpa(hung)

        # Expected failures leave the exit status at 0; flaky ones are tried again and fail still.
        driver = suite.get("name").removeprefix("etzel-cts on ").lower().replace(" ", "_")
        with open(os.path.join(folder, f"fails-{driver}.txt"), "w") as expected:
            expected.write("etzel.selftest.[a-z]*  # all of them\n")
        assert run("--selftest", "--expect", folder, *want)[0] == 0

        # A file for the driver's version counts instead of one for all of its versions, more of the version before less.
        version = re.search(r"^.* ([\d.]+): 1 cases", run("--selftest", "--expect", folder, "*.fail")[1], re.M).group(1)
        part = version.rpartition(".")[0]
        for name, contents, status in ((part, "", 1), (version, "*.fail", 0), (version + ".0", "", 0)):
            with open(os.path.join(folder, f"fails-{driver}-{name}.txt"), "w") as expected:
                expected.write(contents)
            assert run("--selftest", "--expect", folder, "*.fail")[0] == status, name
        for name in (part, version, version + ".0"):
            os.remove(os.path.join(folder, f"fails-{driver}-{name}.txt"))

        # Where it is written down what a driver lacks, a case more is a feature that was lost.
        lacking = os.path.join(folder, f"unsupported-{driver}.txt")
        for known, expected in (("", 1), ("etzel.selftest.not_supported\n", 0)):
            with open(lacking, "w") as f:
                f.write(known)
            status, out = run("--selftest", "--expect", folder, "etzel.selftest.not_supported")
            assert status == expected and ("though it was" in out) == bool(expected), out
        os.remove(lacking)

        # Shards part the cases; a list and globs choose them.
        parts = [run("--selftest", "--list", GTEST_TOTAL_SHARDS="4", GTEST_SHARD_INDEX=str(i))[1].split()
                 for i in range(4)]
        assert sorted(sum(parts, [])) == sorted([*want, HANG]) and max(map(len, parts)) == 3
        with open(os.path.join(folder, "list"), "w") as names:
            names.write("etzel.selftest.after\netzel.selftest.pass # a comment\n")
        assert len(run("--selftest", "--list", "--caselist", names.name)[1].split()) == 2
        assert run("--selftest", "--list", "*.p*s*")[1] == "etzel.selftest.pass\n"

        other = os.path.join(folder, "other.qpa")
        run("--selftest", "--expect", folder, "--qpa", other, "*.pass", "*.fail")
        status, text = run("--diff", files["qpa"], other)
        assert status == 1 and "6 of 8 cases differ" in text, text
        assert run("--diff", other, other)[0] == 0

        # Digests stand for what was read: the picture, again the same one, and nothing.
        seen = []
        for i in range(2):
            path = os.path.join(folder, f"digests{i}")
            run("--selftest", "--expect", folder, "--digests", path, "*.picture", "*.pass")
            seen.append([line.split() for line in open(path)])
        assert seen[0] == seen[1] and seen[0][0][0] != seen[0][1][0], seen
        assert [line[1:] for line in seen[0]] == [["Pass", "etzel.selftest.pass"], ["Fail", "etzel.selftest.picture"]]

    names = run("--list")[1].split()
    assert len(names) == len(set(names)) >= 1500 and all(re.fullmatch(r"etzel(\.[A-Za-z0-9_-]+)+", n) for n in names)
    if len(sys.argv) > 3:
        known = [line.split()[-1] for line in open(sys.argv[3])]
        mirrored = {line.split(" # ")[1] for line in run("--list-mirrors")[1].splitlines() if " # " in line}
        for prefix in sorted(mirrored):
            assert any(k.startswith(prefix) for k in known), prefix + " is no name of the case list"
        print(len(mirrored), "mirrored names are in", sys.argv[3])
    print("etzel-cts reports what happened")


main()
