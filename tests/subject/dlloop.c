// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dlloop SECONDS -- alternately loads, uses and unloads two libraries, which are mapped at the same
 * address. SIGTERM ends it early. Prints "dlloop: a NN.NN % of N rounds, same address M": the share
 * of library a in the executed turns of the work loop.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

WORK(dlloop_calibrate)

static volatile sig_atomic_t enough;

static void on_term(int sig)
{
	(void)sig;
	enough = 1;
}

/*
 * Load the library, execute @n turns of its work loop, and unload it. Return the 16 MB region where
 * it was mapped.
 */
static unsigned long use(const char *path, unsigned long n)
{
	void (*turn)(unsigned long);
	void *lib = dlopen(path, RTLD_NOW);

	if (!lib)
		errx(1, "%s", dlerror());
	*(void **)&turn = dlsym(lib, "turn");
	if (!turn)
		errx(1, "%s", dlerror());
	turn(n);
	dlclose(lib);
	return (unsigned long)turn & ~0xffffffUL;
}

int main(int argc, char **argv)
{
	double end = now() + seconds_argument(argc, argv);
	char self[PATH_MAX] = "", a[PATH_MAX + 16], b[PATH_MAX + 16];
	unsigned long unit, n, m, rounds = 0, same = 0;
	double in_a = 0, in_b = 0;
	const char *dir;

	pin();
	signal(SIGTERM, on_term);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	dir = dirname(self);
	snprintf(a, sizeof(a), "%s/libturn_a.so", dir);
	snprintf(b, sizeof(b), "%s/libturn_b.so", dir);
	unit = turns_per_ms(dlloop_calibrate);
	do {
		n = unit * 3 * jitter();
		m = unit * jitter();
		same += use(a, n) == use(b, m);
		in_a += n;
		in_b += m;
		rounds++;
	} while (!enough && now() < end);
	printf("dlloop: a %.2f %% of %lu rounds, same address %lu\n",
	       100 * in_a / (in_a + in_b), rounds, same);
	return 0;
}
