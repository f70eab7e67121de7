#!/usr/bin/env python3
"""Names files over 400 lines and functions over 60, and fails when there is one.

    sizes.py FILE …

A function ends where formatted code closes it: at the first line behind its head with the head's indentation.
"""

import ast
import pathlib
import re
import sys

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

SWIFT_HEAD = re.compile(r"^(\s*)(?:[@\w()]+ )*(?:func [^\s(<]+|init[?(<]|deinit\b|subscript[(<])")
C_HEAD = re.compile(r"^()(?!typedef|struct|union|enum|#)\w[\w \*]*\b\w+\(")
SCRIPT_HEAD = re.compile(r"^(\s*)(?:export )?(?:async )?(?:function\b|(?:static )?#?\w+\([^)]*\) \{$)(?<!if \{)")
NO_FUNCTION = re.compile(r"^\s*(?:if|for|while|switch|catch)\b")
CLOSING = re.compile(r"^(\s*)\}")


def by_indentation(lines, head):
    """The functions as (name, first line, count): from a head to the first brace that closes at its indentation."""
    for number, line in enumerate(lines):
        match = head.match(line)
        if not match or NO_FUNCTION.match(line):
            continue
        for end in range(number + 1, len(lines)):
            closing = CLOSING.match(lines[end])
            if closing and closing.group(1) == match.group(1):
                yield line.strip().split("(")[0], number + 1, end - number + 1
                break
            # A requirement of a protocol, a prototype or a function of one line has no body below it.
            if lines[end].strip() and not lines[end].startswith(match.group(1) + " ") and lines[end].strip()[0] not in ")]":
                break


def of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions(path, text):
    lines = text.splitlines()
    match path.suffix:
        case ".py": return of_python(text)
        case ".swift": return by_indentation(lines, SWIFT_HEAD)
        case ".c" | ".h": return by_indentation(lines, C_HEAD)
        case ".js": return by_indentation(lines, SCRIPT_HEAD)
    return ()


def main(names):
    found = []
    for path in map(pathlib.Path, names):
        text = path.read_text()
        count = len(text.splitlines())
        if count > FILE_LINES_MAX:
            found.append(f"{path}: {count} lines; a file has at most {FILE_LINES_MAX}")
        found += [
            f"{path}:{line}: {name} has {length} lines; a function has at most {FUNCTION_LINES_MAX}"
            for name, line, length in functions(path, text) if length > FUNCTION_LINES_MAX]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
