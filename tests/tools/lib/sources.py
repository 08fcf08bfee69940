# SPDX-License-Identifier: GPL-2.0-or-later
"""sources.py -- the C sources of the tree, for programs that judge them (check-layers, check-style)."""

import os
import re
import subprocess

# Made by the build, so not there in a fresh clone.
BUILT = ["pp/format/html_assets.h"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def tree():
    """Files of the tree: git's, or (from a tarball) all that are not built."""
    git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True,
                         text=True)
    if git.returncode == 0 and os.path.isdir(".git"):
        return [f for f in git.stdout.splitlines() if os.path.isfile(f)]
    return [os.path.join(d, f)[2:] for d, _, files in os.walk(".") for f in files
            if not d.startswith("./build-")]


def strip(text):
    """C without comments and strings, line numbers kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)


def is_c(path):
    return path.endswith((".c", ".h", ".S"))


def room_of(path):
    if path.startswith("module/uapi/"):
        return "module/uapi"
    return path.split("/")[0]


def line_of(text, pos):
    return text.count("\n", 0, pos) + 1


def resolve(path, name):
    """The file that @path means by #include "@name"; None: it is none of the tree."""
    for candidate in (name, os.path.normpath(os.path.join(os.path.dirname(path), name)),
                      os.path.join("module", name)):
        if os.path.isfile(candidate) or candidate in BUILT:
            return candidate
    return None
