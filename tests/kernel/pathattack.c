// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathattack.c -- a program that makes stacks which may confuse a stack walk. The possible callers
 * of its functions are known (path-attacks.test), whatever else is wrong with a stack.
 *
 * usage: pathattack KIND [ARG...] goes on until it is killed
 *   signals	handlers on other stacks, below and above the one that they interrupt
 *   jumps	longjmp()
 *   unwound	frames are unwound, with cleanups, as by an exception
 *   contexts	makecontext() and swapcontext()
 *   split	a stack in pieces
 *   and those of pathattack_bad.c and pathattack_maps.c
 */
#include "tests/kernel/pathattack.h"

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

volatile unsigned long sink;
unsigned long *volatile c3_frame;
static _Thread_local void (*innermost)(void);

KNOWN void spin(unsigned long turns)
{
	unsigned long n = turns;

	while (turns--)
		n = n * 6364136223846793005UL + 1;
	sink += n;
}

KNOWN static void c4(void)
{
	innermost();
	sink++;
}

/* The size of the frame is random, so the compiler needs a frame pointer. */
KNOWN static void c3(void)
{
	char some[16 + sink % 100];

	memset(some, 1, sizeof(some));
	c3_frame = __builtin_frame_address(0);
	c4();
	sink += some[3];
}

KNOWN static void c2(void)
{
	volatile unsigned long some[20];

	some[sink % 20] = 1;
	c3();
	sink += some[3];
}

KNOWN void c1(void (*inner)(void))
{
	innermost = inner;
	c2();
	sink++;
}

#define STACK	(256UL << 10)

static char stacks[3 * STACK] __attribute__((aligned(4096)));

KNOWN static void s_inner(void)
{
	spin(3000);
	sink++;
}

KNOWN static void s_outer(void)
{
	spin(50000);
	sink++;
}

KNOWN static void handler(int sig)
{
	void (*kept)(void) = innermost;

	(void)sig;
	c1(s_inner);
	innermost = kept;
}

/*
 * Thread function: its signal handlers run on stacks alternately below and above the thread's own
 * stack.
 */
static void *signalled(void *arg)
{
	for (unsigned int n = 0;; n++) {
		stack_t stack = { .ss_sp = n & 1 ? stacks : stacks + 2 * STACK, .ss_size = STACK };

		if (sigaltstack(&stack, NULL))
			err(1, "sigaltstack");
		c1(s_outer);
	}
	return arg;
}

static void signals(char **arg)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
	pthread_attr_t attr;
	pthread_t thread;

	(void)arg;
	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks + STACK, STACK);
	if (pthread_create(&thread, &attr, signalled, NULL))
		errx(1, "no thread");
	for (;;) {
		usleep(500);
		pthread_kill(thread, SIGUSR1);
	}
}

static jmp_buf back;

KNOWN static void jump(void)
{
	spin(200);
	longjmp(back, 1);
}

static void jumps(char **arg)
{
	(void)arg;
	for (;;)
		if (!setjmp(back))
			c1(jump);
}

/* Cleanup function that runs when a frame of u1() to u3() is unwound. */
KNOWN static void cleaned(int *unused)
{
	(void)unused;
	spin(200);
	sink++;
}

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *catcher)
{
	(void)version, (void)actions, (void)class, (void)exception;
	if (_Unwind_GetCFA(context) > (unsigned long)catcher)
		longjmp(back, 1);
	return _URC_NO_REASON;
}

KNOWN static void u3(void *catcher)
{
	int clean __attribute__((cleanup(cleaned)));
	static struct _Unwind_Exception exception;

	spin(200);
	_Unwind_ForcedUnwind(&exception, stop, catcher);
	sink++;
}

KNOWN static void u2(void *catcher)
{
	int clean __attribute__((cleanup(cleaned)));

	u3(catcher);
	sink++;
}

KNOWN static void u1(void *catcher)
{
	int clean __attribute__((cleanup(cleaned)));

	u2(catcher);
	sink++;
}

static void unwound(char **arg)
{
	(void)arg;
	for (;;)
		if (!setjmp(back))
			u1(__builtin_frame_address(0));
}

#define COROUTINES 3

static ucontext_t contexts[COROUTINES];
static int turn;

KNOWN static void to_next(void)
{
	int now = turn;

	spin(500);
	turn = (now + 1) % COROUTINES;
	swapcontext(&contexts[now], &contexts[turn]);
	sink++;
}

KNOWN static void coroutine(void)
{
	for (;;)
		c1(to_next);
}

/* Switch between contexts; the first context uses this thread's own stack. */
static void in_contexts(char **arg)
{
	(void)arg;
	for (int i = 1; i < COROUTINES; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack = (stack_t){ .ss_sp = stacks + i * STACK, .ss_size = STACK };
		makecontext(&contexts[i], coroutine, 0);
	}
	coroutine();
}

/* Functions in pathattack_split.c, each of which needs its own stack segment. */
void p1(void (*inner)(void));

KNOWN static void p_inner(void)
{
	spin(2000);
	sink++;
}

static void split(char **arg)
{
	(void)arg;
	for (;;)
		p1(p_inner);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **arg);
	} kinds[] = {
		{ "written", written }, { "nowhere", nowhere }, { "signals", signals }, { "jumps", jumps },
		{ "unwound", unwound }, { "contexts", in_contexts }, { "split", split }, { "forks", forks },
		{ "vforks", vforks }, { "execs", execs }, { "remapped", remapped }, { "libraries", libraries },
		{ "restless", restless }, { "unreadable", unreadable }, { "deep", deep },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].run(argv + 2);
	errx(2, "usage: pathattack KIND [ARG...]");
}
