/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h -- how this machine lays out sample files, in text, for importers on other machines.
 */
#ifndef OP_ABI_H
#define OP_ABI_H

/* Replaces @path, relative to @dirfd: lines "name value". 0 or negative errno. */
int op_abi_write(int dirfd, const char *path);

#endif
