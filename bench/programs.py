#!/usr/bin/env python3
"""Other people's programs on several Vulkan drivers, side by side: vkmark's scenes, ffmpeg's filters, mpv's scalers,
glmark2 through zink, llama.cpp, and Sascha Willems' examples.

What is installed is measured, the rest named. Every driver runs a row in turn, round after round; a row's result is the
median. Nothing is cached from run to run, so that compiling counts, as it does for whoever starts the program once.

usage: programs.py --driver NAME=MANIFEST... [--row GLOB...] [--rounds N] [--json FILE] [--list]
The first driver is compared with the others; those that are installed are peers where none is named. Programs with windows
run in a server of their own (Xvfb). llama.cpp is the one of npm's node-llama-cpp, whose folder NODE_LLAMA_CPP names, with a
small model that is made on the spot; the examples are those built in the folder that VULKAN_EXAMPLES names.
"""
import argparse
import dataclasses
import fnmatch
import glob
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TIMEOUT = 120  # seconds a program may take
WIDTH, HEIGHT = 1280, 720  # of videos


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    program: str  # a key of PROGRAMS
    what: str  # a scene or a chain of filters
    frames: int = 0  # of videos
    before: str = ""  # filters that run before the driver's


SCENES = {
    "vertex": "vertex:device-local=true", "vertex_host": "vertex:device-local=false",
    "texture": "texture:anisotropy=0", "texture_16x": "texture:anisotropy=16",
    "gouraud": "shading:shading=gouraud", "phong": "shading:shading=phong", "cel": "shading:shading=cel",
    "edge": "effect2d:kernel=edge", "blur": "effect2d:kernel=blur", "desktop": "desktop", "cube": "cube", "clear": "clear",
}
TO_BT709 = "colorspace=bt709:color_primaries=bt709:color_trc=bt709"
FILTERS = {
    "bwdif": ("bwdif_vulkan", 60),
    "gblur": ("gblur_vulkan=sigma=4", 30),
    "avgblur": ("avgblur_vulkan", 60),
    "scale": ("scale_vulkan=w=1920:h=1080", 60),
    "nlmeans": ("nlmeans_vulkan", 4),
    "chromaber": ("chromaber_vulkan=dist_x=4:dist_y=4", 60),
    "transpose": ("transpose_vulkan=dir=clock", 60),
    "flip": ("flip_vulkan", 60),
    "overlay": ("split[a][b];[a][b]overlay_vulkan=x=100:y=50", 60),
    "blend": ("split[a][b];[a][b]blend_vulkan=all_mode=multiply", 60),
    "deband": ("libplacebo=deband=true:deband_iterations=2", 30),
    "spline36": ("libplacebo=w=1920:h=1080:upscaler=spline36", 30),
    "ewa_lanczos": ("libplacebo=w=1920:h=1080:upscaler=ewa_lanczos", 30),
    "tone_mapping": (f"libplacebo=tonemapping=bt.2390:{TO_BT709}", 30,
                     "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,"),
}
PLAYER = {"default": "default", "fast": "fast", "high_quality": "high-quality"}  # profiles of mpv
PLAYED = 90  # frames
GL_SCENES = {
    "refract": "refract", "shadow": "shadow", "bump": "bump:bump-render=normals", "terrain": "terrain", "jellyfish": "jellyfish",
    "desktop": "desktop:effect=blur", "conditionals": "conditionals", "ideas": "ideas", "build": "build",
    "texture": "texture:texture-filter=mipmap", "phong": "shading:shading=phong", "edge": "effect2d:kernel=0,1,0;1,-4,1;0,1,0;",
    "pulsar": "pulsar", "buffer": "buffer", "function": "function", "loop": "loop",
}
MODELS = ("q4_0", "q8_0")  # how weights are stored
# Those that draw the same from frame to frame, without ray tracing and mesh shaders.
EXAMPLES = (
    "bloom", "computecloth", "computenbody", "computeparticles", "computeraytracing", "computeshader", "deferred",
    "deferredmultisampling", "deferredshadows", "descriptorindexing", "displacement", "distancefieldfonts", "gears",
    "geometryshader", "gltfloading", "gltfskinning", "hdr", "indirectdraw", "inputattachments", "instancing", "multisampling",
    "multisamplingalphatocoverage", "multithreading", "multiview", "occlusionquery", "offscreen", "oit", "parallaxmapping",
    "particlesystem", "pbrbasic", "pbribl", "pbrtexture", "pipelines", "radialblur", "shadowmapping", "shadowmappingcascade",
    "shadowmappingomni", "sphericalenvmapping", "stencilbuffer", "subpasses", "terraintessellation", "tessellation", "texture",
    "texture3d", "texturearray", "texturecubemap", "texturecubemaparray", "texturemipmapgen", "viewportarray",
)
PROMPT, TOKENS = 128, 64

ROWS = ([Row(f"vkmark.{n}", "vkmark", s) for n, s in SCENES.items()] +
        [Row(f"ffmpeg.{n}", "ffmpeg", *what) for n, what in FILTERS.items()] +
        [Row(f"mpv.{n}", "mpv", profile, PLAYED) for n, profile in PLAYER.items()] +
        [Row(f"glmark2.{n}", "glmark2", s) for n, s in GL_SCENES.items()] +
        [Row(f"llama.{m}_{what}", "llama", f"{m} {what}") for m in MODELS for what in ("prompt", "tokens")] +
        [Row(f"examples.{n}", "examples", n) for n in EXAMPLES])


def environment(manifest, **more):
    return {**os.environ, "VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest,
            "VK_LOADER_LAYERS_DISABLE": "~implicit~", "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "/tmp"),
            "MESA_SHADER_CACHE_DISABLE": "1", "ETZEL_CACHE": "off", **more}


def run(command, env):
    """\\returns (output, seconds), or None where the program failed or did not come to its end."""
    before = time.monotonic()
    try:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None
    return (done.stdout, time.monotonic() - before) if done.returncode == 0 else None


def in_window(command):
    return ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", *command]


def vkmark(row, manifest):
    done = run(in_window(["vkmark", "--winsys", "xcb", "-s", "800x600", "-p", "immediate", "-b", f"{row.what}:duration=2"]),
               environment(manifest))
    found = done and re.search(r"FPS:\s*(\d+)", done[0])
    return float(found[1]) if found else None


def glmark2(row, manifest):
    env = environment(manifest, LIBGL_ALWAYS_SOFTWARE="1", GALLIUM_DRIVER="zink")
    done = run(in_window(["glmark2", "--off-screen", "-s", "800x600", "-b", f"{row.what}:duration=2"]), env)
    if not done or "zink" not in done[0]:  # a driver of GL's own would say nothing of Vulkan's
        return None
    found = re.search(r"FPS:\s*(\d+)", done[0])
    return float(found[1]) if found else None


def ffmpeg(row, manifest):
    """Six pictures again and again, so that their generator is not measured."""
    source = f"testsrc2=size={WIDTH}x{HEIGHT}:rate=30,format=yuv420p,loop=loop=-1:size=6"
    command = ["ffmpeg", "-v", "error", "-init_hw_device", "vulkan=v:0", "-filter_hw_device", "v", "-f", "lavfi", "-i", source,
               "-frames:v", str(row.frames), "-vf",
               f"{row.before}format=yuv420p,hwupload,{row.what},hwdownload,format=yuv420p", "-f", "null", "-"]
    done = run(command, environment(manifest))
    return row.frames / done[1] if done else None


def mpv(row, manifest):
    """Frames of a video shown in a window of 1280x720, as fast as they can be drawn; twelve of half its size, again and again."""
    source = f"av://lavfi:testsrc2=size={WIDTH // 2}x{HEIGHT // 2}:rate=30,format=yuv420p,loop=loop=-1:size=12"
    command = ["mpv", "--no-config", "--really-quiet", "--untimed", "--audio=no", "--hwdec=no", f"--frames={row.frames}",
               f"--profile={row.what}", f"--geometry={WIDTH}x{HEIGHT}", "--vo=gpu-next", "--gpu-api=vulkan",
               "--gpu-context=x11vk", "--vulkan-swap-mode=immediate", "--gpu-sw=yes", source]
    done = run(in_window(command), environment(manifest))
    return row.frames / done[1] if done else None


def llama(row, manifest):
    """Tokens a second: of the prompt, up to the first answer, or of what follows."""
    kind, what = row.what.split()
    here = pathlib.Path(__file__).parent / "llama"
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.gguf"
        subprocess.run([sys.executable, here / "make_model.py", model, kind], check=True)
        tokens = 1 if what == "prompt" else TOKENS
        done = run(["node", str(here / "generate.mjs"), os.environ["NODE_LLAMA_CPP"], str(model), str(PROMPT), str(tokens)],
                   environment(manifest, GGML_VK_VISIBLE_DEVICES="0"))
    found = done and re.search(r"^\{.*\}$", done[0], re.MULTILINE)
    return json.loads(found[0])[what] if found else None


def example(row, manifest):
    """Frames a second, during two seconds after one to warm up: a compiler that goes on behind that counts."""
    program = pathlib.Path(os.environ["VULKAN_EXAMPLES"]) / row.what
    done = run(in_window([str(program), "-b", "-bw", "1", "-br", "2", "-w", "1280", "-h", "720"]), environment(manifest))
    found = done and re.search(r"^fps *: *([0-9.]+)", done[0], re.MULTILINE)
    return float(found[1]) if found else None


PROGRAMS = {"vkmark": (vkmark, ("vkmark", "xvfb-run")), "ffmpeg": (ffmpeg, ("ffmpeg",)), "mpv": (mpv, ("mpv", "xvfb-run")),
            "glmark2": (glmark2, ("glmark2", "xvfb-run")), "llama": (llama, ("node",)), "examples": (example, ("xvfb-run",))}
FOLDERS = {"llama": "NODE_LLAMA_CPP", "examples": "VULKAN_EXAMPLES"}  # environment variables


def is_installed(program):
    return all(map(shutil.which, PROGRAMS[program][1])) and (program not in FOLDERS or FOLDERS[program] in os.environ)


def version_of(manifest):
    """What the driver says of itself; empty without vulkaninfo."""
    if not shutil.which("vulkaninfo"):
        return ""
    done = run(["vulkaninfo", "--summary"], environment(manifest))
    found = done and re.search(r"driverInfo\s*=\s*(.*)", done[0])
    return found[1].strip() if found else ""


def measure(row, drivers, rounds):
    program = PROGRAMS[row.program][0]
    results = [[] for _ in drivers]
    for _ in range(rounds):
        for i, (_, manifest) in enumerate(drivers):
            value = program(row, manifest)
            if value is not None:
                results[i].append(value)
    return [statistics.median(r) if len(r) == rounds else None for r in results]


def ratio(values):
    """How many times the best peer's speed; None where one of them has none."""
    peers = [v for v in values[1:] if v]
    return values[0] / max(peers) if values[0] and peers else None


def report(name, values):
    cells = "".join(f"{v:>16.1f}" if v else f"{'fails':>16}" for v in values)
    r = ratio(values)
    print(f"{name:24}{cells}{f'{r:.2f}' if r else '–':>12}", flush=True)


def installed_peers():
    """CPU drivers where distributions put their manifests."""
    peers = {"lavapipe": "/usr/share/vulkan/icd.d/lvp_icd*.json",
             "swiftshader": "/usr/*/chromium/vk_swiftshader_icd.json"}
    return [(name, found[0]) for name, where in peers.items() if (found := sorted(glob.glob(where)))]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", action="append", default=[], metavar="NAME=MANIFEST")
    parser.add_argument("--row", action="append", default=[], metavar="GLOB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.drivers = [tuple(d.split("=", 1)) for d in options.driver]
    if any(len(d) != 2 for d in options.drivers):
        parser.error("--driver wants NAME=MANIFEST")
    if len(options.drivers) == 1:
        options.drivers += installed_peers()
    return parser, options


def main():
    parser, options = arguments()
    rows = [r for r in ROWS if not options.row or any(fnmatch.fnmatch(r.name, g) for g in options.row)]
    if options.list:
        print("\n".join(r.name for r in rows))
        return 0
    if not options.drivers:
        parser.error("no driver: name one with --driver NAME=MANIFEST")
    absent = {p for p in PROGRAMS if not is_installed(p)}
    for program in sorted(absent):
        wanted = PROGRAMS[program][1] + ((FOLDERS[program],) if program in FOLDERS else ())
        print(f"not measured, not installed: {program} ({', '.join(wanted)})")
    rows = [r for r in rows if r.program not in absent]
    print(f"{'frames, tokens/s':24}" + "".join(f"{n:>16}" for n, _ in options.drivers) + f"{'to best peer':>14}")
    results, failed = [], 0
    for row in rows:
        values = measure(row, options.drivers, options.rounds)
        report(row.name, values)
        failed += values[0] is None
        results.append({"name": row.name, "values": [v and float(f"{v:.4g}") for v in values]})
    ratios = [r for r in (ratio(r["values"]) for r in results) if r]
    if ratios:
        print(f"geometric mean {math.exp(statistics.fmean(map(math.log, ratios))):.2f}, "
              f"{sum(r < 1 for r in ratios)} of {len(ratios)} behind")
    if options.json:
        drivers = [{"name": n, "version": version_of(m)} for n, m in options.drivers]
        options.json.write_text(json.dumps({"drivers": drivers, "rows": results}, indent=1, ensure_ascii=False) + "\n")
    return 1 if failed or not results else 0


sys.exit(main())
