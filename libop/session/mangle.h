/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangle.h -- encoding and decoding of the names of sample files.
 *
 *   {root}/APP/{dep}/{root}/IMAGE[/{cg}/{root}/CALLEE]/EVENT.COUNT.UM.TGID.TID.CPU
 *
 * The name is relative to the session's samples directory. {kern}/NAME is a kernel image without a
 * path, {anon:NAME}/TGID.0xSTART.0xEND is anonymous memory, and {anon:NAME~N} is anonymous memory
 * of a process that has executed N other programs since its first sample in anonymous memory. In a
 * component that equals one of the words in braces the brace is written as %7B. In a component that
 * looks like the result of this escape the first character is written as %25.
 */
#ifndef OP_MANGLE_H
#define OP_MANGLE_H

#include <stdint.h>
#include <sys/types.h>

enum op_image_kind {
	OP_IMAGE_ROOT,	/* kind: a file; .path is absolute */
	/* the kernel; .path is a name without '/': "vmlinux", "no-vmlinux", or a module */
	OP_IMAGE_KERN,
	/* memory without a file; .path is the label: "anon", "[heap]", "[vdso]" or "[guest]" */
	OP_IMAGE_ANON,
};

struct op_image_name {
	enum op_image_kind kind;
	char *path;
	pid_t anon_tgid;	/* this member and the next ones are used only for OP_IMAGE_ANON */
	/* number N of a label "NAME~N": how many other programs the process has executed */
	unsigned int anon_program;
	uint64_t anon_start, anon_end;
};

/* The path of the sum of programs with few samples begins so: it is not a file. */
#define OP_MORE_PROGRAMS	"/(more programs"

#define OP_ALL	(-1)	/* stands for the word "all" in place of a number */

struct op_sample_name {
	struct op_image_name app;
	struct op_image_name image;	/* the image whose name follows {dep} in the file name */
	/* the called image, only in call-graph files; in other files .path is NULL */
	struct op_image_name callee;
	char *event;			/* name of the event, without '.' and '/' */
	uint64_t count;
	uint32_t um;
	int tgid, tid, cpu;		/* process, thread and CPU id, or OP_ALL */
};

/* Make a relative path, which the caller frees. Return 0, -ENOMEM, or -EINVAL if the path could
 * not be parsed back. */
int op_mangle(char **ret, const struct op_sample_name *name);

/* Parse @path, relative to the samples directory. op_sample_name_release() frees *@ret. Return
 * 0, -ENOMEM, or OP_ERR_NAME if @path is not the name of a sample file. */
int op_unmangle(struct op_sample_name *ret, const char *path);

/* Make the part of a path that names one image: "{root}/PATH", "{kern}/NAME",
 * "{anon:LABEL}/TGID.0xSTART.0xEND". */
int op_mangle_image(char **ret, const struct op_image_name *image);
int op_unmangle_image(struct op_image_name *ret, const char *text);

/* Free the members. @name may be all zeros. */
void op_sample_name_release(struct op_sample_name *name);

#endif
