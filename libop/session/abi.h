/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h -- a text description of the layout that sample files have on this machine, for importers
 * on other machines.
 */
#ifndef OP_ABI_H
#define OP_ABI_H

/* Write the description to @path, relative to @dirfd, as lines "name value"; replace an existing
 * file. Return 0 or a negative errno. */
int op_abi_write(int dirfd, const char *path);

#endif
