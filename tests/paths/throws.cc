// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * throws.cc -- a program to step through: exceptions leave one to five frames of five kinds, with and without objects to
 * destroy, and are caught, thrown again, and thrown while another exception is handled.
 */
#include <alloca.h>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#define APART	__attribute__((noinline))

typedef int function(int n);

extern function *const functions[5];
static volatile int sink;

struct guard {
	int n;

	explicit guard(int n) : n(n) {}
	~guard() { sink = sink + n; }
};

/* Throw and catch another exception while the first exception unwinds the stack. */
struct restless {
	~restless()
	{
		try {
			throw 7;
		} catch (int n) {
			sink = sink + n;
		}
	}
};

static int next(int from, int n)
{
	if (n <= 0)
		throw std::runtime_error("end");
	return functions[(from + n) % 5](n - 1);
}

APART static int plain(int n) { return next(1, n) + 1; }
APART static int guarded(int n) { guard g(n); return next(2, n) + g.n; }
APART static int sized(int n) { char *p = static_cast<char *>(alloca(n * 16 + 1)); guard g(n); memset(p, n, n * 16 + 1); return next(3, n) + p[n]; }
APART static int aligned(int n) { alignas(64) char a[100]; restless r; memset(a, n, sizeof(a)); return next(4, n) + a[n & 63]; }
APART static int again(int n)
{
	try {
		return next(5, n) + 1;
	} catch (const std::exception &e) {
		sink = sink + e.what()[0];
		throw;
	}
}

function *const functions[5] = { plain, guarded, sized, aligned, again };

int main()
{
	for (int depth : { 1, 2, 5 })
		try {
			sink = sink + next(depth, depth);
		} catch (const std::runtime_error &e) {
			sink = sink + e.what()[1];
		}
	puts("done");
}
