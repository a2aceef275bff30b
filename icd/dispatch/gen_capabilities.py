#!/usr/bin/env python3
"""Generates capabilities.inc: which of the SPIR-V capabilities that the compiler lowers the driver offers.

usage: gen_capabilities.py VK_XML EXTENSIONS_TXT FEATURES_TXT PROPERTIES_TXT CAPABILITIES_DEF OUTPUT_FOLDER

The registry says which version, extension, feature or property allows a capability; the lists of the driver say which of
these it has. Values of properties are C++, so the answer is a constant expression. Fails where the driver offers what the
compiler does not lower.
"""
import fnmatch
import os
import re
import sys

from gen_tables import HEAD, readLines
from registry import TAG, Registry, writeIfChanged


def valueOf(properties, member):
    if member in properties:
        return properties[member]
    return next((v for p, v in properties.items() if '*' in p and fnmatch.fnmatchcase(member, p)), 'VK_FALSE')


def enabled(enable, registry, features, properties):
    """One way to get a capability: (C++ expression, what it is called)."""
    has = enable.get('requires') is None or any(registry.has(n) for n in enable.get('requires').split(','))
    if enable.get('version') or enable.get('extension'):
        name = enable.get('version') or enable.get('extension')
        return str(has and registry.has(name)).lower(), name
    if enable.get('feature'):
        return str(has and enable.get('feature') in features).lower(), enable.get('feature')
    member, value = enable.get('member'), enable.get('value')
    text = f"{member} = {value}"
    if not has:
        return 'false', text
    given = valueOf(properties, member)
    return (f'(({given}) & {value}) != 0' if re.search(r'_BIT(_[A-Z]+)?$', value) else f'({given}) == {value}'), text


def main():
    xmlPath, listPath, featuresPath, propertiesPath, definitionPath, folder = sys.argv[1:7]
    registry = Registry(xmlPath, listPath)
    features = {word for _, line in readLines(featuresPath) for word in line.split()}
    properties = dict(re.split(r'\s*=\s*', line, maxsplit=1) for _, line in readLines(propertiesPath))
    with open(definitionPath, encoding='utf-8') as f:
        text = f.read()
    lowered = {name: f'spv::Capability::{name}' for name in re.findall(r'^ETZEL_CAPABILITY\((\w+)\)', text, re.MULTILINE)}
    lowered |= {name: f'spv::Capability({number})' for name, number in
                re.findall(r'^ETZEL_NEWER_CAPABILITY\((\w+), (\d+)\)', text, re.MULTILINE)}
    ways = {}  # by the name without its author: FragmentBarycentricNV and FragmentBarycentricKHR are the same number
    for names in (registry.old, registry.newer):
        for capability in names.root.iter('spirvcapability'):
            ways.setdefault(TAG.sub('', capability.get('name')), []).extend(
                enabled(e, registry, features, properties) for e in capability.findall('enable'))
    rows = []
    for name in lowered:
        alternatives = ways.get(TAG.sub('', name), [])
        expressions = dict.fromkeys(e for e, _ in alternatives if e != 'false')
        offered = 'true' if 'true' in expressions else ' || '.join(expressions) or 'false'
        needs = ' or '.join(dict.fromkeys(text for _, text in alternatives)) or 'a newer Vulkan'
        rows.append(f'    {{{lowered[name]}, {offered}, "{needs}"}},\n')
    known = {TAG.sub('', name) for name in lowered}
    missing = [name for name, alternatives in ways.items()
               if name not in known and any(e == 'true' for e, _ in alternatives)]
    if missing:
        sys.exit(f'{definitionPath}: the driver offers what allows these, and the compiler does not lower them: '
                 + ', '.join(missing))
    content = HEAD.replace('gen_tables', 'gen_capabilities') + '// Included by icd/pipeline/capabilities.cpp only.\n\n'
    content += 'constexpr CapabilityRow kCapabilities[] = {\n' + ''.join(rows) + '};\n'
    writeIfChanged(os.path.join(folder, 'capabilities.inc'), content)


if __name__ == '__main__':
    main()
