// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-charset.c -- a character set module that the C library loads and unloads by itself; built
 * under several names (SPIN).
 */
#include <gconv.h>
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline)) void SPIN(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i;
}

int gconv_init(struct __gconv_step *step)
{
	step->__min_needed_from = step->__max_needed_from = 4;
	step->__min_needed_to = step->__max_needed_to = 1;
	step->__stateful = 0;
	return __GCONV_OK;
}

/* Conversion function of a character set without characters. */
int gconv(struct __gconv_step *step, struct __gconv_step_data *data, const unsigned char **in, const unsigned char *end,
	  unsigned char **out, size_t *lost, int flush, int whole)
{
	(void)step, (void)data, (void)in, (void)end, (void)out, (void)lost, (void)whole;
	if (!flush)
		SPIN(5000000);
	sink++;
	return flush ? __GCONV_OK : __GCONV_ILLEGAL_INPUT;
}
