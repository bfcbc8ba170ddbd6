"""The public API of a module as text, grouped by type and extension, in a stable order for diffs."""

ORDER = ["typealias", "enum.case", "type.property", "property", "init", "type.method", "method", "subscript"]


def rank(member):
    kind = member.kind.removeprefix("swift.")
    return (ORDER.index(kind) if kind in ORDER else len(ORDER), member.title, member.text)


def heading(group):
    conformances = ", ".join(sorted(group.conformances))
    text = group.text or f"extension {group.path}"
    head, where, rest = text.partition(" where ")
    if conformances:
        head += f": {conformances}"
    if group.constraints:
        return f"{head} where {group.constraints}"
    return head + where + rest


def render(groups):
    """The text of a module: top-level declarations first, then types and extensions by name."""
    parts = []
    for group in sorted(groups, key=lambda group: (group.path, not group.text, group.constraints)):
        lines = [member.text for member in sorted(group.members, key=rank)]
        if group.path:
            lines = [heading(group)] + ["    " + line for line in lines]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
