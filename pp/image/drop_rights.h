/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drop_rights.h -- dropping of privileges before a process reads files of other users.
 */
#ifndef PP_IMAGE_DROP_RIGHTS_H
#define PP_IMAGE_DROP_RIGHTS_H

/*
 * Drop all privileges: the process becomes nobody if it was root, cannot open files, create
 * processes or access other processes, and has limited memory and CPU time. Open descriptors stay
 * open. The caller must load libraries first. Return 0 or a negative errno; after an error the
 * process must not continue.
 */
int pp_drop_rights(void);

#endif
