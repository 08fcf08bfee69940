/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h -- constants of the packed interval file, private to intervals/. doc/interval-file.md
 * describes the file.
 */
#ifndef ITV_FORMAT_H
#define ITV_FORMAT_H

/* Magic number of an interval file. As in PNG, the bytes after the letters reveal a transfer that
 * converted newlines or cleared the top bit of bytes. */
#define ITV_MAGIC		"OPIV\r\n\x1a\xb6"
#define ITV_MAGIC_LEN		8
/* Files with samples of wakers have the version 3, other files with programs in control groups the
 * version 2, all others the version 1. Earlier programs read files of the lower versions. */
#define ITV_VERSION		3u
#define ITV_VERSION_UNITS	2u
#define ITV_VERSION_PLAIN	1u
#define ITV_HEADER_LEN		32
#define ITV_ENTRY_LEN		40
#define ITV_MAX_BLOCKS		64u

/* Byte offsets in the file's header, and in an entry of its directory of blocks. */
enum {
	ITV_AT_VERSION = 8, ITV_AT_NR_BLOCKS = 12, ITV_AT_LENGTH = 16, ITV_AT_CHECK = 24,
};
enum {
	ITV_ENTRY_TYPE = 0, ITV_ENTRY_PACKING = 4, ITV_ENTRY_RAW = 8, ITV_ENTRY_STORED = 16,
	ITV_ENTRY_OFFSET = 24, ITV_ENTRY_CHECK = 32,
};

enum itv_packing { ITV_STORED, ITV_ZSTD };

/* Maximum ratio of the unpacked size to the packed size of a block. A zstd block of 4 bytes can
 * expand to 128 kB; no other zstd data expand more. */
#define ITV_MAX_RATIO	(128 * 1024 / 4)

enum itv_block_type {
	ITV_BLOCK_ACCOUNTING = 1,
	ITV_BLOCK_IMAGES,
	ITV_BLOCK_EVENTS,
	ITV_BLOCK_GROUPS,
	ITV_BLOCK_CELL_KEYS,
	ITV_BLOCK_CELL_COUNTS,
	ITV_BLOCK_FRAME_PLACES,
	ITV_BLOCK_FRAME_HOWS,
	ITV_BLOCK_TREES,
	ITV_BLOCK_NODE_CHILDREN,
	ITV_BLOCK_NODE_FRAMES,
	ITV_BLOCK_NODE_COUNTS,
	ITV_BLOCK_FILES,
	ITV_NR_BLOCK_TYPES
};

#endif
