/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- the version of the database's tables, doc/fleet.md. utils/opexport/web/join reads it
 * for the page of a fleet.
 */
#ifndef FLEET_TABLES_H
#define FLEET_TABLES_H

/* Version 2 added the columns cpu, mhz and accounting of table sessions. */
#define FLEET_SCHEMA_VERSION	2

#endif
