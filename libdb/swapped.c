// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapped.c -- conversion of trees and frames between byte orders. Checksums are computed from
 * numbers, not from bytes, so they stay valid in both orders.
 */
#include "config.h"
#include "libdb/swapped.h"

#include <byteswap.h>
#include <string.h>

#include "libdb/slots.h"

_Static_assert(SWAPPED_HEADER == sizeof(struct slots_header), "swapped_find() reads the header");

enum swapped swapped_find(const void *header, bool *known)
{
	static const uint32_t magic[] = { SLOTS_MAGIC_TREE, SLOTS_MAGIC_FRAMES };
	struct slots_header h;

	memcpy(&h, header, sizeof(h));
	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++) {
		if (h.magic == magic[i]) {
			*known = slots_version_is_known(h.version);
			return SWAPPED_NOT;
		}
		if (h.magic == bswap_32(magic[i])) {
			*known = slots_version_is_known(bswap_32(h.version));
			return SWAPPED_YES;
		}
	}
	return SWAPPED_OTHER_FILE;
}

void swapped_convert(void *bytes, size_t len, uint64_t at)
{
	unsigned char *next = bytes;
	struct slots_header h;

	if (!at && len >= sizeof(h)) {
		memcpy(&h, next, sizeof(h));
		h.magic = bswap_32(h.magic);
		h.version = bswap_32(h.version);
		memcpy(next, &h, sizeof(h.magic) + sizeof(h.version));
		next += sizeof(h.magic) + sizeof(h.version);
	}
	for (; next < (unsigned char *)bytes + len; next += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, next, sizeof(word));
		word = bswap_64(word);
		memcpy(next, &word, sizeof(word));
	}
}
