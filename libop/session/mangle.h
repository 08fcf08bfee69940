/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangle.h -- encodes and decodes the names of sample files, for daemon and reports.
 *
 *   {root}/APP/{dep}/{root}/IMAGE[/{cg}/{root}/CALLEE]/EVENT.COUNT.UM.TGID.TID.CPU
 *
 * relative to the session's samples directory. {kern}/NAME stands for kernel images without a
 * path, {anon:NAME}/TGID.0xSTART.0xEND for anonymous memory. A component of a path that reads as one of these marks has its
 * brace written as %7B, and a component that reads as such a replacement has its first character written as %25.
 */
#ifndef OP_MANGLE_H
#define OP_MANGLE_H

#include <stdint.h>
#include <sys/types.h>

enum op_image_kind {
	OP_IMAGE_ROOT,	/* path: absolute, of a file */
	OP_IMAGE_KERN,	/* path: a name without '/': "vmlinux", "no-vmlinux", a module */
	OP_IMAGE_ANON,	/* path: the mapping's label: "anon", "[heap]", "[vdso]", "[guest]" */
};

struct op_image_name {
	enum op_image_kind kind;
	char *path;
	pid_t anon_tgid;	/* the rest: OP_IMAGE_ANON only */
	uint64_t anon_start, anon_end;
};

#define OP_ALL	(-1)	/* "all" in place of a number */

struct op_sample_name {
	struct op_image_name app;
	struct op_image_name image;	/* behind {dep} */
	struct op_image_name callee;	/* path NULL unless a call-graph file */
	char *event;			/* no '.' nor '/' */
	uint64_t count;
	uint32_t um;
	int tgid, tid, cpu;		/* or OP_ALL */
};

/* *@ret: malloc'd relative path. -EINVAL for a name that could not be parsed back. */
int op_mangle(char **ret, const struct op_sample_name *name);

/* @path relative to the samples directory. Fills *@ret (op_sample_name_release() frees it), or
 * returns OP_ERR_NAME for something that is not a sample file's name. */
int op_unmangle(struct op_sample_name *ret, const char *path);

/* The same of one image: "{root}/PATH", "{kern}/NAME", "{anon:LABEL}/TGID.0xSTART.0xEND". */
int op_mangle_image(char **ret, const struct op_image_name *image);
int op_unmangle_image(struct op_image_name *ret, const char *text);

/* Takes a zeroed struct. */
void op_sample_name_release(struct op_sample_name *name);

#endif
