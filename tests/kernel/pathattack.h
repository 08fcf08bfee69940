/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pathattack.h -- declarations for all kinds of attacks of pathattack, whose functions have known
 * possible callers.
 */
#ifndef TESTS_KERNEL_PATHATTACK_H
#define TESTS_KERNEL_PATHATTACK_H

#define KNOWN	__attribute__((noinline, noclone, noipa))

/* Write this variable after a call, to prevent a tail call. */
extern volatile unsigned long sink;

void spin(unsigned long turns);
/* Call c2, which calls c3, which calls c4, which calls @inner. */
void c1(void (*inner)(void));
/*
 * Address at which the latest call of c3() stored its caller's frame pointer, followed by its
 * return address.
 */
extern unsigned long *volatile c3_frame;

/* Kinds of attacks; these functions do not return. */
void written(char **arg);
void nowhere(char **arg);
void restless(char **arg);
void unreadable(char **arg);
void deep(char **arg);
void forks(char **arg);
void vforks(char **arg);
void execs(char **arg);
void remapped(char **arg);
void libraries(char **arg);

#endif
