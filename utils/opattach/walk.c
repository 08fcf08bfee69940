// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c -- unwinds the stack of a thread of another process.
 */
#include "config.h"
#include "utils/opattach/walk.h"

#include <string.h>

#include "module/uapi/unwind_walk.h"

static bool read_at(const struct attach_walk *w, uint64_t at, void *buf, size_t len)
{
	uint64_t from = at - attach_arch_sp(w->regs);

	if (!w->stack)
		return attach_target_read(w->target, at, buf, len);
	if (at < attach_arch_sp(w->regs) || from > w->stack_len || w->stack_len - from < len)
		return false;
	memcpy(buf, w->stack + from, len);
	return true;
}

static int read_word(void *data, __u64 at, unsigned int size, __u64 *value)
{
	const struct attach_walk *w = data;
	uint64_t got = 0;

	if (!read_at(w, at, &got, size))
		return w->stack && at > attach_arch_sp(w->regs) ? OPROFILE_UW_COPY :
								  OPROFILE_UW_STACK;
	*value = got;
	return 0;
}

/* Return whether @code is in a signal trampoline (the code that calls sigreturn). If so, store its
 * unwind rule. Read the code from the process even if the stack is a copy, because code rarely
 * changes after a sample. */
static bool is_sigreturn(const struct attach_walk *w, uint64_t code, struct oprofile_uw_rule *rule)
{
	unsigned char bytes[16];

	return attach_target_read(w->target, code, bytes, sizeof(bytes)) &&
	       oprofile_uw_is_sigreturn(ATTACH_ARCH_MACHINE, bytes, rule);
}

static int find_rule(void *data, __u64 code, struct oprofile_uw_rule *rule)
{
	const struct attach_walk *w = data;
	struct attach_image *image = attach_images_find(w->images, code);
	struct cfi_row row;

	if (image && !attach_image_row(image, w->target, code, &row)) {
		*rule = row.rule;
		return 0;
	}
	/* The unwinder looks up the byte before a return address. If a frame returns to a signal
	 * trampoline, this byte is before the trampoline, so also test the next byte. */
	return is_sigreturn(w, code + 1, rule) || is_sigreturn(w, code, rule) ? 0 :
										OPROFILE_UW_NO_ROW;
}

static __u64 cpu_register(void *data, unsigned int number)
{
	const struct attach_walk *w = data;

	return attach_arch_register(w->regs, number);
}

/* Read the 8 bytes before the address @pc. If only the last of these bytes are mapped, set the
 * unmapped bytes to 0. */
static bool read_before(const struct attach_walk *w, uint64_t pc, unsigned char code[8])
{
	size_t here = ((pc - 1) & 4095) + 1, len = here < 8 ? here : 8;

	memset(code, 0, 8);
	return attach_target_read(w->target, pc - 8, code, 8) ||
	       attach_target_read(w->target, pc - len, code + 8 - len, len);
}

static int after_call(void *data, __u64 pc)
{
	const struct attach_walk *w = data;
	struct attach_image *image = attach_images_find(w->images, pc - 1);
	const struct attach_file *file;
	unsigned char code[8];
	const unsigned char *bytes = code;
	uint64_t at;

	if (!image)
		return OPROFILE_UW_CALL_NO;
	at = pc - 8 - image->start + image->offset;
	file = pc - 8 >= image->start ? attach_image_load(image, w->target) : NULL;
	if (file && file->size >= 8 && at <= file->size - 8)
		bytes = file->data + at;
	else if (!read_before(w, pc, code))
		return OPROFILE_UW_CALL_UNKNOWN;
	return oprofile_uw_is_call(ATTACH_ARCH_MACHINE, bytes) ? OPROFILE_UW_CALL_YES :
								 OPROFILE_UW_CALL_NO;
}

/* Clear the bits of @pc above bit 47, because user addresses have 48 bits unless a program requests
 * more. */
static __u64 strip(void *data, __u64 pc)
{
	(void)data;
	return pc & ((1ull << 48) - 1);
}

static int copy_code(void *data, __u64 pc, __u8 *bytes)
{
	const struct attach_walk *w = data;

	return attach_target_read(w->target, pc, bytes, 8) ? 0 : OPROFILE_UW_STACK;
}

static const struct oprofile_uw_ops ops = {
	read_word, find_rule, cpu_register, after_call, strip, after_call, copy_code
};

static int walk(const struct attach_walk *w, struct attach_path *path, bool keep_other)
{
	struct oprofile_uw_frame frame;
	struct oprofile_uw_slots slots;
	int end = 0;

	oprofile_uw_begin(&frame, attach_arch_pc(w->regs), attach_arch_sp(w->regs),
			  attach_arch_fp(w->regs));
	frame.keep_other = keep_other;
	for (path->nr = 0; !end; ) {
		if (path->nr == ATTACH_DEPTH)
			return OPROFILE_UW_DEPTH;
		path->frames[path->nr++] =
			(struct attach_path_frame){frame.pc, frame.sp, frame.innermost};
		end = ATTACH_ARCH_MACHINE ? oprofile_uw_next(ATTACH_ARCH_MACHINE, &frame, &slots,
							     &ops, (void *)w) :
					    OPROFILE_UW_NO_ROW;
	}
	return end;
}

void attach_walk(const struct attach_walk *w, struct attach_path *path)
{
	path->end = walk(w, path, false);
	if (path->end == OPROFILE_UW_REGISTER)
		path->end = walk(w, path, true);
}
