/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drop_rights.h -- a process that is about to read a stranger's file gives up everything but that.
 */
#ifndef PP_IMAGE_DROP_RIGHTS_H
#define PP_IMAGE_DROP_RIGHTS_H

/*
 * Afterwards the process is nobody where it was root, opens no file, makes no process, reaches no
 * other one, and has little memory and CPU time; descriptors that are open stay. Libraries must
 * have been loaded before. Negative errno: then it must not go on.
 */
int pp_drop_rights(void);

#endif
