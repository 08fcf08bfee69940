/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h -- the programs that are other names of opreport.
 */
#ifndef PP_PROGRAMS_H
#define PP_PROGRAMS_H

/* Run a program with the arguments of main(). Return its exit status. */
int pp_opgprof(int argc, const char **argv);
int pp_oparchive(int argc, const char **argv);

#endif
