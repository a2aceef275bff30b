#!/usr/bin/env python3
"""Lets a library with packed relative relocations load where the dynamic linker knows none: makes the version that asks
for such a linker weak (runtime/portable/packed_relocations.cpp does its work), and takes those of LLVM's tables from the
end of what linkers relocate, to be done when LLVM is needed.

usage: weaken_relr.py LIBRARY           changes it, if there is something to change
       weaken_relr.py LIBRARY --hide COPY  writes a copy whose relocations linkers pass over, as old ones do: for tests
"""
import pathlib
import struct
import sys

VERSION = b"GLIBC_ABI_DT_RELR"
WEAK = 2  # VER_FLG_WEAK
SHT_SYMTAB, SHT_DYNAMIC, SHT_GNU_VERNEED = 2, 6, 0x6FFFFFFE
PT_LOAD = 1
DT_NULL, DT_INIT, DT_FINI, DT_RELRSZ, DT_RELR = 0, 12, 13, 35, 36
UNPACKS = b"etzelRelocate"
DEFERRED = b"etzel_llvm_data_begin", b"etzel_llvm_data_end", b"etzelDeferredWords"


def sections(data):
    """(type, offset, link, size) of each section of a little-endian ELF file of 64 bits."""
    assert data[:6] == b"\x7fELF\x02\x01", "no ELF file of 64 bits"
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for i in range(count):
        _, kind, _, _, at, length, link = struct.unpack_from("<IIQQQQI", data, offset + i * size)
        yield kind, at, link, length


def entries(data):
    """Those of the dynamic section, by tag."""
    for kind, at, _, length in sections(data):
        if kind == SHT_DYNAMIC:
            return dict(struct.unpack_from("<QQ", data, entry) for entry in range(at, at + length, 16))
    return {}


def symbols(data, *wanted):
    """The values of those of the names that the symbol table has, by name."""
    headers, found = list(sections(data)), {}
    for kind, at, link, length in headers:
        for symbol in range(at, at + length, 24) if kind == SHT_SYMTAB else ():
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, symbol)
            for w in wanted:
                if data.startswith(w + b"\0", headers[link][1] + name):
                    found[w] = value
    return found


def unpacks(data):
    """Whether the library does itself what old linkers leave undone, before all else."""
    unpacker = symbols(data, UNPACKS).get(UNPACKS)
    return unpacker is not None and entries(data).get(DT_INIT) == unpacker


def place(data, address):
    """In the file, of what is loaded at the address."""
    (offset,) = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    for i in range(count):
        kind, _, at, start, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        if kind == PT_LOAD and start <= address < start + length:
            return at + address - start
    sys.exit(f"nothing is loaded at {address:#x}")


def defer(data):
    """The table's words are in the order of what they relocate, and LLVM's tables come last."""
    dynamic, (begin, end, counter) = entries(data), DEFERRED
    known = symbols(data, *DEFERRED)
    if data[place(data, known[counter]):][:8] != bytes(8):
        return  # that was done
    table, count = place(data, dynamic[DT_RELR]), dynamic[DT_RELRSZ] // 8
    words = struct.unpack_from(f"<{count}Q", data, table)
    first = next((i for i, w in enumerate(words) if not w & 1 and w >= known[begin]), count)
    at, addresses = 0, []
    for i, w in enumerate(words):  # gABI, "Relative Relocation Table"
        if w & 1:
            addresses += [(i, at + 8 * bit) for bit in range(63) if w >> (bit + 1) & 1]
            at += 8 * 63
        else:
            addresses.append((i, w))
            at = w + 8
    if any((i >= first) != (known[begin] <= a < known[end]) for i, a in addresses):
        sys.exit("LLVM's tables are not the last of what is relocated")
    for kind, at, _, length in sections(data):
        for entry in range(at, at + length, 16) if kind == SHT_DYNAMIC else ():
            if struct.unpack_from("<Q", data, entry)[0] == DT_RELRSZ:
                struct.pack_into("<Q", data, entry + 8, 8 * first)
    struct.pack_into("<Q", data, place(data, known[counter]), count - first)


def weaken(data):
    """gABI's extension "Version Dependencies": chains of libraries, and of each one's versions. \\returns how many."""
    headers, changed = list(sections(data)), 0
    for kind, at, link, _ in headers:
        if kind != SHT_GNU_VERNEED:
            continue
        names = headers[link][1]
        while True:
            _, _, _, first, following = struct.unpack_from("<HHIII", data, at)
            version = at + first
            while True:
                _, flags, _, name, step = struct.unpack_from("<IHHII", data, version)
                if data.startswith(VERSION + b"\0", names + name):
                    struct.pack_into("<H", data, version + 4, flags | WEAK)
                    changed += 1
                if not step:
                    break
                version += step
            if not following:
                break
            at += following
    return changed


def hide(data):
    """Linkers take the last size that they are told, the driver the first. What the driver would do when the process ends
    (DT_FINI) gives its place to that where no entry is left over."""
    for kind, at, _, length in sections(data):
        if kind != SHT_DYNAMIC:
            continue
        tags = [struct.unpack_from("<Q", data, entry)[0] for entry in range(at, at + length, 16)]
        end = tags.index(DT_NULL)
        last = end if tags[end + 1:end + 2] == [DT_NULL] else tags.index(DT_FINI)
        assert tags.index(DT_RELRSZ) < last, "no such relocations, or no room for an entry"
        struct.pack_into("<QQ", data, at + 16 * last, DT_RELRSZ, 0)


def main():
    path = pathlib.Path(sys.argv[1])
    data = bytearray(path.read_bytes())
    if sys.argv[2:3] == ["--hide"]:
        hide(data)
        path = pathlib.Path(sys.argv[3])
    elif not weaken(data):
        return
    elif not unpacks(data):
        sys.exit(f"{path}: nobody would unpack its relocations: DT_INIT is not {UNPACKS.decode()}")
    else:
        defer(data)
    path.write_bytes(data)


main()
