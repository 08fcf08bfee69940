// SPDX-License-Identifier: GPL-2.0-or-later
/* clean.c -- UTF-8 as RFC 3629 has it, less what steers. */
#include "config.h"
#include "pp/format/clean.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the character at @s, 0 when there is none; *@ret gets its number. */
static unsigned int decode(const unsigned char *s, uint32_t *ret)
{
	unsigned int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
			 s[0] < 0xf5 ? 4 : 0;
	uint32_t c = n <= 1 ? s[0] : s[0] & (0x7f >> n);

	for (unsigned int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;	/* the NUL at the end too */
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	*ret = c;
	return n;
}

static int is_harmless(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return 0;	/* control characters */
	if (c == 0x2028 || c == 0x2029)
		return 0;	/* ends of lines */
	if (c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return 0;	/* direction */
	if ((c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c < 0xfdf0))
		return 0;	/* surrogates, and what is never a character */
	return 1;
}

char *pp_clean(char *buf, size_t size, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t at = 0;

	while (*s) {
		uint32_t c;
		unsigned int n = decode(s, &c);

		if (n && is_harmless(c)) {
			if (at + n >= size)
				break;
			memcpy(buf + at, s, n);
			at += n;
			s += n;
			continue;
		}
		if (at + 4 >= size)
			break;
		at += snprintf(buf + at, size - at, "\\x%02x", *s++);
	}
	buf[at] = '\0';
	return buf;
}
