/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h -- a text description of the layout that sample files have on this machine, for programs on
 * other machines that import sample files.
 */
#ifndef OP_ABI_H
#define OP_ABI_H

/* Write the description of the layout to the file @path, relative to @dirfd, as lines "name value".
 * Replace an existing file. Return 0 or a negative errno. */
int op_abi_write(int dirfd, const char *path);

#endif
