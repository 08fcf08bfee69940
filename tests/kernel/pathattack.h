/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pathattack.h -- declarations for all kinds of attacks of pathattack: functions whose possible
 * callers are known.
 */
#ifndef TESTS_KERNEL_PATHATTACK_H
#define TESTS_KERNEL_PATHATTACK_H

#define KNOWN	__attribute__((noinline, noclone, noipa))

/* Written behind a call, which then is not the last thing that a function does. */
extern volatile unsigned long sink;

void spin(unsigned long turns);
/* Calls c2, which calls c3, which calls c4, which calls @inner. */
void c1(void (*inner)(void));
/* Where c3 of the thread that was last in it has its caller's frame pointer, and above that its return address. */
extern unsigned long *volatile c3_frame;

/* These functions do not return. */
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
