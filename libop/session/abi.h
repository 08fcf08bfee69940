/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h -- a text description of this machine's layout of sample files, for importers on other
 * machines.
 */
#ifndef OP_ABI_H
#define OP_ABI_H

/* Replace the file @path, relative to @dirfd, by lines "name value". Return 0 or a negative
 * errno. */
int op_abi_write(int dirfd, const char *path);

#endif
