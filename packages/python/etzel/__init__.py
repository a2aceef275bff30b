"""Where the driver of this package lies, and the environment in which programs find it and nothing else."""
import os
import pathlib

__version__ = "@VERSION@"


def manifest():
    """The driver's manifest, which the Vulkan loader reads."""
    folder = pathlib.Path(__file__).resolve().parent / "tree" / "share" / "vulkan" / "icd.d"
    return str(next(folder.glob("*.json")))


def environment(wgpu=False):
    """The variables that make Etzel the only Vulkan driver of a program.

    wgpu: of one that stands on wgpu (wgpu-py, Deno), which hides drivers that report no conformance version.
    """
    variables = {"VK_DRIVER_FILES": manifest(), "VK_ICD_FILENAMES": manifest()}
    if wgpu:
        variables["ETZEL_CONFORMANCE_VERSION"] = "1.3.9.1"
    return variables


def use(wgpu=False):
    """Sets them for this process, before anything in it makes a Vulkan instance, and for those that it starts."""
    os.environ.update(environment(wgpu))
