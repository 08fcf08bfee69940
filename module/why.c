// SPDX-License-Identifier: GPL-2.0
/* why.c -- the reason for the choice of a backend, as one line of text. */
#include "why.h"

#include <linux/kernel.h>
#include <linux/string.h>

#include "sampling.h"

int oprofile_refuse(struct oprofile_sampling *s, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	spin_lock(&s->why_lock);
	vscnprintf(s->why, sizeof(s->why), fmt, args);
	spin_unlock(&s->why_lock);
	va_end(args);
	return err;
}

void oprofile_note(struct oprofile_sampling *s, const char *fmt, ...)
{
	size_t length;
	va_list args;

	va_start(args, fmt);
	spin_lock(&s->why_lock);
	length = strlen(s->why);
	if (length)
		length += scnprintf(s->why + length, sizeof(s->why) - length, "; ");
	vscnprintf(s->why + length, sizeof(s->why) - length, fmt, args);
	spin_unlock(&s->why_lock);
	va_end(args);
}

void oprofile_why(struct oprofile_sampling *s, char *text, size_t size)
{
	spin_lock(&s->why_lock);
	scnprintf(text, size, "%s\n", s->why);
	spin_unlock(&s->why_lock);
}
