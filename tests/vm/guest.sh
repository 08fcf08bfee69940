# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh -- words for scripts that run inside a guest: `. /test/guest.sh`

fail() { echo "FAILED: $*"; failed=1; }
# finish: end the script with what the checks before found.
finish() { exit "${failed:-0}"; }
