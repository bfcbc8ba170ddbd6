"""What docs/api/contract.txt promises and the modules do not have.

A block of the contract is a type with its kind and conformances, or an extension, and the members by name and
argument labels; "label?:" is one that callers may leave out, and "x2" means as many overloads, told apart by
the types of their parameters. A case may be here a static member, for callers write both alike. "var" stands
before what users may set, "open" before what they may subclass or override.

Besides, handlers of functions with callbacks are `@Sendable`, for they are called on other threads, and progress
blocks are not, for they are called on the main queue; those of async functions are.
"""

import re

KINDS = "struct|class|enum|protocol"
HANDLERS = {"completionHandler", "completion", "handler", "retryHandler", "downloadTaskUpdated", "callback"}


class Facts:
    """The public declarations, to be asked about."""

    def __init__(self, groups, paths):
        self.groups = groups
        self.aliases = {
            ".".join(filter(None, (group.path, member.title))): paths.get(member.target, "")
            for group in groups
            for member in group.members
            if member.kind == "swift.typealias"
        }

    def named(self, path):
        """The groups of a type, under its own name or an alias of it."""
        own = [group for group in self.groups if group.path == path]
        return own or [group for group in self.groups if group.path and group.path == self.aliases.get(path)]

    def kind(self, path):
        return next((group.kind for group in self.named(path) if group.text), None)

    def conformances(self, path, seen=()):
        """All that a type conforms to or inherits from, also by way of others."""
        found = {name for group in self.named(path) for name in group.conformances} - set(seen)
        for name in sorted(found):
            found |= self.conformances(name, (*seen, path, *found))
        return found

    def is_open(self, path):
        return any(group.text.startswith("open ") for group in self.named(path))

    def sendable(self, spelling):
        """Whether a parameter's type is a closure that may go to other threads."""
        texts = [member.text for group in self.groups for member in group.members if member.kind == "swift.typealias"]
        name = re.fullmatch(r"(\w+)\??", spelling)
        alias = name and next((text for text in texts if re.match(rf"typealias {name[1]} =", text)), None)
        return "@Sendable" in (alias or spelling)

    def members(self, path, constraints, title, static):
        """The members with a name, its supertypes' included.

        Labels with a question mark are those of parameters that have defaults.
        """
        title, omitted = title.replace("?", ""), [label.endswith("?") for label in title.split(":")[:-1]]
        paths = [path, *self.conformances(path)] if path else [""]
        return [
            member
            for name in paths
            for group in (self.named(name) if name else [g for g in self.groups if not g.path])
            for member in group.members
            if member.title == title and member.is_static == static
            and all(default or not wanted for default, wanted in zip(member.defaults, omitted, strict=True))
            and (not constraints or alike(group.constraints) == alike(constraints))
        ]


def alike(constraints):
    """A final class can only be named by `==`, which holds where `:` does."""
    return constraints.replace(" ==", ":")


def missing(contract, facts):
    """The promises that are not kept, as "Type.member", in the order of the contract.

    Of a type that is not there its members are not told one by one.
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
                found += [f"{label}: {name}" for name in (conformances or "").split(", ") if name and name not in own]
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
    """Parameters that are `@Sendable` and should not be, or the other way round, as "Type.member label"."""
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
    """What an exceptions file names, with the reasons, which are two spaces away: "Type.member  reason"."""
    rows = [re.split(r"  +", line, maxsplit=1) for line in exceptions.splitlines() if line and not line.startswith("#")]
    return {name: reason for name, reason in rows}
