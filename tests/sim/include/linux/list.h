/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/list.h -- simulates the kernel's interfaces that module/paths/tables.c and
 * module/paths/book.c need in addition to vmalloc.h, for one thread: lists, RCU, locks, memory, a
 * hash, and the current task's user. The test defines the variables.
 */
#ifndef SIM_LINUX_LIST_H
#define SIM_LINUX_LIST_H

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <linux/vmalloc.h>

#define __rcu
#define __user
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define lockdep_assert_held(lock)	((void)(lock))
#define lockdep_is_held(lock)		((void)(lock), true)
#define struct_size(p, member, n)	(sizeof(*(p)) + sizeof((p)->member[0]) * (n))
#define min_t(type, a, b)		min((type)(a), (type)(b))
#define smp_rmb()			barrier()

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list->prev = list;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *list)
{
	entry->prev = list->prev;
	entry->next = list;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

static inline void list_move_tail(struct list_head *entry, struct list_head *list)
{
	list_del(entry);
	list_add_tail(entry, list);
}

#define list_first_entry(list, type, member)	container_of((list)->next, type, member)

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *list)
{
	node->next = list->first;
	if (node->next)
		node->next->pprev = &node->next;
	list->first = node;
	node->pprev = &list->first;
}

static inline void hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

#define hlist_entry_of(p, type, member)	((p) ? container_of(p, type, member) : NULL)
#define hlist_for_each_entry(pos, list, member) \
	for (pos = hlist_entry_of((list)->first, __typeof__(*pos), member); pos; \
	     pos = hlist_entry_of(pos->member.next, __typeof__(*pos), member))

struct rcu_head {
	int unused;
};

#define rcu_assign_pointer(p, v)	((p) = (v))
#define rcu_dereference(p)		(p)
#define rcu_dereference_protected(p, c)	((void)(c), (p))
#define rcu_access_pointer(p)		(p)
#define kvfree_rcu(p, member)		free(p)
#define kvfree(p)			free((void *)(p))

typedef struct {
	int unused;
} spinlock_t;

#define GFP_KERNEL_ACCOUNT	0
#define kvmalloc(size, flags)	malloc(size)
#define kvzalloc(size, flags)	calloc(1, size)

static inline unsigned long copy_from_user(void *to, const void *from, unsigned long size)
{
	memcpy(to, from, size);
	return 0;
}

static inline void cond_resched(void)
{
}

static inline unsigned int hash_64(u64 value, unsigned int bits)
{
	return value * GOLDEN_RATIO_64 >> (64 - bits);
}

/* A hash that depends on all bits; simpler than the kernel's siphash(). */
typedef struct {
	u64 key[2];
} siphash_key_t;

static inline u64 sim_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
}

static inline u64 siphash_1u64(u64 a, const siphash_key_t *key)
{
	u64 hash = sim_mix(key->key[0], a);

	return sim_mix(hash ^ hash >> 29, key->key[1]);
}

static inline u64 siphash_3u64(u64 a, u64 b, u64 c, const siphash_key_t *key)
{
	return siphash_1u64(siphash_1u64(siphash_1u64(a, key) ^ b, key) ^ c, key);
}

static inline u64 siphash_4u64(u64 a, u64 b, u64 c, u64 d, const siphash_key_t *key)
{
	return siphash_1u64(siphash_3u64(a, b, c, key) ^ d, key);
}

#define HZ	250UL
extern unsigned long jiffies;
#define time_after(a, b)	((long)((b) - (a)) < 0)

/* The current task, and its user. There is only one user namespace. */
typedef struct {
	u32 val;
} kuid_t;

struct uid_gid_map {
	u32 nr_extents;
	union {
		struct { u32 lower_first, count; } extent[5];
		struct { u32 lower_first, count; } *forward;
	};
};

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
	struct uid_gid_map uid_map;
};

struct cred {
	kuid_t uid;
	struct user_namespace *user_ns;
};

#define UID_GID_MAP_MAX_BASE_EXTENTS	5
#define GLOBAL_ROOT_UID			((kuid_t){ 0 })
#define __kuid_val(uid)			((uid).val)
#define uid_eq(a, b)			((a).val == (b).val)
extern struct user_namespace init_user_ns;
extern struct cred sim_cred;
#define current_real_cred()		((const struct cred *)&sim_cred)

struct task_struct {
	char comm[16];
	int pid, tgid;
};

extern struct task_struct *current;
#define ktime_get_mono_fast_ns()	0ULL

#endif
