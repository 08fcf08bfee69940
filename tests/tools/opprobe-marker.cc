// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-marker.cc -- a program whose frames are marked again and again. It reports each result that a mark changes.
 *
 * mark() records a value, so that the probe marks the frame of the caller, which then returns through the trampoline.
 * Without the probe, mark() does nothing. The output with the probe equals the output without the probe.
 */
#include <opprobe.h>

#include <complex>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define APART	__attribute__((noinline, noclone))
#define STAYS	__asm__ volatile("" : : : "memory")

static int metric;

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	printf("opprobe-marker: %s\n", what);
	fflush(stdout);
	_exit(9);
}

extern "C" APART void mark(void)
{
	opprobe_record_with_unwind(metric, 1, 2);
	STAYS;
}

/* calls() below calls this function exactly @nr times. */
extern "C" APART void called(void)
{
	mark();
	STAYS;
}

extern "C" APART void calls(int nr)
{
	for (int i = 0; i < nr; i++)
		called();
	STAYS;
}

#ifdef __x86_64__
/* Call a function that returns directly to a return instruction. over() aligns the stack for the call. */
extern "C" void over(void);
__asm__(".pushsection .text\n"
	".balign 64\n"
	".type tail,@function\n"
	"tail:\n"
	"	.cfi_startproc\n"
	"	.skip 16, 0x90\n"
	"	call called\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size tail, .-tail\n"
	".type over,@function\n"
	"over:\n"
	"	.cfi_startproc\n"
	"	sub $16, %rsp\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	call tail\n"
	"	add $16, %rsp\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size over, .-over\n"
	".popsection\n");

extern "C" APART void tails(int nr)
{
	for (int i = 0; i < nr; i++)
		over();
	STAYS;
}
#endif

extern "C" APART int deep(int depth)
{
	int ret = 0;

	if (depth > 1)
		ret = deep(depth - 1);
	else
		mark();
	STAYS;
	return ret + 1;
}

/* Functions with each class of return value. */
struct doubles { double a, b; };
struct mixed { double a; long b; };
struct large { long words[9]; };

APART static __int128 int128_of(int x) { mark(); STAYS; return ((__int128)x << 70) + x; }
APART static long double long_double_of(int x) { mark(); STAYS; return x * 1.1L; }
APART static std::complex<long double> complex_of(int x) { mark(); STAYS; return { x * 1.5L, x * 2.5L }; }
APART static std::complex<float> floats_of(int x) { mark(); STAYS; return { x * 1.5f, x * 2.5f }; }
APART static doubles doubles_of(int x) { mark(); STAYS; return { x * 1., x * 2. }; }
APART static mixed mixed_of(int x) { mark(); STAYS; return { x * 1., x }; }
APART static large large_of(int x) { mark(); STAYS; return { { x, 2, 3, 4, 5, 6, 7, 8, x } }; }

#ifdef __x86_64__
APART __attribute__((target("avx"))) static __m256d vector_of(double x) { mark(); STAYS; return _mm256_set_pd(x, x + 1, x + 2, x + 3); }

__attribute__((target("avx"))) static void vectors(int x)
{
	double v[4];

	_mm256_storeu_pd(v, vector_of(x));
	must(v[3] == x && v[2] == x + 1 && v[1] == x + 2 && v[0] == x + 3, "a vector");
}

static bool has_vectors(void)
{
	return __builtin_cpu_supports("avx");
}
#else
typedef double pair __attribute__((vector_size(16)));
struct vector { pair a, b, c, d; };

APART static vector vector_of(double x) { mark(); STAYS; return { pair{ x, x + 1 }, pair{ x + 2, x + 3 }, pair{ x + 4, x + 5 }, pair{ x + 6, x + 7 } }; }

static void vectors(int x)
{
	vector v = vector_of(x);

	must(v.a[0] == x && v.b[1] == x + 3 && v.c[0] == x + 4 && v.d[1] == x + 7, "a vector");
}

static bool has_vectors(void)
{
	return true;
}
#endif

/*
 * A compiler that knows the callee does not save registers that the callee leaves unchanged. So the trampoline must keep
 * all registers: the callee leaves a known value in each register and in the flags, and the caller compares them.
 */
extern "C" int registers_stay(void);
#ifdef __x86_64__
__asm__(".text\n"
	".type leaves_values, @function\n"
	"leaves_values:\n"
	"	.cfi_startproc\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call mark\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	mov $101, %eax\n"
	"	mov $102, %ecx\n"
	"	mov $103, %edx\n"
	"	mov $104, %esi\n"
	"	mov $105, %edi\n"
	"	mov $108, %r8d\n"
	"	mov $109, %r9d\n"
	"	mov $110, %r10d\n"
	"	mov $111, %r11d\n"
	"	movq %rsi, %xmm7\n"
	"	movq %rdi, %xmm15\n"
	"	mov $0x7f, %al\n"
	"	inc %al\n"		/* overflow, sign */
	"	mov $101, %eax\n"
	"	stc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size leaves_values, .-leaves_values\n"
	".globl registers_stay\n"
	".type registers_stay, @function\n"
	"registers_stay:\n"
	"	.cfi_startproc\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call leaves_values\n"
	"	jnc 1f\n"
	"	jno 1f\n"
	"	jns 1f\n"
	"	cmp $101, %rax\n	jne 1f\n"
	"	cmp $102, %rcx\n	jne 1f\n"
	"	cmp $103, %rdx\n	jne 1f\n"
	"	cmp $104, %rsi\n	jne 1f\n"
	"	cmp $105, %rdi\n	jne 1f\n"
	"	cmp $108, %r8\n	jne 1f\n"
	"	cmp $109, %r9\n	jne 1f\n"
	"	cmp $110, %r10\n	jne 1f\n"
	"	cmp $111, %r11\n	jne 1f\n"
	"	movq %xmm7, %rax\n"
	"	cmp $104, %rax\n	jne 1f\n"
	"	movq %xmm15, %rax\n"
	"	cmp $105, %rax\n	jne 1f\n"
	"	mov $1, %eax\n"
	"	jmp 2f\n"
	"1:	xor %eax, %eax\n"
	"2:	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size registers_stay, .-registers_stay\n");
#elif defined(__aarch64__)
#define LEFT	"0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18"
__asm__(".text\n"
	".type leaves_values, %function\n"
	"leaves_values:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset x29, -16\n"
	"	.cfi_offset x30, -8\n"
	"	bl mark\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	mov x0, #0x90000000\n"		/* negative, overflow */
	"	msr nzcv, x0\n"
	".irp n, " LEFT "\n"
	"	mov x\\n, #100 + \\n\n"
	"	fmov d\\n, x\\n\n"
	".endr\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size leaves_values, .-leaves_values\n"
	".globl registers_stay\n"
	".type registers_stay, %function\n"
	"registers_stay:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset x29, -16\n"
	"	.cfi_offset x30, -8\n"
	"	stp d8, d9, [sp, #-64]!\n"
	"	.cfi_def_cfa_offset 80\n"
	"	stp d10, d11, [sp, #16]\n"
	"	stp d12, d13, [sp, #32]\n"
	"	stp d14, d15, [sp, #48]\n"
	"	bl leaves_values\n"
	"	b.pl 1f\n"
	"	b.vc 1f\n"
	"	b.cs 1f\n"
	"	b.eq 1f\n"
	".irp n, " LEFT "\n"
	"	cmp x\\n, #100 + \\n\n"
	"	b.ne 1f\n"
	"	fmov x\\n, d\\n\n"
	"	cmp x\\n, #100 + \\n\n"
	"	b.ne 1f\n"
	".endr\n"
	"	mov w0, #1\n"
	"	b 2f\n"
	"1:	mov w0, #0\n"
	"2:	ldp d14, d15, [sp, #48]\n"
	"	ldp d12, d13, [sp, #32]\n"
	"	ldp d10, d11, [sp, #16]\n"
	"	ldp d8, d9, [sp], #64\n"
	"	.cfi_def_cfa_offset 16\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size registers_stay, .-registers_stay\n");
#endif

static void values(void)
{
	for (int x = 1; x < 2000; x++) {
		std::complex<long double> c = complex_of(x);
		std::complex<float> f = floats_of(x);
		doubles d = doubles_of(x);
		mixed m = mixed_of(x);

		must(int128_of(x) == ((__int128)x << 70) + x, "an __int128");
		must(long_double_of(x) == x * 1.1L, "a long double");
		must(c.real() == x * 1.5L && c.imag() == x * 2.5L, "a complex long double");
		must(f.real() == x * 1.5f && f.imag() == x * 2.5f, "a complex float");
		must(d.a == x && d.b == 2. * x, "two doubles");
		must(m.a == x && m.b == x, "a double and a long");
		must(large_of(x).words[8] == x, "a large struct");
		must(registers_stay(), "a register was changed");
		if (has_vectors())
			vectors(x);
	}
}

/* Jumps by longjmp() and siglongjmp() over a known number of frames. */
static jmp_buf plainly, kept;
static sigjmp_buf with_signals;
static volatile long landed;

APART static void jump_over(int frames, int how)
{
	if (frames > 1) {
		jump_over(frames - 1, how);
		STAYS;
		return;
	}
	if (how & 1)
		mark();
	switch (how / 2 % 3) {
	case 0: longjmp(plainly, 1);
	case 1: siglongjmp(with_signals, 1);
	default: _longjmp(kept, 1);
	}
}

APART static void lands(int frames, int how)
{
	volatile long here = landed;

	if (how & 8)
		mark();
	switch (how / 2 % 3) {
	case 0:
		if (!setjmp(plainly))
			jump_over(frames, how);
		break;
	case 1:
		if (!sigsetjmp(with_signals, 1))
			jump_over(frames, how);
		break;
	default:
		if (!_setjmp(kept))
			jump_over(frames, how);
	}
	landed = here + 1;
}

static void jump_out(int nr)
{
	for (int i = 0; i < nr; i++)
		lands(1 + i % 100, i);
	must(landed == nr, "a jump was lost");
}

/* Exceptions through marked frames that have objects to destroy. */
static long live;

struct counted {
	counted() { __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED); }
	~counted() { __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED); }
};

APART static double throw_or_return(int depth, bool is_thrown)
{
	counted c;
	double ret = 2.5;

	if (depth) {
		try {
			ret = throw_or_return(depth - 1, is_thrown) + 1;
		} catch (const std::logic_error &) {
			ret = 0;
		}
		STAYS;
		return ret;
	}
	mark();
	if (is_thrown)
		throw std::runtime_error("a text that does not fit where short ones do");
	return ret;
}

static void *throwing(void *arg)
{
	long caught = 0, nr = (long)arg;

	for (long i = 0; i < nr; i++)
		try {
			must(throw_or_return(i % 19, i % 2) == 2.5 + i % 19, "what returns beside exceptions");
		} catch (const std::runtime_error &) {
			caught++;
		}
	must(caught == nr / 2, "an exception was lost");
	return NULL;
}

static void in_threads(int nr, void *(*run)(void *arg), void *arg)
{
	pthread_t threads[4];

	for (int i = 0; i < nr; i++)
		must(!pthread_create(&threads[i], NULL, run, arg), "pthread_create");
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

/* Threads that end in a marked frame. */
static long cleaned;

static void clean(void *) { __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED); }

APART static void end_here(bool is_cancelled)
{
	mark();
	if (!is_cancelled)
		pthread_exit(NULL);
	for (;;)
		usleep(1000);
}

APART static void end_thread(int depth, bool is_cancelled)
{
	pthread_cleanup_push(clean, NULL);
	if (depth == 0)
		end_here(is_cancelled);
	if (depth > 0)
		end_thread(depth - 1, is_cancelled);
	STAYS;
	pthread_cleanup_pop(0);
}

static void *exiting(void *) { end_thread(9, false); return NULL; }
static void *cancelled(void *) { end_thread(9, true); return NULL; }

static void end_threads(int nr)
{
	for (int i = 0; i < nr; i++) {
		pthread_t t;

		in_threads(4, exiting, NULL);
		must(!pthread_create(&t, NULL, cancelled, NULL), "pthread_create");
		if (i % 2)
			usleep(500);
		pthread_cancel(t);
		pthread_join(t, NULL);
	}
	/* A thread that is cancelled before its first wait has pushed all of its handlers, or has not pushed a handler. */
	must(cleaned >= nr * 40 && cleaned <= nr * 50, "what threads clean up");
}

/* Stack walks of the program itself do not contain a frame of the probe. */
static _Unwind_Reason_Code count_frame(struct _Unwind_Context *, void *nr)
{
	++*(int *)nr;
	return _URC_NO_REASON;
}

APART static void walk(int depth)
{
	void *before[64], *after[64];
	int nr[2], frames[2] = { 0, 0 };

	if (depth) {
		walk(depth - 1);
		STAYS;
		return;
	}
	nr[0] = backtrace(before, 64);
	_Unwind_Backtrace(count_frame, &frames[0]);
	mark();
	nr[1] = backtrace(after, 64);
	mark();
	_Unwind_Backtrace(count_frame, &frames[1]);
	must(nr[0] == nr[1] && nr[0] > 10, "backtrace() has other frames");
	must(!memcmp(before + 1, after + 1, (nr[0] - 1) * sizeof(before[0])), "backtrace() has other addresses");
	must(frames[0] == frames[1] && frames[0] > 10, "_Unwind_Backtrace() has other frames");
}

/* The place of a breakpoint, below @depth frames of stops(). The innermost of these frames is marked. */
extern "C" APART void stop_here(void)
{
	STAYS;
}

extern "C" APART int stops(int depth)
{
	int ret = 0;

	if (depth > 1) {
		ret = stops(depth - 1);
	} else {
		mark();
		stop_here();
	}
	STAYS;
	return ret + 1;
}

/* Processes that begin in a marked frame. */
APART static int fork_marked(void)
{
	pid_t pid;

	mark();
	pid = fork();
	if (!pid)
		return 7;
	mark();
	int status;
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child of fork()");
	return 0;
}

/*
 * Create a process without a call of the C library, so that the probe is not notified. The process returns, throws and
 * jumps like its parent.
 */
APART static pid_t copied(void)
{
	pid_t pid;

	mark();
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	STAYS;
	return pid;
}

APART static int clone_marked(void)
{
	pid_t pid = copied();
	int status;

	if (!pid) {
		bool is_caught = false;

		try {
			throw_or_return(5, true);
		} catch (const std::runtime_error &) {
			is_caught = true;
		}
		lands(3, 0);
		_exit(is_caught ? 7 : 8);
	}
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child of clone()");
	return 0;
}

APART static void vfork_marked(void)
{
	int status;
	pid_t pid;

	mark();
	pid = vfork();
	if (!pid)
		_exit(3);
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3, "a child of vfork()");
	mark();
	pid = vfork();
	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(4);
	}
	must(waitpid(pid, &status, 0) == pid && !status, "a program in a child of vfork()");
	STAYS;
}

APART static void spawn_marked(void)
{
	char *const argv[] = { (char *)"true", NULL };
	int status;
	pid_t pid;

	mark();
	must(!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ), "posix_spawn");
	must(waitpid(pid, &status, 0) == pid && !status, "what posix_spawn() began");
	STAYS;
}

static void processes(int nr)
{
	for (int i = 0; i < nr; i++) {
		int ret = fork_marked();

		if (ret)
			_exit(ret);
		clone_marked();
		vfork_marked();
		spawn_marked();
	}
}

/* Run on two stacks alternately, with marks on both stacks. */
static ucontext_t here, there;
static char other_stack[65536];
static long turns;

APART static void pings(int depth)
{
	if (depth) {
		pings(depth - 1);
		STAYS;
		return;
	}
	mark();
	swapcontext(&there, &here);
	STAYS;
}

static void pinging(void)
{
	for (;;) {
		pings(turns % 7);
		turns++;
	}
}

APART static void pongs(int depth)
{
	if (depth) {
		pongs(depth - 1);
		STAYS;
		return;
	}
	mark();
	swapcontext(&here, &there);
	STAYS;
}

static void stacks(int nr)
{
	getcontext(&there);
	there.uc_stack.ss_sp = other_stack;
	there.uc_stack.ss_size = sizeof(other_stack);
	makecontext(&there, pinging, 0);
	for (int i = 0; i < nr; i++)
		pongs(i % 5);
	must(turns == nr - 1, "a turn was lost");
}

/* Save a return address while it is marked, and restore it later, as programs that copy stacks do. */
APART static int put_back(int x)
{
	void *volatile *slot = (void *volatile *)__builtin_frame_address(0) + 1;
	void *addresses[4], *marked, *real = __builtin_return_address(0);

	mark();
	marked = *slot;
	backtrace(addresses, 4);
	mark();
	*slot = real;		/* overwrite the marker by the original address */
	mark();
	backtrace(addresses, 4);
	*slot = marked;		/* restore an address that is not a marker any more */
	return x + 1;
}

static void overwritten(int nr)
{
	for (int i = 0; i < nr; i++)
		must(put_back(i) == i + 1, "a return");
}

/* Signal handlers that mark, return and jump, on the stack of the program and on another stack. */
static sigjmp_buf out;
static volatile sig_atomic_t jumps_out;

static void on_signal(int)
{
	mark();
	if (jumps_out)
		siglongjmp(out, 1);
	STAYS;
}

APART static void interrupted(void)
{
	mark();
	raise(SIGUSR1);
	STAYS;
	raise(SIGUSR2);
	STAYS;
}

static void handlers(int nr)
{
	static char stack[65536];
	stack_t own = {};
	struct sigaction action = {};

	own.ss_sp = stack;
	own.ss_size = sizeof(stack);
	must(!sigaltstack(&own, NULL), "sigaltstack");
	action.sa_handler = on_signal;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	for (volatile int i = 0; i < nr; i++) {
		jumps_out = i % 3 == 1;
		if (!sigsetjmp(out, 1))
			interrupted();
	}
	jumps_out = 0;
}

/* Call functions of the loader that examine their return address. */
APART static void use_loader(void)
{
	void *next, *first, *handle;
	Dl_info info;

	mark();
	next = dlsym(RTLD_NEXT, "getpid");
	first = dlsym(RTLD_DEFAULT, "getpid");
	must(next && next == first && dladdr(next, &info) && info.dli_sname, "dlsym");
	handle = dlopen("libm.so.6", RTLD_NOW);
	must(handle && dlsym(handle, "cos"), "dlopen");
	dlclose(handle);
	STAYS;
}

static void loader(int nr)
{
	for (int i = 0; i < nr; i++)
		use_loader();
}

APART static char *allocate_at(int depth, size_t size)
{
	char *ret;

	if (depth)
		ret = allocate_at(depth - 1, size);
	else
		ret = (char *)malloc(size);
	STAYS;
	return ret;
}

static void allocations(int nr)
{
	for (int i = 0; i < nr; i++) {
		char *block = allocate_at(i % 30, 1 + i % 500);

		must(block, "malloc");
		block[0] = 1;
		free(block);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int nr = argc > 2 ? atoi(argv[2]) : 1;

	metric = opprobe_new_metric("marks", 0, 1);
	if (!strcmp(what, "calls"))
		calls(nr);
#ifdef __x86_64__
	else if (!strcmp(what, "tails"))
		tails(nr);
#endif
	else if (!strcmp(what, "deep"))
		must(deep(nr) == nr, "a recursion");
	else if (!strcmp(what, "values"))
		values();
	else if (!strcmp(what, "jumps"))
		jump_out(nr);
	else if (!strcmp(what, "exceptions"))
		in_threads(4, throwing, (void *)(long)nr);
	else if (!strcmp(what, "ends"))
		end_threads(nr);
	else if (!strcmp(what, "walks"))
		for (int i = 0; i < nr; i++)
			walk(10 + i % 20);
	else if (!strcmp(what, "stops"))
		for (int i = 0; i < nr; i++)
			must(stops(1 + i % 20) == 1 + i % 20, "a recursion");
	else if (!strcmp(what, "processes"))
		processes(nr);
	else if (!strcmp(what, "stacks"))
		stacks(nr);
	else if (!strcmp(what, "overwritten"))
		overwritten(nr);
	else if (!strcmp(what, "handlers"))
		handlers(nr);
	else if (!strcmp(what, "loader"))
		loader(nr);
	else if (!strcmp(what, "allocations"))
		allocations(nr);
	else
		must(false, "what?");
	must(!live, "objects that were not destroyed");
	printf("done\n");
	return 42;
}
