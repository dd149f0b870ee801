"""The report's entry for a case: its title in one line, and its script."""

from conformance.examine import Example, Shown


def title(entry: Shown | Example) -> str:
    """Returns the title of the case in one line: the whole of a program stands in its script."""
    first, _, more = entry.case.title.partition("\n")
    return f"{first} ..." if more else first


def script(entry: Shown | Example, impl: str) -> str:
    """Returns the script of the case; a report must not fail where none can be written."""
    try:
        return entry.case.script(impl)
    except Exception as error:
        return f"# {title(entry)}: no script, for want of a way to write its inputs: {error}\n"
