// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c -- memcpy() and similar functions, which compilers call implicitly, for code that is
 * linked without a C library.
 */
#include "config.h"

#include <stddef.h>

/* Prevent the compiler from replacing a loop by a call of memcpy() or a similar function: the
 * function would call itself. */
#define IS_LOOP	__asm__ volatile("")

void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t len);

void *memcpy(void *to, const void *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		((char *)to)[i] = ((const char *)from)[i];
		IS_LOOP;
	}
	return to;
}

void *memmove(void *to, const void *from, size_t len)
{
	if (to <= from)
		return memcpy(to, from, len);
	while (len--) {
		((char *)to)[len] = ((const char *)from)[len];
		IS_LOOP;
	}
	return to;
}

void *memset(void *to, int byte, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		((char *)to)[i] = byte;
		IS_LOOP;
	}
	return to;
}

int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < len; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

int strncmp(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i] || !a[i])
			return (unsigned char)a[i] - (unsigned char)b[i];
	return 0;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

size_t strlen(const char *text)
{
	size_t len = 0;

	while (text[len]) {
		len++;
		IS_LOOP;
	}
	return len;
}
