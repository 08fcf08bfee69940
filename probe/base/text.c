// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c -- building of names and messages without the C library.
 */
#include "config.h"
#include "probe/base/text.h"

#include "libop/raw/num.h"
#include "probe/linux/calls.h"

void text_init(struct text *t, char *buf, size_t size)
{
	*t = (struct text){ buf, size, 0, false };
	buf[0] = '\0';
}

void text_add(struct text *t, const char *text)
{
	for (; *text; text++) {
		if (t->len + 1 >= t->size) {
			t->cut = true;
			return;
		}
		t->buf[t->len++] = *text;
		t->buf[t->len] = '\0';
	}
}

void text_add_number(struct text *t, uint64_t n)
{
	char digits[RAW_NUM_MAX + 1];

	*raw_num2str(digits, n, 10, 0, ' ') = '\0';
	text_add(t, digits);
}

static void end_line(struct text *t)
{
	if (t->len + 1 >= t->size)
		t->len = t->size - 2;
	t->buf[t->len++] = '\n';
}

void text_print(struct text *t)
{
	end_line(t);
	call_write(2, t->buf, t->len);
}

/* Write the line by a single write(), so that it is not mixed with other lines. If the pipe is
 * full, discard the line. */
bool text_send(struct text *t, const char *path)
{
	long fd = *path ? call_openat(AT_FDCWD, path,
				      O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0)
			: -ENOENT;
	struct statx st;
	bool is_read;

	if (fd < 0)
		return false;
	is_read = !call_fstat(fd, &st) && (st.stx_mode & 0170000) == 0010000 &&
		  st.stx_uid == (uint32_t)call_geteuid();
	if (is_read) {
		end_line(t);
		call_write(fd, t->buf, t->len);
	}
	call_close(fd);
	return is_read;
}
