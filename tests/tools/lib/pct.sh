# shellcheck shell=bash disable=SC2154 # $top and $work come from who reads this
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for tests of the collectors that sample a program from inside: a subject with a known profile. Needs $top
# and $work.

# shellcheck disable=SC2034 # used by who reads this
itimer=$top/probe/libitimer.so profil=$top/probe/libprofil.so print=$top/pp/pct-print
subject=$work/subject static=$work/static linked=$work/linked plain=$work/plain

# build_subject: builds $subject; $static and $linked (dynamic), which link itimer.o; $static-profil; $plain, which
# links no collector; and the libraries late.so and other.so. Argument of the programs: N units of work of about a
# millisecond, half of them in first(), half in second(). The order is random for each unit: otherwise both would be in
# step with the kernel's tick, by which setitimer() counts.
build_subject()
{
	local cc=${CC:-gcc}

	cat >"$work/subject.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>

		#ifdef LINKED
		void pct_on(void), pct_off(void);
		#endif
		volatile unsigned long sum;

		/* Each turn waits for the product of the one before: a loop over memory takes twice as long on some CPUs, by where it lies. */
		#define COMPUTE for (unsigned long i = 0, x = sum; i < 200000; sum = x, i++) x = x * 6364136223846793005ul + i
		__attribute__((noinline)) void first(void) { COMPUTE; }
		__attribute__((noinline)) void second(void) { COMPUTE; }

		static void work(long units)
		{
			static unsigned long drawn = 88172645463325252ul;

			for (long i = 0; i < units; i++) {
				drawn = drawn * 6364136223846793005ul + 1442695040888963407ul;
				if (drawn >> 63) {
					first();
					second();
				} else {
					second();
					first();
				}
			}
		}

		int main(int argc, char **argv)
		{
			const char *what = argc > 1 ? argv[1] : "1";

			puts("said");
			fflush(stdout);
			if (!strcmp(what, "forever")) {
				for (;;)
					work(1);
			} else if (!strcmp(what, "fork")) {
				if (!fork()) {
					for (int i = 0; i < atol(argv[2]); i++)
						second();
					return 0;
				}
				return wait(NULL) < 0;
			} else if (!strcmp(what, "execl")) {
				execl(argv[2], argv[2], argv[3], (char *)NULL);
			} else if (!strcmp(what, "execve")) {
				execve(argv[2], argv + 2, environ);
			} else if (!strcmp(what, "execvp")) {
				execvp(argv[2], argv + 2);
		#ifdef LINKED
			} else if (!strcmp(what, "children")) {
				int status = 0;

				pct_on();
				for (int i = 0; i < atol(argv[2]) && !status; i++) {
					if (!fork()) {
						execv(argv[3], argv + 3);
						_exit(1);
					}
					wait(&status);
				}
				kill(getpid(), status == 3 << 8 ? SIGKILL : SIGABRT);
			} else if (!strcmp(what, "bracket")) {
				for (int i = 0; i < 2; i++) {
					for (int n = 0; n < atol(argv[2]); n++)
						first();
					pct_on();
					for (int n = 0; n < atol(argv[2]); n++)
						second();
					pct_off();
				}
		#else
			} else if (!strcmp(what, "library")) {
				for (int i = 3; i < argc; i++) {
					void *library = dlopen(argv[i], RTLD_NOW);
					void (*late)(long) = (void (*)(long))dlsym(library, "late");

					late(atol(argv[2]));
					if (i + 1 < argc)
						dlclose(library);
				}
		#endif
			} else {
				work(atol(what));
			}
			return 3;
		}
	END
	cat >"$work/late.c" <<-END
		volatile unsigned long n;
		void late(long m)
		{
			for (unsigned long i = 0, x = PLACE; i < m * 200000ul; n = x, i++)
				x = x * 6364136223846793005ul + i;
		}
	END
	"$cc" -g -O1 -o "$subject" "$work/subject.c" -ldl &&
		"$cc" -g -O1 -static -DLINKED -o "$static" "$work/subject.c" "$top/probe/itimer.o" &&
		"$cc" -g -O1 -static -DLINKED -o "$static-profil" "$work/subject.c" "$top/probe/profil.o" &&
		"$cc" -g -O1 -DLINKED -o "$linked" "$work/subject.c" "$top/probe/itimer.o" -ldl &&
		"$cc" -g -O1 -static -o "$plain" "$work/subject.c" 2>/dev/null &&
		"$cc" -g -O1 -shared -fPIC -DPLACE=1 -o "$work/late.so" "$work/late.c" &&
		"$cc" -g -O1 -shared -fPIC -DPLACE=2 -o "$work/other.so" "$work/late.c" || fail "the subject cannot be built"
}

# samples FILE: prints the number of samples in the counters of FILE.
samples()
{
	"$top/pp/pct-print" --by=image "$1" 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

# share_is PART OF PERCENT: fails if the share differs by more than five standard errors.
share_is()
{
	awk -v part="$1" -v of="$2" -v p="$3" 'BEGIN {
		d = part / of - p / 100
		exit !(d * d <= 25 * p / 100 * (1 - p / 100) / of)
	}'
}
