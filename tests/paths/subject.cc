// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * subject.cc -- the C++ part of subject.c: exceptions through many frames, virtual calls, and destructors, also at the exit.
 */
#include <alloca.h>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

volatile int sink;

struct base {
	virtual ~base() { sink++; }
	virtual int work(int n) = 0;
};

struct one : base {
	~one() override { sink += 2; }
	int work(int n) override { return n + 1; }
};

struct two : base {
	alignas(64) char room[64] = {};
	int work(int n) override
	{
		char *p = static_cast<char *>(alloca(n % 50 + 1));

		memset(p, n, n % 50 + 1);
		if (n % 4 == 3)
			throw std::runtime_error("four");
		return p[0] + room[n % 64];
	}
};

__attribute__((noinline)) static int middle(base &b, int n)
{
	std::string guard(40, 'x');

	if (n % 3)
		return b.work(n) + static_cast<int>(guard.size());
	return middle(b, n + 1) + 1;
}

__attribute__((noinline)) static void round(int i)
{
	std::map<std::string, int> names;
	std::vector<int> v = { 3, 1, 2, i };
	std::function<int(int)> f = [&](int x) { return x + static_cast<int>(v.size()); };
	one a;
	two b;

	try {
		names["a"] = middle(a, i);
		names["b"] = middle(b, i);
	} catch (const std::exception &e) {
		sink += static_cast<int>(strlen(e.what()));
	}
	std::sort(v.begin(), v.end(), [](int x, int y) { return x > y; });
	sink += f(1);
	raise(SIGUSR1);
}

static one at_exit;

int main()
{
	signal(SIGUSR1, [](int n) { sink += n; });
	for (int i = 0; i < 1000000; i++)
		round(i);
}
