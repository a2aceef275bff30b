"""The Vulkan registry as the generators see it: vk.xml of the headers in use, and newer.xml for what it is too old for.

extensions.txt says which part of it the driver offers: a line "core 1.N", then one extension a line.
"""
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

NEWER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'newer.xml')
TAG = re.compile(r'(KHR|EXT|NV|AMD|ARM|GOOGLE|IMG|INTEL|LUNARG|QCOM|VALVE)$')


def forVulkan(element):
    apis = element.get('api')
    return apis is None or 'vulkan' in apis.split(',')


def nameOf(element):
    return element.get('name') or element.findtext('name') or element.findtext('proto/name')


def readExtensions(path):
    """(highest minor version of the core, names of extensions)"""
    minor, names = 0, []
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            words = line.split('#')[0].split()
            if not words:
                continue
            if words[0] == 'core':
                minor = int(words[1].split('.')[1])
            elif len(words) == 1 and words[0].startswith('VK_'):
                names.append(words[0])
            else:
                sys.exit(f'{path}:{number}: expected one extension name: {line.strip()}')
    return minor, names


class Names:
    """Every type, command and value of one registry document: name -> element, and who is an alias of whom."""

    def __init__(self, root):
        self.root = root
        self.types, self.commands, self.values = {}, {}, {}
        self.extensions = {e.get('name'): e for e in root.find('extensions')
                           if 'vulkan' in e.get('supported', '').split(',')}
        for block, into in (('types', self.types), ('commands', self.commands)):
            for element in root.find(block):
                if forVulkan(element) and nameOf(element):
                    into.setdefault(nameOf(element), element)
        blocks = root.findall('enums')
        requires = [r for f in root.findall('feature') if forVulkan(f) for r in f.findall('require')]
        requires += [r for e in self.extensions.values() for r in e.findall('require')]
        for block in blocks + requires:
            for element in block.findall('enum'):
                if forVulkan(element) and (element.get('extends') or block.tag == 'enums'):
                    self.values.setdefault(element.get('name'), element)
        # Bits that a set of flags has none of yet: listed, required by nobody, and not in the headers.
        named = {t.get('name') for r in requires for t in r.findall('type')}
        named |= {b.get('name') for b in blocks if b.find('enum') is not None}
        named |= {e.get('extends') for e in self.values.values()} | {t.get('alias') for t in self.types.values()}
        for name in [n for n, t in self.types.items() if t.get('category') == 'enum' and n not in named]:
            del self.types[name]

    def specVersion(self, extension):
        """(macro, number) of VK_..._SPEC_VERSION"""
        for e in self.extensions[extension].iter('enum'):
            if e.get('name', '').endswith('_SPEC_VERSION'):
                return e.get('name'), int(e.get('value'))
        raise ValueError(extension)


class Families:
    """Names of one thing, which was promoted from extension to extension to the core: two registries may differ in which
    of them is the thing and which are aliases."""

    def __init__(self, *tables):
        self.parent = {}
        for table in tables:
            for name, element in table.items():
                if element.get('alias'):
                    self.parent[self.root(name)] = self.root(element.get('alias'))
        self.members = {}
        for name in [n for t in tables for n in t]:
            members = self.members.setdefault(self.root(name), [])
            if name not in members:
                members.append(name)

    def root(self, name):
        while name in self.parent and self.parent[name] != name:
            name = self.parent[name]
        return name

    def of(self, name):
        return self.members.get(self.root(name), [name])


class Registry:
    """The part of the registry that the chosen versions and extensions use."""

    def __init__(self, xmlPath, listPath):
        self.old = Names(ElementTree.parse(xmlPath).getroot())
        self.newer = Names(ElementTree.parse(NEWER).getroot())
        self.maxMinor, names = readExtensions(listPath)
        for name in self.newer.extensions:
            if name not in names:
                sys.exit(f'{NEWER}: {listPath} does not offer {name}')
        self.types = self.merged(self.newer.types, self.old.types)
        self.commands = self.merged(self.newer.commands, self.old.commands)
        self.extensions = {}
        for name in names:
            if name not in self.old.extensions and name not in self.newer.extensions:
                sys.exit(f'{listPath}: the registry has no extension {name}')
            self.extensions[name] = self.old.extensions.get(name, self.newer.extensions.get(name))
        self.extensionNames = sorted(names)
        self.checkFunctionNames()

    @staticmethod
    def merged(newer, old):
        """What either has; where both know a thing the headers in use decide which of its names is the thing."""
        families = Families(newer, old)
        table = dict(old)
        for name, element in newer.items():
            if name in old:
                continue
            known = next((m for m in families.of(name) if m in old), None)
            if known is None:
                table[name] = element
            else:
                table[name] = ElementTree.Element(element.tag, {'category': element.get('category', ''), 'name': name,
                                                                'alias': known})
        return table

    def lacks(self, extension):
        """Whether the registry of the headers does not know the extension, or only an earlier version of it."""
        if extension not in self.newer.extensions:
            return False
        if extension not in self.old.extensions:
            return True
        earlier = self.newer.extensions[extension].get('addsToVersion')
        return earlier is not None and self.old.specVersion(extension)[1] <= int(earlier)

    def specVersion(self, extension):
        return (self.newer if self.lacks(extension) else self.old).specVersion(extension)

    def canonical(self, name):
        while self.commands[name].get('alias'):
            name = self.commands[name].get('alias')
        return name

    def function(self, name):
        """The C++ function of a command: without prefix and author's tag, so that it outlives promotions."""
        return TAG.sub('', self.canonical(name)[2:])

    def checkFunctionNames(self):
        taken = {}
        for name in self.entryPoints():
            other = taken.setdefault(self.function(name), self.canonical(name))
            if other != self.canonical(name):
                sys.exit(f'{name} and {other} are two commands, and would be one function')

    def depends(self, expression):
        """Evaluates "A+B,C" with + as and, comma as or, and parentheses."""
        tokens = expression.replace('(', ' ( ').replace(')', ' ) ').replace('+', ' and ').replace(',', ' or ').split()
        text = ' '.join(t if t in ('(', ')', 'and', 'or') else str(self.has(t)) for t in tokens)
        return eval(text)  # only True, False, and, or and parentheses remain

    def has(self, name):
        core = re.fullmatch(r'VK_(?:\w+_)?VERSION_1_(\d+)', name)
        return int(core[1]) <= self.maxMinor if core else name in self.extensions

    def included(self, require):
        if not forVulkan(require):
            return False
        for key in ('feature', 'extension'):
            if require.get(key) and not all(self.has(n) for n in require.get(key).split(',')):
                return False
        return not require.get('depends') or self.depends(require.get('depends'))

    def requires(self):
        """Yields (condition, require element): condition is ('core', minor) or ('ext', name)."""
        known = {f.get('name') for f in self.old.root.findall('feature')}
        newer = [f for f in self.newer.root.findall('feature') if f.get('name') not in known]
        for feature in self.old.root.findall('feature') + newer:
            if not forVulkan(feature):
                continue
            minor = int(feature.get('number').split('.')[1])
            if minor <= self.maxMinor:
                for require in feature.findall('require'):
                    if self.included(require):
                        yield ('core', minor), require
        for name in self.extensionNames:
            blocks = list(self.extensions[name].findall('require'))
            if self.lacks(name) and name in self.old.extensions:
                blocks += self.newer.extensions[name].findall('require')
            for require in blocks:
                if self.included(require):
                    yield ('ext', name), require

    def entryPoints(self):
        """name -> set of conditions."""
        table = {}
        for condition, require in self.requires():
            for command in require.findall('command'):
                table.setdefault(command.get('name'), set()).add(condition)
        return table

    def usesWindows(self):
        return any(e.get('platform') for e in self.extensions.values())

    def usedTypes(self):
        """Names of all types (structures, enums) that versions and extensions bring."""
        return {t.get('name') for _, require in self.requires() for t in require.findall('type')}


def writeIfChanged(path, content):
    if os.path.exists(path) and open(path, encoding='utf-8').read() == content:
        return  # what includes it need not be compiled again
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(content)
