// SPDX-License-Identifier: GPL-2.0
/* anon.c -- recognition of anonymous mappings and of their kinds. */
#include "anon.h"

#include <linux/file.h>
#include <linux/mm.h>

static u32 anon_kind(const struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;

	if (vma->vm_ops && vma->vm_ops->name) {
		const char *name = vma->vm_ops->name((struct vm_area_struct *)vma);

		if (name && !strcmp(name, "[vdso]"))
			return OPROFILE_ANON_VDSO;
	}
	if (vma->vm_start < mm->brk && vma->vm_end > mm->start_brk)
		return OPROFILE_ANON_HEAP;
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return OPROFILE_ANON_STACK;
	return OPROFILE_ANON_PLAIN;
}

/*
 * Return whether the kernel chose the name of @file ("/dev/zero (deleted)", SysV shared memory,
 * huge pages). Such a mapping is anonymous memory for the program. The program chooses the name of
 * a memfd, so a memfd is not anonymous.
 */
static bool is_nameless(const struct file *file)
{
	return (file_inode(file)->i_sb->s_flags & SB_KERNMOUNT) &&
	       strncmp(file->f_path.dentry->d_name.name, "memfd:", 6);
}

bool oprofile_is_anon(const struct vm_area_struct *vma)
{
	return !vma->vm_file || is_nameless(vma->vm_file);
}

struct oprofile_place oprofile_anon_place(const struct vm_area_struct *vma)
{
	return (struct oprofile_place){
		.cookie = OPROFILE_NO_COOKIE,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.kind = anon_kind(vma),
	};
}
