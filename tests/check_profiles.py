#!/usr/bin/env python3
"""The driver offers what Khronos' Roadmap profiles and Vulkan 1.4 ask for (profiles/roadmap.txt).

usage: check_profiles.py VK_XML [--list]
  --list   print every fact of every profile and whether the device has it

The device is the loader's first one, so VK_DRIVER_FILES must name Etzel's manifest. Structures are laid out as the registry
says (VK_XML, and newer.xml for what it is too old for), so headers are not needed; a structure that neither knows belongs to
an extension that is not offered.
"""
import ctypes
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "icd" / "dispatch"))
from registry import Registry, forVulkan  # pylint: disable=wrong-import-position

SCALARS = {
    "uint8_t": ctypes.c_uint8, "char": ctypes.c_char, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "float": ctypes.c_float, "size_t": ctypes.c_size_t, "VkBool32": ctypes.c_uint32,
    "VkDeviceSize": ctypes.c_uint64, "VkFlags": ctypes.c_uint32, "VkFlags64": ctypes.c_uint64,
}


class Profiles:
    """profiles/roadmap.txt: blocks (name -> [(head, rest)]) and profiles (name -> (version, names of blocks))."""

    def __init__(self, path):
        self.blocks, self.profiles = {}, {}
        text = "".join(line for line in path.open(encoding="utf-8") if not line.startswith("#"))
        facts = None
        for line in re.sub(r"\n  +", " ", text).splitlines():
            if line.startswith("["):
                facts = self.blocks.setdefault(line.strip("[]"), [])
            elif line.startswith("profile "):
                head, rest = line.split(": ")
                self.profiles[head.split()[1]] = (head.split()[2], rest.split(", "))
            elif line:
                facts.append(line.split(": "))


class Structures:
    """The registry's structures as ctypes."""

    def __init__(self, registry):
        self.registry, self.made = registry, {}
        self.values = self.numbers()
        self.providers = {}
        for condition, require in registry.requires():
            for t in require.findall("type"):
                self.providers.setdefault(t.get("name"), set()).add(condition)

    def numbers(self):
        """name -> number of every enumerant, number-less aliases resolved."""
        numbers, aliases = {}, {}
        for names in (self.registry.newer, self.registry.old):
            blocks = [(e, 0) for e in names.root.findall("enums")]
            blocks += [(r, 0) for f in names.root.findall("feature") for r in f.findall("require")]
            blocks += [(r, int(x.get("number"))) for x in names.extensions.values() for r in x.findall("require")]
            for block, owner in blocks:
                for e in filter(forVulkan, block.findall("enum")):
                    name = e.get("name")
                    if e.get("alias"):
                        aliases[name] = e.get("alias")
                    elif e.get("bitpos"):
                        numbers[name] = 1 << int(e.get("bitpos"))
                    elif e.get("offset"):
                        value = 1000000000 + (int(e.get("extnumber") or owner) - 1) * 1000 + int(e.get("offset"))
                        numbers[name] = -value if e.get("dir") == "-" else value
                    elif re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", e.get("value") or ""):
                        numbers[name] = int(e.get("value"), 0)
        for name, other in aliases.items():
            while other in aliases:
                other = aliases[other]
            if other in numbers:
                numbers[name] = numbers[other]
        return numbers

    def element(self, name):
        """The registry's element of a type, found through aliases; None for one that it does not know."""
        element = self.registry.types.get(name)
        while element is not None and element.get("alias"):
            element = self.registry.types.get(element.get("alias"))
        return element

    def scalar(self, name):
        if name in SCALARS:
            return SCALARS[name]
        element = self.element(name)
        if element.get("category") == "bitmask":
            return SCALARS[element.findtext("type")]
        return ctypes.c_int32 if element.get("category") == "enum" else self.of(name)

    def member(self, m):
        kind = m.findtext("type")
        if "*" in "".join(m.itertext()):
            return m.findtext("name"), ctypes.c_void_p
        kind = self.scalar(kind)
        tail = "".join([m.find("name").tail or "", *(e.text + (e.tail or "") for e in m.findall("enum"))])
        for size in reversed(re.findall(r"\[(\w+)\]", tail)):
            kind = kind * (int(size) if size.isdigit() else self.values[size])
        return m.findtext("name"), kind

    def of(self, name):
        """The structure of that name."""
        if name not in self.made:
            members = [m for m in self.element(name).findall("member") if forVulkan(m)]
            made = type(name, (ctypes.Structure,), {"_fields_": [self.member(m) for m in members]})
            made.number = self.values.get(members[0].get("values"))  # sType
            self.made[name] = made
        return self.made[name]


class Device:
    """The first device: what it offers, and any structure that it fills."""

    def __init__(self, structures):
        self.structures = structures
        self.vk = ctypes.CDLL("libvulkan.so.1")
        application = structures.of("VkApplicationInfo")(apiVersion=1 << 22 | 4 << 12)
        info = structures.of("VkInstanceCreateInfo")()
        info.sType, info.pApplicationInfo = info.number, ctypes.addressof(application)
        instance, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        if self.vk.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance)):
            sys.exit("no instance")
        if self.vk.vkEnumeratePhysicalDevices(instance, ctypes.byref(ctypes.c_uint32(1)), ctypes.byref(self.handle)) < 0:
            sys.exit("no device")
        self.extensions = self.names(self.vk.vkEnumerateInstanceExtensionProperties, None)
        self.extensions |= self.names(self.vk.vkEnumerateDeviceExtensionProperties, self.handle, None)
        self.version = self.filled("VkPhysicalDeviceProperties").apiVersion >> 12 & 0x3FF

    def names(self, enumerate_, *of):
        count = ctypes.c_uint32()
        enumerate_(*of, ctypes.byref(count), None)
        found = (self.structures.of("VkExtensionProperties") * count.value)()
        enumerate_(*of, ctypes.byref(count), found)
        return {e.extensionName.decode() for e in found}

    def offers(self, structure):
        """Whether the structure may be asked for: what brings it is offered."""
        conditions = self.structures.providers.get(structure, ())
        return any(c in self.extensions if kind == "ext" else c <= self.version for kind, c in conditions)

    def filled(self, name):
        """The structure as the device fills it; None where it does not know it."""
        head = "VkPhysicalDeviceFeatures" if "Features" in name else "VkPhysicalDeviceProperties"
        outer = self.structures.of(head + "2")()
        outer.sType = outer.number
        asked = None
        if name != head:
            if not self.offers(name):
                return None
            asked = self.structures.of(name)()
            asked.sType, outer.pNext = asked.number, ctypes.addressof(asked)
        getattr(self.vk, f"vkGet{head[2:]}2")(self.handle, ctypes.byref(outer))
        return asked if asked else getattr(outer, head[len("VkPhysicalDevice"):].lower())


def holds(value, comparison, wanted, numbers):
    """Whether a limit's value is at least as good as what is wanted (words)."""
    have = list(value) if isinstance(value, ctypes.Array) else [value]
    if comparison == "has":
        return all(value & numbers[w] for w in wanted)
    if comparison == "is":
        return bool(value) == (wanted == ["true"])
    want = [float(w) for w in wanted]
    if comparison == "spans":
        return have[0] <= want[0] and have[1] >= want[1]
    return all(h >= w if comparison == ">=" else h <= w for h, w in zip(have, want, strict=True))


def facts(block, device):
    """Yields (name, whether the device has it, what it was compared with) of each fact of a block."""
    for head, rest in block:
        if head == "extensions":
            yield from ((name, name in device.extensions, "") for name in rest.split())
            continue
        structure = head.split()[-1]
        have = device.filled(structure)
        if head.startswith("one of "):
            yield f"{structure}: any", have is not None and any(getattr(have, m) for m in rest.split()), rest
        elif "Features" in structure:
            yield from ((m, have is not None and bool(getattr(have, m)), structure) for m in rest.split())
        else:
            for limit in rest.split(", "):
                member, comparison, *wanted = limit.split()
                value = have
                for part in member.split("."):
                    value = None if value is None else getattr(value, part)
                good = value is not None and holds(value, comparison, wanted, device.structures.values)
                shown = list(value) if isinstance(value, ctypes.Array) else value
                yield member, good, f"{comparison} {' '.join(wanted)}; the device has {shown}"


def main():
    table = Profiles(HERE / "profiles" / "roadmap.txt")
    registry = Registry(sys.argv[1], str(HERE.parent / "icd" / "dispatch" / "extensions.txt"))
    device = Device(Structures(registry))
    checked = {name: list(facts(block, device)) for name, block in table.blocks.items()}
    used = {name for _, blocks in table.profiles.values() for name in blocks}
    failed = used != set(checked)
    for profile, (version, blocks) in table.profiles.items():
        rows = [row for block in blocks for row in checked[block]]
        if int(version.split(".")[1]) > device.version:
            rows.append(("apiVersion", False, version))
        missing = [(name, why) for name, good, why in rows if not good]
        failed |= bool(missing)
        print(f"{profile}: {len(rows)} facts, {len(missing)} missing")
        for name, why in missing:
            print(f"  {name} {why}")
        if "--list" in sys.argv:
            for name, good, why in rows:
                print(f"  {'has' if good else 'lacks'} {name} {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    os.environ.setdefault("VK_LOADER_LAYERS_DISABLE", "~implicit~")
    os.environ["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"  # loaders hide instance extensions that are newer than they are
    main()
