"""The products, and the public declarations of built modules, from the compiler's symbol graphs."""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FORMATS = subprocess.check_output(
    [Path(__file__).resolve().parent.parent / "formats", "--names"], text=True).split()

# The products of the package, and the modules that each exports.
PRODUCTS = {
    "Kingfisher": ["KingfisherImage", "KingfisherStorage", "KingfisherTransport", "Kingfisher"],
    "KingfisherCodecSupport": ["KingfisherCodecSupport"],
    "KingfisherService": ["KingfisherService"],
    "KingfisherTestSupport": ["KingfisherTestSupport"],
    "KingfisherFormats": ["KingfisherFormats"],
    **{f"Kingfisher{name}": [f"Kingfisher{name}"] for name in FORMATS},
    "KingfisherSharedCache": ["KingfisherSharedCache"],
    "KingfisherIsolation": ["KingfisherIsolation"],
    "KingfisherVideo": ["KingfisherVideo"],
    "KingfisherGTK": ["KingfisherGTK"],
}
without = os.environ.get("KINGFISHER_WITHOUT", "").upper().split(",")
LEFT_OUT = [f"KINGFISHER{part}" for part in without if part]

# Conformances that every type has by default.
IMPLIED = {"Copyable", "Escapable", "BitwiseCopyable", "SendableMetatype"}


@dataclass
class Member:
    """A declaration in a type, or at the top level."""

    title: str  # name and labels: "cancel(url:)"
    kind: str  # the symbol graph's: "swift.method"
    text: str  # the declaration
    parameters: str  # the types of its parameters
    defaults: tuple  # for each parameter whether it has a default
    types: tuple = ()  # the types of its parameters, one by one
    target: str = ""  # the identifier of a typealias's type

    @property
    def is_settable(self):
        """Whether it is a variable with a public setter."""
        is_read_only = re.search(r"\{ get( async)?( throws)? \}", self.text)
        return bool(re.search(r"\bvar\b", self.text)) and not is_read_only

    @property
    def is_open(self):
        return self.text.startswith("open ")

    @property
    def is_async(self):
        return bool(re.search(r"\) async\b", self.text))

    @property
    def labelled(self):
        """The types of a function's parameters by label, without parameters that have none."""
        labels = self.title.partition("(")[2].rstrip(")").split(":")[:-1]
        return {label: kind for label, kind in zip(labels, self.types, strict=False) if label != "_"}

    @property
    def is_static(self):
        return self.kind.startswith("swift.type.") or self.kind == "swift.enum.case"


@dataclass
class Group:
    """A type, or an extension: of another module's type, with constraints, or of a protocol."""

    path: str
    constraints: str = ""
    kind: str = "extension"
    text: str = ""
    conformances: set = field(default_factory=set)
    members: list = field(default_factory=list)


def have_sendable():
    """Whether symbol graphs have `@Sendable`, which those of Swift 6.2 leave out."""
    return "Swift version 6.2" not in subprocess.check_output(["swift", "--version"], text=True)


def module_flags(root):
    """Compiler flags to find the built modules and their C modules."""
    folder = Path(
        subprocess.check_output(["swift", "build", "--show-bin-path"], cwd=root, text=True).strip()
    )
    libraries = re.findall(r'system\("\w+", "([^"]+)"', (root / "Package.swift").read_text())
    installed = [name for name in libraries if not subprocess.call(["pkg-config", "--exists", name])]
    includes = subprocess.check_output(["pkg-config", "--cflags-only-I", *installed], text=True).split()
    # Headers of C targets may include those of others.
    includes += [f"-I{path}" for path in sorted(root.glob("Sources/*/C*/include"))]
    maps = [*root.glob("Sources/*/C*/module.modulemap"), *folder.glob("*.build/module.modulemap")]
    clang = includes + [f"-fmodule-map-file={file}" for file in maps]
    return (
        ["-I", folder / "Modules", "-module-cache-path", folder / "ModuleCacheOfAPI"]
        + [argument for flag in clang for argument in ("-Xcc", flag)]
    )


def extract(root, modules, output, *options):
    """Writes the symbol graphs of modules, including extensions of other modules' types."""
    target = json.loads(subprocess.check_output(["swift", "-print-target-info"], text=True))["target"]
    flags = module_flags(root)
    for module in modules:
        subprocess.run(
            ["swift-symbolgraph-extract", "-module-name", module, *flags, "-target", target["triple"]]
            + ["-minimum-access-level", "public", "-emit-extension-block-symbols"]
            + ["-skip-synthesized-members", "-output-dir", output, *options],
            check=True,
        )
    return [json.loads(file.read_text()) for file in sorted(Path(output).glob("*.symbols.json"))]


def symbol_graphs(root, modules):
    """The symbol graphs of modules, without inherited documentation."""
    with tempfile.TemporaryDirectory() as output:
        return extract(root, modules, output, "-skip-inherited-docs")


def constraints(symbol):
    """The constraints of the extension that contains a symbol: "Base: Button"."""
    path = ".".join(symbol["pathComponents"])
    found = []
    for constraint in symbol.get("swiftExtension", {}).get("constraints", []):
        left, right = constraint["lhs"], constraint["rhs"]
        if right in IMPLIED or left == "Self" and path.startswith(right):
            continue
        found.append(f"{left} == {right}" if constraint["kind"] == "sameType" else f"{left}: {right}")
    return ", ".join(sorted(found))


def spelled(fragments):
    return re.sub(r"\s+", " ", "".join(fragment["spelling"] for fragment in fragments)).strip()


def declaration(symbol):
    """The declaration as in the module's interface, with the full path of a type."""
    path = ".".join(symbol["pathComponents"])
    is_type = symbol["kind"]["identifier"] in ("swift.class", "swift.struct", "swift.enum", "swift.protocol")
    fragments = [dict(fragment) for fragment in symbol["declarationFragments"]]
    for fragment in fragments:
        if is_type and fragment["kind"] == "identifier":
            fragment["spelling"] = path
    text = spelled(fragments)
    return f"open {text}" if symbol["accessLevel"] == "open" else text


def signature(symbol):
    """The types of a function's parameters, which distinguish overloads, and which of them have defaults."""
    types = tuple(
        spelled(parameter["declarationFragments"]).partition(":")[2].strip()
        for parameter in symbol.get("functionSignature", {}).get("parameters", [])
    )
    return ", ".join(types), defaults(symbol), types


def defaults(symbol):
    """For each parameter whether it has a default, which only the complete declaration contains."""
    if ":" not in symbol["pathComponents"][-1]:
        return ()
    text = spelled(symbol["declarationFragments"])
    found, depth = [], 0
    keyword = re.search(r"\b(func|init|case|subscript)\b", text)
    start = text.index("(", keyword.end())
    for index, character in enumerate(text[start:], start=start):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and text[index - 1] != "-":
            depth -= 1
        if depth == 0:
            break
        if depth == 1 and (character == "(" or character == ","):
            found.append(False)
        if depth == 1 and text[index : index + 3] == " = ":
            found[-1] = True
    return tuple(found)


def alias_target(symbol):
    """The identifier of a typealias's type."""
    if symbol["kind"]["identifier"] != "swift.typealias":
        return ""
    named = [f["preciseIdentifier"] for f in symbol["declarationFragments"] if "preciseIdentifier" in f]
    return named[-1] if len(named) == 1 else ""


def groups(graphs):
    """Declarations grouped by type and extension, and the path of each type by identifier."""
    found, paths, homes = {}, {}, {}
    for graph in graphs:
        for symbol in graph["symbols"]:
            kind, identifier = symbol["kind"]["identifier"], symbol["identifier"]["precise"]
            path = ".".join(symbol["pathComponents"])
            limits = constraints(symbol)
            if kind in ("swift.class", "swift.struct", "swift.enum", "swift.protocol"):
                group = found.setdefault((path, ""), Group(path))
                group.kind, group.text = kind.removeprefix("swift."), declaration(symbol)
                paths[identifier] = path
                homes[identifier] = group
            elif kind == "swift.extension":
                homes[identifier] = found.setdefault((path, limits), Group(path, limits))
            else:
                home = ".".join(symbol["pathComponents"][:-1])
                title = symbol["pathComponents"][-1]
                extends = symbol.get("swiftExtension", {}).get("typeKind") == "swift.protocol"
                key = (home, limits, "protocol") if extends else (home, limits)
                group = found.setdefault(key, Group(home, limits))
                member = Member(title, kind, declaration(symbol), *signature(symbol), alias_target(symbol))
                group.members.append(member)
    for graph in graphs:
        for relation in graph["relationships"]:
            home = homes.get(relation["source"])
            if relation["kind"] in ("conformsTo", "inheritsFrom") and home:
                fallback = relation.get("targetFallback", "").rpartition(".")[2]
                name = paths.get(relation["target"]) or fallback or relation["target"]
                if name not in IMPLIED:
                    home.conformances.add(name)
    return [group for group in found.values() if group.text or group.members or group.conformances], paths
