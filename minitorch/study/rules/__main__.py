"""python -m minitorch.study.rules: the table of all rules, which is docs/study/rules.md."""

from minitorch.study.rules.catalogue import table

if __name__ == "__main__":
    print(table(), end="")
