"""Compares docs/api/contract.txt with the public declarations of the modules.

A block of the contract is a type with its kind and conformances, or an extension, followed by its members by
name and argument labels. "label?:" is a parameter with a default, "x2" the number of overloads with different
parameter types. A case may be implemented by a static member, because callers write both in the same way.
"var" precedes properties that users may set, "open" declarations that they may subclass or override.

In addition, handlers of functions with callbacks must be `@Sendable`, because they are called on other
threads. Progress blocks must not be, because they are called on the main queue, except those of async
functions.
"""

import re

KINDS = "struct|class|enum|protocol"
HANDLERS = {"completionHandler", "completion", "handler", "retryHandler", "downloadTaskUpdated", "callback"}


class Facts:
    """Queries about the public declarations."""

    def __init__(self, groups, paths):
        self.groups = groups
        self.aliases = {
            ".".join(filter(None, (group.path, member.title))): paths.get(member.target, "")
            for group in groups
            for member in group.members
            if member.kind == "swift.typealias"
        }

    def named(self, path):
        """The groups of a type, by its name or an alias."""
        own = [group for group in self.groups if group.path == path]
        return own or [group for group in self.groups if group.path and group.path == self.aliases.get(path)]

    def kind(self, path):
        return next((group.kind for group in self.named(path) if group.text), None)

    def conformances(self, path, seen=()):
        """All protocols and classes of a type, direct and indirect."""
        found = {name for group in self.named(path) for name in group.conformances} - set(seen)
        for name in sorted(found):
            found |= self.conformances(name, (*seen, path, *found))
        return found

    def looked_up(self, path):
        """The types whose members are members of this one by dynamic member lookup."""
        members = (member for group in self.named(path) for member in group.members)
        kinds = (kind for member in members for kind in [member.labelled.get("dynamicMember")] if kind)
        return {found[1] for kind in kinds if (found := re.match(r"WritableKeyPath<(\w+),", kind))}

    def is_open(self, path):
        return any(group.text.startswith("open ") for group in self.named(path))

    def sendable(self, spelling):
        """Whether a parameter type is a `@Sendable` closure."""
        members = (member for group in self.groups for member in group.members)
        texts = [member.text for member in members if member.kind == "swift.typealias"]
        name = re.fullmatch(r"(\w+)\??", spelling)
        alias = name and next((text for text in texts if re.match(rf"typealias {name[1]} =", text)), None)
        return "@Sendable" in (alias or spelling)

    def members(self, path, constraints, title, static):
        """The members with this title, including those of supertypes and by dynamic member lookup.

        A label with a question mark requires a parameter with a default.
        """
        title, omitted = title.replace("?", ""), [label.endswith("?") for label in title.split(":")[:-1]]
        paths = [path, *self.conformances(path), *self.looked_up(path)] if path else [""]
        return [
            member
            for name in paths
            for group in (self.named(name) if name else [g for g in self.groups if not g.path])
            for member in group.members
            if member.title == title and member.is_static == static
            and all(default or not wanted for default, wanted in zip(member.defaults, omitted, strict=True))
            and (not constraints or normalized(group.constraints) == normalized(constraints))
        ]


def normalized(constraints):
    """Constraints in comparable form: for a final class, `==` means the same as `:`."""
    return constraints.replace(" ==", ":")


def missing(contract, facts):
    """The missing declarations as "Type.member", in the order of the contract.

    Members of a missing type are not listed.
    """
    found = []
    path = constraints = label = ""
    absent = False
    for line in contract.splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            head, _, constraints = line.partition(" where ")
            is_open, kind, path, conformances = re.fullmatch(
                rf"(open )?(?:({KINDS}|extension) )?([^:]+)(?:: (.*))?", head
            ).groups()
            path = path if kind else ""
            label = f"{path} where {constraints}" if constraints else path
            actual = facts.kind(path)
            absent = kind in KINDS.split("|") and actual is None
            if absent or kind in KINDS.split("|") and actual != kind:
                found.append(label if absent else f"{label} is no {kind}")
            if not absent:
                own = facts.conformances(path)
                promised = (name for name in (conformances or "").split(", ") if name)
                found += [f"{label}: {name}" for name in promised if name not in own]
                if is_open and not facts.is_open(path):
                    found.append(f"{label} is not open")
            continue
        if absent:
            continue
        match = re.fullmatch(r"    (open )?(case |static |typealias )?(var )?(\S+)(?: x(\d+))?", line)
        is_open, prefix, is_settable, title, count = match.groups()
        full = f"{label}.{title}" if label else title
        if prefix == "typealias ":
            if ".".join(filter(None, (path, title))) not in facts.aliases and not facts.named(title):
                found.append(full)
            continue
        members = facts.members(path, constraints, title, prefix in ("case ", "static "))
        present = len({member.parameters for member in members})
        if present < int(count or 1):
            found.append(full if present == 0 else f"{full} x{count}")
            continue
        if is_settable and not any(member.is_settable for member in members):
            found.append(f"{full} cannot be set")
        if is_open and len({member.parameters for member in members if member.is_open}) < int(count or 1):
            found.append(f"{full} is not open")
    return found


def misplaced(facts):
    """Parameters that are wrongly `@Sendable` or wrongly not, as "Type.member label"."""
    found = []
    for group in facts.groups:
        for member in group.members:
            for label, spelling in member.labelled.items():
                if "->" not in spelling and not re.fullmatch(r"\w*(Block|Handler)\??", spelling):
                    continue
                wanted = label in HANDLERS or member.is_async
                if label in HANDLERS | {"progressBlock"} and facts.sendable(spelling) != wanted:
                    name = ".".join(filter(None, (group.path, member.title)))
                    found.append(f"{name} {label} is {'not ' if wanted else ''}@Sendable")
    return found


def excepted(exceptions):
    """The entries of an exceptions file and their reasons, separated by two spaces: "Type.member  reason"."""
    lines = (line for line in exceptions.splitlines() if line and not line.startswith("#"))
    rows = [re.split(r"  +", line, maxsplit=1) for line in lines]
    return {name: reason for name, reason in rows}
