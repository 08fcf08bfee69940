/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.h -- the sentence that a source leaves when it cannot be opened (source.h). */
#ifndef OPD_SAY_H
#define OPD_SAY_H

/* *@why: allocated for good; there are few of them. */
void opd_say(const char **why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
