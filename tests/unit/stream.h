/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h -- words of the module's stream, and a sink that writes the decoded samples as text. */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include "tests/unit/check.h"

#include "daemon/image/image.h"
#include "daemon/source/decode_oprofilefs.h"
#include "module/uapi/oprofile.h"

#define E	OPROFILE_ESCAPE
#define COOKIE(c)	E, OPROFILE_COOKIE_SWITCH, c
#define KERNEL	E, OPROFILE_KERNEL_ENTER
#define USER	E, OPROFILE_KERNEL_EXIT
#define COUNT(n)	E, OPROFILE_COUNT, n
#define ANON(a, b, k)	E, OPROFILE_ANON_RANGE, a, b, k

static const struct opd_image app = { .path = "app" }, lib = { .path = "lib" };

/* Return the image with the cookie, or NULL if the cookie is unknown. */
static inline const struct opd_image *find_image(void *arg, uint64_t cookie, pid_t tgid)
{
	(void)arg;
	(void)tgid;
	return cookie == 0xa ? &app : cookie == 0xb ? &lib : NULL;
}

struct recorder {
	struct opd_sink sink;
	char text[8192];
	size_t len;
	/* numbers of stored and of lost interrupts */
	uint64_t stored, lost;
};

__attribute__((format(printf, 2, 3)))
static inline void append(struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->len += vsnprintf(r->text + r->len, sizeof(r->text) - r->len, fmt, ap);
	va_end(ap);
	assert_true(r->len < sizeof(r->text));
}

#define expect(text, ...) do {							\
	const unsigned long w[] = { __VA_ARGS__ };				\
	expect_words(w, sizeof(w) / sizeof(w[0]), text);			\
} while (0)

#endif
