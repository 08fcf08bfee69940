/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h -- the sentence that goes with a return value: where, what, and what to do about it.
 */
#ifndef OP_BASE_MESSAGE_H
#define OP_BASE_MESSAGE_H

/* Without full stop or newline; empty until something failed. */
struct op_message {
	char text[1024];
};

/* Fills @msg (may be NULL) and returns @err. Text that is too long ends in "...". */
int op_message_set(struct op_message *msg, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
