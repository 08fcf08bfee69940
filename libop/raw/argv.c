// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argv.c -- search for a program's arguments from the address of its environment.
 */
#include "libop/raw/argv.h"

#include <errno.h>

#define LONGEST	(128u << 12)	/* maximum size of an argument in Linux, with its NUL */

struct looker {
	raw_read_fn read;
	void *arg;
	unsigned int word;
};

static bool word_at(const struct looker *l, uint64_t at, uint64_t *ret)
{
	uint32_t half;

	if (l->word == 8)
		return l->read(l->arg, at, ret, 8) == 8;
	if (l->read(l->arg, at, &half, 4) != 4)
		return false;
	*ret = half;
	return true;
}

/* Return the address after the NUL of the string at @at. Return 0 if the string cannot be read, or
 * is longer than LONGEST. */
static uint64_t end_of(const struct looker *l, uint64_t at)
{
	char part[256];

	for (uint64_t done = 0; done < LONGEST; ) {
		long got = l->read(l->arg, at + done, part, sizeof(part));

		if (got <= 0)
			return 0;
		for (long i = 0; i < got; i++) {
			if (!part[i])
				return at + done + i + 1;
		}
		done += got;
	}
	return 0;
}

/*
 * Find the address of argv[0]. Start at the last argument, and go down. The word below a known
 * argument is another argument if it points to a string that ends where the string of the known
 * argument begins.
 */
static void find_first(struct raw_argv *a, const struct looker *l)
{
	uint64_t string;

	while (word_at(l, a->argv - l->word, &string) && string < a->first &&
	       a->first - string <= LONGEST && end_of(l, string) == a->first) {
		a->argv -= l->word;
		a->first = string;
		a->argc++;
	}
}

int raw_argv_find(struct raw_argv *ret, uint64_t environ, unsigned int word, raw_read_fn read,
		  void *arg)
{
	const struct looker l = { read, arg, word };
	struct raw_argv a = { 0 };
	uint64_t null, first_env;

	if ((word != 4 && word != 8) || environ < 2 * word || environ % word)
		return -ENOENT;
	if (!word_at(&l, environ - word, &null) || null ||
	    !word_at(&l, environ - 2 * word, &a.first) || !a.first)
		return -ENOENT;
	a.argv = environ - 2 * word;
	a.argc = 1;
	a.end = end_of(&l, a.first);
	if (!a.end)
		return -ENOENT;
	/* Check the order of the strings: those of the environment follow those of argv, or precede
	 * them if the memory layout is reversed. Otherwise the environment was moved to the heap,
	 * and argv is not below it. */
	if (!word_at(&l, environ, &first_env))
		return -ENOENT;
	if (first_env && first_env != a.end && !(first_env < a.first && a.first < environ))
		return -ENOENT;
	find_first(&a, &l);
	*ret = a;
	return 0;
}

long raw_argv_string(char *buf, size_t size, uint64_t at, raw_read_fn read, void *arg)
{
	size_t len = 0;

	while (len + 1 < size) {
		long got = read(arg, at + len, buf + len, size - 1 - len);

		if (got <= 0)
			return -EFAULT;
		for (long i = 0; i < got; i++) {
			if (!buf[len + i])
				return len + i;
		}
		len += got;
	}
	buf[len] = '\0';
	return len;
}
