// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dlloop SECONDS -- opens, uses and closes two libraries in turn, over and over; they come to lie at
 * the same address. Prints "dlloop: a NN.NN % of N rounds, same address M": the share of library a,
 * by its own clock, of the time spent in both.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

WORK(dlloop_calibrate)

/* Returns the time the library's function took, and its address. */
static double use(const char *path, unsigned long n, void **address)
{
	void (*turn)(unsigned long);
	void *lib = dlopen(path, RTLD_NOW);
	double t;

	if (!lib)
		errx(1, "%s", dlerror());
	*(void **)&turn = dlsym(lib, "turn");
	if (!turn)
		errx(1, "%s", dlerror());
	*address = (void *)((unsigned long)turn & ~0xffffffUL);
	t = now();
	turn(n);
	t = now() - t;
	dlclose(lib);
	return t;
}

int main(int argc, char **argv)
{
	double end = now() + seconds_argument(argc, argv);
	char self[PATH_MAX] = "", a[PATH_MAX + 16], b[PATH_MAX + 16];
	unsigned long unit, rounds = 0, same = 0;
	double in_a = 0, in_b = 0;
	void *at_a, *at_b;
	const char *dir;

	pin();
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	dir = dirname(self);
	snprintf(a, sizeof(a), "%s/libturn_a.so", dir);
	snprintf(b, sizeof(b), "%s/libturn_b.so", dir);
	unit = turns_per_ms(dlloop_calibrate);
	do {
		in_a += use(a, unit * 3 * jitter(), &at_a);
		in_b += use(b, unit * jitter(), &at_b);
		same += at_a == at_b;
		rounds++;
	} while (now() < end);
	printf("dlloop: a %.2f %% of %lu rounds, same address %lu\n",
	       100 * in_a / (in_a + in_b), rounds, same);
	return 0;
}
