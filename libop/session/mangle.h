/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangle.h -- encoding and decoding of the names of sample files.
 *
 *   [{woken}WOKEN/][{unit}UNIT/]{root}/APP/{dep}/{root}/IMAGE[/{cg}/{root}/CALLEE]/EVENT.COUNT.UM.
 *   TGID.TID.CPU (in one line)
 *
 * WOKEN is the path of a program, with a '/' before each component; it is empty for threads of the
 * kernel. A file with this part has samples of tasks and interrupts that ended waits of WOKEN: APP
 * is the waker's program. Such files are in the directory {woken}, which readers of other samples
 * skip.
 *
 * UNIT is the path of a control group, with a '/' before each component; it is empty for the root
 * group. The part is missing if samples are not separated by unit.
 *
 * The name is relative to the session's samples directory. Besides {root}/PATH there are three
 * kinds of images:
 *   - {kern}/NAME is a kernel image without a path;
 *   - {anon:NAME}/TGID.0xSTART.0xEND is anonymous memory;
 *   - {anon:NAME~N}/TGID.0xSTART.0xEND is anonymous memory of a process that has executed N other
 *     programs since its first sample in anonymous memory.
 *
 * A component that equals one of the words in braces is escaped: its '{' is written as %7B. In a
 * component that looks like the result of this escape, the first character is written as %25.
 */
#ifndef OP_MANGLE_H
#define OP_MANGLE_H

#include <stdint.h>
#include <sys/types.h>

enum op_image_kind {
	OP_IMAGE_ROOT,	/* the image is a file; .path is the file's absolute path */
	/* the kernel; .path is a name without '/': "vmlinux", "no-vmlinux", or a module */
	OP_IMAGE_KERN,
	/* memory without a file; .path is the label: "anon", "[heap]", "[vdso]" or "[guest]" */
	OP_IMAGE_ANON,
};

struct op_image_name {
	enum op_image_kind kind;
	char *path;
	pid_t anon_tgid;	/* this member and the next ones are valid only for OP_IMAGE_ANON */
	/* N of a label "NAME~N": number of other programs that the process has executed since
	 * its first sample in anonymous memory */
	unsigned int anon_program;
	uint64_t anon_start, anon_end;
	/* Only for the program of a sample file: the absolute path of the control group in which
	 * it ran (cgroup.h); NULL: samples are not separated by unit, or the group is unknown. */
	char *unit;
};

/* Start of the path of a pseudo program, to which the samples of programs with few samples are
 * added. */
#define OP_MORE_PROGRAMS	"/(more programs"

/* value of .tgid, .tid or .cpu if the name of the sample file contains the word "all" */
#define OP_ALL	(-1)

/* value of .woken for threads of the kernel */
#define OP_WOKEN_KERNEL	"/"

struct op_sample_name {
	/* if the file has samples of wakers: path of the program whose waits they ended, or
	 * OP_WOKEN_KERNEL; otherwise NULL */
	char *woken;
	struct op_image_name app;
	/* image to which the samples belong: the part of the name after {dep} */
	struct op_image_name image;
	/* called image, only in call-graph files; otherwise .path is NULL */
	struct op_image_name callee;
	char *event;			/* name of the event, which contains neither '.' nor '/' */
	uint64_t count;
	uint32_t um;
	int tgid, tid, cpu;		/* process id, thread id and CPU number, or OP_ALL */
};

/* Encode a name as a relative path, which the caller frees. Return 0, -ENOMEM, or -EINVAL if
 * op_unmangle() could not decode the result. */
int op_mangle(char **ret, const struct op_sample_name *name);

/* Decode @path, which is relative to the samples directory. The caller frees *@ret with
 * op_sample_name_release(). Return 0, -ENOMEM, or OP_ERR_NAME if @path is not the name of a sample
 * file. */
int op_unmangle(struct op_sample_name *ret, const char *path);

/* Encode the part of a path that names one image: "{root}/PATH", "{kern}/NAME",
 * "{anon:LABEL}/TGID.0xSTART.0xEND". */
int op_mangle_image(char **ret, const struct op_image_name *image);
int op_unmangle_image(struct op_image_name *ret, const char *text);

/* Free the members. @name may be all zeros. */
void op_sample_name_release(struct op_sample_name *name);

#endif
