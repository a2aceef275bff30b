#!/usr/bin/env python3
"""Generates features.inc and properties.inc: what every feature and property structure of the pNext chains says.

usage: gen_tables.py VK_XML EXTENSIONS_TXT FEATURES_TXT PROPERTIES_TXT OUTPUT_FOLDER

A feature or property is written once, by its member name, and goes into each structure that has a member of that name:
VkPhysicalDeviceMultiviewFeatures::multiview and VkPhysicalDeviceVulkan11Features::multiview are the same fact.
"""
import fnmatch
import os
import re
import sys

from gen_dispatch import HEAD, Registry, writeIfChanged


def structures(registry, base):
    """Used structures that extend `base`: [(name, sType, [(member, type, is array)], guard)]."""
    used, result = set(), []
    aliases, types = {}, {}
    for t in registry.root.find('types'):
        if t.get('category') != 'struct':
            continue
        if t.get('alias'):
            aliases[t.get('name')] = t.get('alias')
        else:
            types[t.get('name')] = t
    for name in registry.usedTypes():
        while name in aliases:
            name = aliases[name]
        used.add(name)
    for name in sorted(used):
        t = types.get(name)
        if t is None or base not in t.get('structextends', '').split(','):
            continue
        result.append(describe(t))
    return result, types


def describe(t):
    sType, members = None, []
    for m in t.findall('member'):
        if m.get('api') and 'vulkan' not in m.get('api').split(','):
            continue
        member = m.find('name').text
        if member == 'sType':
            sType = m.get('values')
        elif member != 'pNext':
            declaration = ''.join(x for e in m if e.tag != 'comment' for x in [e.text or '', e.tail or ''])
            members.append((member, m.find('type').text, '[' in declaration, '*' in declaration))
    return t.get('name'), sType, members


def readLines(path):
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            line = line.split('#')[0].strip()
            if line:
                yield number, line


def features(registry, path):
    on = {}
    for number, line in readLines(path):
        for word in line.split():
            on[word] = number
    structs, types = structures(registry, 'VkPhysicalDeviceFeatures2')
    core = describe(types['VkPhysicalDeviceFeatures'])
    known = {m[0] for s in structs + [core] for m in s[2]}
    for name, number in on.items():
        if name not in known:
            sys.exit(f'{path}:{number}: no feature structure in use has a member {name}')
    out = [HEAD, '// Included by icd/physical_device/features.cpp only.\n\n',
           'constexpr VkPhysicalDeviceFeatures kCoreFeatures = {\n']
    for member, _, _, _ in core[2]:
        out.append(f'    .{member} = VK_{str(member in on).upper()},\n')
    out.append('};\n\n')
    rows = []
    for name, sType, members in structs:
        for member, kind, array, pointer in members:
            if kind != 'VkBool32' or array or pointer:
                sys.exit(f'{name}::{member} is not a plain feature')
        values = ', '.join('1' if m[0] in on else '0' for m in members)
        out.append(f'constexpr VkBool32 k{name}[] = {{{values}}};\n')
        out.append(f'static_assert(sizeof({name}) >= sizeof(VkBaseOutStructure) + sizeof(k{name}));\n')
        rows.append(f'    {{{sType}, {len(members)}, k{name}, "{name}"}},\n')
    out.append('\nconstexpr FeatureStruct kFeatureStructs[] = {\n' + ''.join(rows) + '};\n')
    return ''.join(out)


def properties(registry, path):
    values = {}
    for number, line in readLines(path):
        match = re.match(r'([\w*]+)\s*=\s*(.+)$', line)
        if not match:
            sys.exit(f'{path}:{number}: expected name = value')
        if match[1] in values:
            sys.exit(f'{path}:{number}: {match[1]} is given twice')
        values[match[1]] = match[2]
    structs, types = structures(registry, 'VkPhysicalDeviceProperties2')
    limits = describe(types['VkPhysicalDeviceLimits'])
    missing, usedNames = [], set()
    patterns = [n for n in values if '*' in n]

    def keyOf(member):
        """The line that gives a member: its own, else the first pattern that fits."""
        if member in values:
            return member
        return next((p for p in patterns if fnmatch.fnmatchcase(member, p)), None)

    def body(name, members):
        lines = []
        for member, _, array, pointer in members:
            if pointer:
                continue  # two-call lists: icd/physical_device/properties.cpp
            key = keyOf(member)
            usedNames.add(key)
            if key is None:
                missing.append(f'{name}::{member}')
            elif array:
                lines.append(f'  assign(s.{member}, {values[key]});\n')
            else:
                lines.append(f'  s.{member} = {values[key]};\n')
        return ''.join(lines)

    out = [HEAD, '// Included by icd/physical_device/properties.cpp only.\n\n',
           'void fillLimits(VkPhysicalDeviceLimits& s, const Host& host) {\n',
           body('VkPhysicalDeviceLimits', limits[2]), '}\n\n']
    cases = []
    for name, sType, members in structs:
        out.append(f'void fill{name}({name}& s, const Host& host) {{\n{body(name, members)}}}\n\n')
        cases.append(f'    case {sType}:\n      fill{name}(*reinterpret_cast<{name}*>(s), host);\n      return true;\n')
    out.append('bool fillProperties(VkBaseOutStructure* s, const Host& host) {\n'
               '  switch (static_cast<int>(s->sType)) {\n' + ''.join(cases) + '    default:\n      return false;\n  }\n}\n')
    if missing:
        sys.exit(f'{path}: no value for\n  ' + '\n  '.join(missing))
    for name in values:
        if name not in usedNames:
            sys.exit(f'{path}: no property structure in use has a member {name}')
    return ''.join(out)


def main():
    xmlPath, listPath, featuresPath, propertiesPath, folder = sys.argv[1:6]
    registry = Registry(xmlPath, listPath)
    writeIfChanged(os.path.join(folder, 'features.inc'), features(registry, featuresPath))
    writeIfChanged(os.path.join(folder, 'properties.inc'), properties(registry, propertiesPath))


if __name__ == '__main__':
    main()
