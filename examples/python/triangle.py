#!/usr/bin/env python3
"""A multisampled triangle by Vulkan and nothing but Python's own library, as a picture in PPM:

    python3 -m etzel run python3 triangle.py triangle.ppm

Prints how many pixels are covered wholly, partly and not at all. Nothing here knows of Etzel: structures are packed as
vulkan_core.h has them, the shaders are SPIR-V word by word.
"""
import ctypes
import struct
import sys

SIZE, SAMPLES, FORMAT = 64, 4, 37  # VK_FORMAT_R8G8B8A8_UNORM
CORNERS = [-0.8, 0.9, 0, 1, 0.7, 0.3, 0, 1, -0.1, -0.9, 0, 1]

vulkan = ctypes.CDLL("libvulkan.so.1")
alive = []  # what structures point to


def at(data):
    """The address of bytes that stay where they are."""
    alive.append(ctypes.create_string_buffer(data, len(data)))
    return ctypes.addressof(alive[-1])


def structure(kind, layout, *values, chain=0):
    """Bytes of a structure that begins with sType and pNext; layout as the struct module has it, with C's alignment."""
    return struct.pack("@iP" + layout + "0P", kind, chain, *values)


def call(name, *arguments):
    """Integers, handles and addresses fit 64 bits alike; bytes are passed by address."""
    words = [ctypes.c_uint64(at(a)) if isinstance(a, bytes) else ctypes.c_uint64(a) if isinstance(a, int) else a
             for a in arguments]
    result = getattr(vulkan, name)(*words)
    if name.startswith(("vkCreate", "vkAllocate", "vkBind", "vkMap", "vkBegin", "vkEnd", "vkQueue")) and result < 0:
        raise SystemExit(f"{name} failed: {result}")


def make(name, *arguments):
    """What a function writes behind its last argument."""
    handle = ctypes.c_uint64()
    call(name, *arguments, ctypes.byref(handle))
    return handle.value


def spirv(entry, *instructions):
    """A module of one entry point, which copies an input (a constant, in fragments) to an output."""
    words = [0x07230203, 0x00010000, 0, 32, 0]
    name = list(struct.unpack("<2I", b"main\0\0\0\0"))
    for opcode, *operands in [(17, 1), (14, 0, 1), (15, entry, 1, *name, *((2, 3) if entry == 0 else (3,))), *instructions,
                              (253,), (56,)]:
        words += [(len(operands) + 1) << 16 | opcode, *operands]
    return struct.pack(f"<{len(words)}I", *words)


# void, void(), float, vec4, pointer to an output, the output
TYPES = [(19, 4), (33, 5, 4), (22, 6, 32), (23, 7, 6, 4), (32, 9, 3, 7), (59, 9, 3, 3)]
VERTEX = spirv(0, (71, 2, 30, 0), (71, 3, 11, 0), *TYPES, (32, 8, 1, 7), (59, 8, 2, 1),
               (54, 4, 1, 0, 5), (248, 10), (61, 7, 11, 2), (62, 3, 11))
FRAGMENT = spirv(4, (16, 1, 7), (71, 3, 30, 0), *TYPES, (43, 6, 12, 0x3f800000), (44, 7, 13, 12, 12, 12, 12),
                 (54, 4, 1, 0, 5), (248, 10), (62, 3, 13))


class Gpu:
    """A device with one queue, and memory that the host sees."""

    def __init__(self):
        application = structure(0, "PIPII", 0, 0, 0, 0, 0x00403000)  # Vulkan 1.3
        self.instance = make("vkCreateInstance", structure(1, "iPIPIP", 0, at(application), 0, 0, 0, 0), 0)
        count, devices = ctypes.c_uint32(1), ctypes.c_uint64()
        call("vkEnumeratePhysicalDevices", self.instance, ctypes.byref(count), ctypes.byref(devices))
        if not count.value:
            raise SystemExit("there is no Vulkan device")
        self.physical = devices.value
        properties = ctypes.create_string_buffer(1024)
        call("vkGetPhysicalDeviceProperties", self.physical, properties)
        self.name = properties.raw[20:276].split(b"\0")[0].decode()
        queue = structure(2, "iIIP", 0, 0, 1, at(struct.pack("f", 1)))
        rendering = at(structure(1000044003, "I", 1))  # dynamicRendering
        self.device = make("vkCreateDevice", self.physical,
                           structure(3, "iIPIPIPP", 0, 1, at(queue), 0, 0, 0, 0, 0, chain=rendering), 0)
        self.queue = make("vkGetDeviceQueue", self.device, 0, 0)

    def bind(self, kind, handle):
        """Memory of the first type that the host sees and the resource takes. \\returns its address, if mapped."""
        needs, all_types = ctypes.create_string_buffer(24), ctypes.create_string_buffer(1024)
        call(f"vkGet{kind}MemoryRequirements", self.device, handle, needs)
        call("vkGetPhysicalDeviceMemoryProperties", self.physical, all_types)
        bytes_, _, types = struct.unpack_from("@QQI", needs)
        flags = [struct.unpack_from("@I", all_types, 4 + 8 * i)[0] for i in range(32)]
        wanted = 6 if kind == "Buffer" else 0  # host visible and coherent
        chosen = next(i for i in range(32) if types >> i & 1 and flags[i] & wanted == wanted)
        memory = make("vkAllocateMemory", self.device, structure(5, "QI", bytes_, chosen), 0)
        call(f"vkBind{kind}Memory", self.device, handle, memory, 0)
        return make("vkMapMemory", self.device, memory, 0, bytes_, 0) if kind == "Buffer" else 0

    def buffer(self, size, usage):
        handle = make("vkCreateBuffer", self.device, structure(12, "iQIiIP", 0, size, usage, 0, 0, 0), 0)
        return handle, self.bind("Buffer", handle)

    def target(self, samples, usage):
        image = make("vkCreateImage", self.device, structure(
            14, "iiiIIIIIiiIiIPi", 0, 1, FORMAT, SIZE, SIZE, 1, 1, 1, samples, 0, usage, 0, 0, 0, 0), 0)
        self.bind("Image", image)
        return image, make("vkCreateImageView", self.device,
                           structure(15, "iQiiiiiiIIIII", 0, image, 1, FORMAT, 0, 0, 0, 0, 1, 0, 1, 0, 1), 0)

    def pipeline(self):
        stages = b""
        for bit, code in ((1, VERTEX), (16, FRAGMENT)):
            module = make("vkCreateShaderModule", self.device, structure(16, "iNP", 0, len(code), at(code)), 0)
            stages += structure(18, "iiQPP", 0, bit, module, at(b"main\0"), 0)
        layout = make("vkCreatePipelineLayout", self.device, structure(30, "iIPIP", 0, 0, 0, 0, 0), 0)
        vertices = structure(19, "iIPIP", 0, 1, at(struct.pack("@IIi", 0, 16, 0)), 1,
                             at(struct.pack("@IIiI", 0, 0, 109, 0)))  # VK_FORMAT_R32G32B32A32_SFLOAT
        view = structure(22, "iIPIP", 0, 1, at(struct.pack("6f", 0, 0, SIZE, SIZE, 0, 1)), 1,
                         at(struct.pack("4i", 0, 0, SIZE, SIZE)))
        states = [vertices, structure(20, "iiI", 0, 3, 0), None, view,
                  structure(23, "iIIiiiIffff", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
                  structure(24, "iiIfPII", 0, SAMPLES, 0, 0, 0, 0, 0), None,
                  structure(26, "iIiIP4f", 0, 0, 0, 1, at(struct.pack("@7iI", 0, 0, 0, 0, 0, 0, 0, 15)), 0, 0, 0, 0), None]
        rendering = at(structure(1000044002, "IIPii", 0, 1, at(struct.pack("i", FORMAT)), 0, 0))
        info = structure(28, "iIP9PQQIQi", 0, 2, at(stages), *(at(s) if s else 0 for s in states), layout, 0, 0, 0, -1,
                         chain=rendering)
        return make("vkCreateGraphicsPipelines", self.device, 0, 1, info, 0)


def barrier(commands, image, before, after):
    """Everything before, in one layout, happens before everything after, in another."""
    everything = 0x10000  # VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
    call("vkCmdPipelineBarrier", commands, everything, everything, 0, 0, 0, 0, 0, 1,
         structure(45, "iiiiIIQ5I", 0x18000, 0x18000, before, after, 2**32 - 1, 2**32 - 1, image, 1, 0, 1, 0, 1))


def draw(gpu):
    """The picture's bytes, four a pixel."""
    corners, mapped = gpu.buffer(4 * len(CORNERS), 0x80)
    ctypes.memmove(mapped, struct.pack(f"{len(CORNERS)}f", *CORNERS), 4 * len(CORNERS))
    result, pixels = gpu.buffer(4 * SIZE * SIZE, 2)
    (drawn, drawn_view), (resolved, resolved_view) = gpu.target(SAMPLES, 0x10), gpu.target(1, 0x11)
    pool = make("vkCreateCommandPool", gpu.device, structure(39, "iI", 0, 0), 0)
    commands = make("vkAllocateCommandBuffers", gpu.device, structure(40, "QiI", pool, 0, 1))
    pipeline = gpu.pipeline()
    call("vkBeginCommandBuffer", commands, structure(42, "iP", 1, 0))
    for image in (drawn, resolved):
        barrier(commands, image, 0, 1)
    # Cleared to opaque black, averaged into the other image at the end, not kept.
    attachment = structure(1000044001, "QiiQiii4f", drawn_view, 1, 2, resolved_view, 1, 1, 1, 0, 0, 0, 1)
    call("vkCmdBeginRendering", commands,
         structure(1000044000, "i4iIIIPPP", 0, 0, 0, SIZE, SIZE, 1, 0, 1, at(attachment), 0, 0))
    call("vkCmdBindPipeline", commands, 0, pipeline)
    call("vkCmdBindVertexBuffers", commands, 0, 1, struct.pack("Q", corners), struct.pack("Q", 0))
    call("vkCmdDraw", commands, 3, 1, 0, 0)
    call("vkCmdEndRendering", commands)
    barrier(commands, resolved, 1, 6)
    call("vkCmdCopyImageToBuffer", commands, resolved, 6, result, 1,
         struct.pack("@QIIIIIIiiiIII", 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, SIZE, SIZE, 1))
    call("vkEndCommandBuffer", commands)
    call("vkQueueSubmit", gpu.queue, 1, structure(4, "IPPIPIP", 0, 0, 0, 1, at(struct.pack("P", commands)), 0, 0), 0)
    call("vkQueueWaitIdle", gpu.queue)
    return ctypes.string_at(pixels, 4 * SIZE * SIZE)


def main():
    gpu = Gpu()
    print(gpu.name)
    picture = draw(gpu)
    red = picture[0::4]
    covered, background = red.count(255), red.count(0)
    print(f"{covered} pixels covered, {len(red) - covered - background} at edges, {background} background")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "wb") as file:
            file.write(b"P6 %d %d 255\n" % (SIZE, SIZE) + bytes(b for i, b in enumerate(picture) if i % 4 != 3))
    return not (covered and background and covered + background < len(red))


sys.exit(main())
