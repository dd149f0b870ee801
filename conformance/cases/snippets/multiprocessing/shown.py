"""What the scripts beside this file print with: results and errors, without what no run repeats."""

import gc
import re
import warnings

OWN = re.compile(r'  File "[^"]*snippets/multiprocessing/(?!shown)(\w+\.py)", line (\d+)')


def clean(text):
    """Returns a text without process numbers, addresses, and frames of the libraries."""
    kept, of_library = [], False
    for line in text.splitlines():
        if line.startswith("  File "):
            own = OWN.match(line)
            of_library = own is None
            line = f"  {own[1]}:{own[2]}" if own else line
        elif not line.startswith("    ") or not kept:
            of_library = False
        if not of_library and not re.fullmatch(r" *[\^~]+ *", line):
            kept.append(line)
    text = re.sub(r" *\(Triggered internally at .*?\)", "", "\n".join(kept)).rstrip()
    text = re.sub(r"\bpid(\(s\)|=)? ?\d+(, \d+)*", r"pid\1 N", text)
    text = re.sub(r"0x[0-9a-f]+", "0x..", text)
    return re.sub(r"(process|Process) \d{3,}", r"\1 N", text).replace("minitorch.", "torch.")


def show(label, function, *arguments, **options):
    """Prints what a call returns or raises, and the warnings that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            said = clean(str(function(*arguments, **options)))
        except Exception as error:
            said = f"{type(error).__name__}: {clean(str(error))}"
    gc.collect()  # what the error held: a child would give back what is its parent's
    print(f"{label}: {said}", flush=True)
    for each in caught:
        print(f"    {each.category.__name__}: {clean(str(each.message))}", flush=True)


def part(name):
    """Prints the name of a part of a script."""
    print(f"--- {name}", flush=True)
