// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach-rights-hostile write|call VICTIM STOP CONF -- a hostile program of a user. It waits for
 * root's opattach and, while opattach is attached, executes the set-user-ID program VICTIM, which
 * has an array at the address CONF. opattach must not change VICTIM's memory.
 *
 * write: the stack of the first thread is at the address CONF; another thread executes VICTIM on
 * SIGUSR1. call: the function that opattach calls (dlopen() is overwritten) executes VICTIM, and
 * another process sends SIGTRAP to VICTIM. The first thread's pc is the address of a function that
 * VICTIM never calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tools/die_with.h"

#define CONF_SIZE	65536

static char **arguments;

/* Wait in pause() with the stack pointer @sp. */
void stand(uintptr_t sp);
__asm__(".section .atvictim,\"ax\",@progbits\n"
	".globl stub\n.type stub,@function\nstub:\n.cfi_startproc\n.cfi_undefined rip\n"
	"syscall\nmov $34,%eax\njmp stub\n.cfi_endproc\n.size stub,.-stub\n"
	".globl stand\n.type stand,@function\nstand: mov %rdi,%rsp\nxor %ebp,%ebp\nmov $34,%eax\njmp stub\n.size stand,.-stand\n"
	".text\n");

static void become_victim(void)
{
	execl(arguments[2], arguments[2], arguments[3], (char *)NULL);
	err(1, "%s", arguments[2]);
}

static void *wait_for_signal(void *set)
{
	int sig;

	sigwait(set, &sig);
	become_victim();
	return NULL;
}

static void send_traps(pid_t to)
{
	while (access(arguments[3], F_OK) && !kill(to, SIGTRAP))
		usleep(20000);
	_exit(0);
}

static void *called(void)
{
	const uint64_t mask = ~(1ULL << (SIGTRAP - 1));
	const pid_t own = getpid();

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	if (!fork())
		send_traps(own);
	become_victim();
	return NULL;
}

static void overwrite_dlopen(void)
{
	unsigned char jump[] = "\x48\xb8" "12345678" "\xff\xe0", *at = dlsym(RTLD_DEFAULT, "dlopen");
	void *(*to)(void) = called;

	memcpy(jump + 2, &to, sizeof(to));
	if (!at || mprotect((void *)((uintptr_t)at & ~4095UL), 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		err(1, "dlopen()");
	memcpy(at, jump, sizeof(jump) - 1);
}

int main(int argc, char **argv)
{
	static sigset_t set;
	pthread_t thread;
	char *conf;

	if (!die_with_test() || argc != 5)
		return 1;
	arguments = argv;
	conf = (char *)strtoull(argv[4], NULL, 16);
	signal(SIGTRAP, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (mmap(conf, CONF_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != conf)
		err(1, "a stack at %s", argv[4]);
	if (!strcmp(argv[1], "call"))
		overwrite_dlopen();
	else if (pthread_create(&thread, NULL, wait_for_signal, &set))
		errx(1, "no thread");
	close(open("ready", O_WRONLY | O_CREAT, 0600));
	stand((uintptr_t)conf + CONF_SIZE - 4096);
}
