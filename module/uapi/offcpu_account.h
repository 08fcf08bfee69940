/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/offcpu_account.h -- account of the time that a thread waits: it determines which waits get
 * the samples. The kernel module and the daemon use the same arithmetic, so that both sources of
 * samples agree.
 *
 * Each period of the account has one sample, at a random moment of the period. The wait that
 * includes this moment gets the sample. So the expected number of samples of a wait is its length
 * divided by the period, whatever the pattern of waits.
 */
#ifndef OPROFILE_OFFCPU_ACCOUNT_H
#define OPROFILE_OFFCPU_ACCOUNT_H

#include <linux/types.h>

struct oprofile_offcpu_account {
	__u64 away;		/* time in ns for which the thread was away, in all its waits */
	__u64 periods;		/* number of periods of .away that have a sample */
	/* The next sample belongs to the wait in which .away reaches this value: a random moment of
	 * the first period that has no sample. */
	__u64 moment;
};

/* Return the next number of a generator (xorshift64*). *@state is never 0. */
static inline __u64 oprofile_offcpu_random(__u64 *state)
{
	__u64 x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

/* Return a moment for the period number @period. All bits of @random are random. @period_ns is
 * less than 2^32. */
static inline __u64 oprofile_offcpu_moment(__u64 period_ns, __u64 period, __u32 random)
{
	return period * period_ns + 1 + (period_ns * random >> 32);
}

/* Add a wait of @ns to the account. Return the number of samples of the wait. All bits of @random
 * are random. */
static inline __u64 oprofile_offcpu_wait(struct oprofile_offcpu_account *account, __u64 ns,
					 __u64 period_ns, __u64 random)
{
	__u64 before = account->periods, whole;

	account->away += ns;
	if (account->away < account->moment)
		return 0;
	/* The moments of all periods before the current one are over. */
	whole = account->away / period_ns;
	if (whole > account->periods) {
		account->periods = whole;
		account->moment = oprofile_offcpu_moment(period_ns, whole, (__u32)random);
	}
	if (account->away >= account->moment) {
		account->periods++;
		account->moment = oprofile_offcpu_moment(period_ns, account->periods,
							 (__u32)(random >> 32));
	}
	return account->periods - before;
}

/* Return the time of the account in ns that no sample stands for; negative if the sample of the
 * last period came before the end of that period. */
static inline __s64 oprofile_offcpu_rest(const struct oprofile_offcpu_account *account,
					 __u64 period_ns)
{
	return (__s64)(account->away - account->periods * period_ns);
}

#endif
