// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * subsystem_names.c -- kernel subsystems by prefixes of function names, for kernels without debug
 * data. The longest matching prefix decides.
 */
#include "config.h"
#include "pp/profile/subsystems.h"

#include <string.h>

/* A subsystem, and the prefixes of the names of its functions, separated by blanks. Leading
 * underscores of a function's name are ignored. */
struct beginnings {
	const char *subsystem, *words;
};

static const struct beginnings table[] = {
	{ "arch",
	  "virt_addr_valid srso_ x86_indirect x86_return retbleed_ "
	  "copy_mc get_user_ put_user_ startup_ asm_ entry_ exc_ sysvec_ irqentry_ "
	  "do_syscall_ x64_sys_call syscall_enter syscall_exit syscall_return "
	  "syscall_trace exit_to_user ret_from_fork native_ copy_user copy_to_user "
	  "copy_from_user rep_movs rep_stos clear_page copy_page memcpy memset "
	  "memmove do_user_addr_fault page_fault apic x2apic flush_tlb switch_mm "
	  "switch_to switch_fpu restore_fpregs fpu_ save_fpregs el0_ el1_ kvm_guest "
	  "kvm_clock pv_ paravirt error_entry common_interrupt idtentry load_new_mm "
	  "default_idle arch_ read_tsc sync_regs pti_" },
	{ "block",
	  "blk_ blkdev_ blkcg_ bio_ submit_bio elv_ dd_ bfq_ kyber_ bdev_ disk_ "
	  "part_ bvec_ iov_iter_extract" },
	{ "crypto",
	  "crypto_ aes_ aesni_ sha1_ sha256_ sha512_ chacha_ poly1305_ crc32c_pcl "
	  "gcm_ skcipher_" },
	{ "drivers/acpi",
	  "acpi_" },
	{ "drivers/ata",
	  "ata_ ahci_ sata_" },
	{ "drivers/char",
	  "write_null read_null read_zero get_random crng_ urandom_ random_ "
	  "extract_entropy" },
	{ "drivers/cpufreq",
	  "cpufreq_ intel_pstate amd_pstate" },
	{ "drivers/cpuidle",
	  "cpuidle_ menu_ haltpoll_ teo_" },
	{ "drivers/gpu",
	  "drm_ i915_ amdgpu_ nouveau_ radeon_ ttm_ dma_fence" },
	{ "drivers/idle",
	  "intel_idle" },
	{ "drivers/iommu",
	  "iommu_ iova_ amd_iommu intel_iommu" },
	{ "drivers/md",
	  "dm_ md_ raid" },
	{ "drivers/net",
	  "virtnet_ veth_ tun_ tap_ e1000 igb_ ixgbe i40e mlx4 mlx5 bnxt vxlan_ "
	  "bond_ macvlan_ loopback_" },
	{ "drivers/nvme",
	  "nvme_" },
	{ "drivers/pci",
	  "pci_ pcie_ msi_" },
	{ "drivers/scsi",
	  "scsi_ sd_ sg_" },
	{ "drivers/tty",
	  "tty_ n_tty uart_ serial8250 pty_ vt_ con_" },
	{ "drivers/usb",
	  "usb_ xhci_ ehci_ hub_" },
	{ "drivers/virtio",
	  "virtio_ virtqueue_ vring_ vp_ virtblk_" },
	{ "fs",
	  "find_get_block mangle_path offset_readdir find_positive_dentry "
	  "prepend_ filldir generic_fillattr set_root filename_ iterate_dir "
	  "get_unused_fd alloc_fd fd_install dup_fd locks_ do_readlink "
	  "verify_dirent mark_inode_dirty copy_strings "
	  "init_file atime_ current_time build_open make_vfs vfs_ do_sys_open "
	  "do_sys_poll do_filp_open path_ link_path lookup_ walk_component "
	  "step_into pick_link complete_walk terminate_walk d_ dput dget dentry_ "
	  "inode_ iput iget file_ fput fget fdget close_fd filp_ do_dentry "
	  "ksys_read ksys_write ksys_lseek new_sync_ generic_file_ generic_perform "
	  "generic_write generic_permission set_nlink do_select core_sys_select "
	  "poll_ pollwake ep_ do_epoll eventpoll_ eventfd_ aio_ splice_ do_splice "
	  "sync_ bh_ brelse getblk bread block_write block_read mark_buffer "
	  "try_to_free_buffers create_empty_buffers buffer_ pipe_ anon_pipe simple_ "
	  "libfs_ getname putname strncpy_from_user do_statx cp_new_stat cp_statx "
	  "touch_atime fasync fsnotify inotify_ dnotify_ mnt_ mntput mntget "
	  "legitimize_ unlazy_ try_to_unlazy may_open open_last do_open do_fcntl "
	  "alloc_empty_file writeback_ wb_ kiocb_ rw_verify exec_ bprm_ load_elf "
	  "begin_new_exec do_execve" },
	{ "fs/btrfs",
	  "btrfs_ extent_buffer" },
	{ "fs/ext4",
	  "ext4fs_ recently_deleted find_inode_bit htree_ free_rb_tree_fname "
	  "call_filldir mpage_process "
	  "ext4_ es_" },
	{ "fs/fuse",
	  "fuse_" },
	{ "fs/iomap",
	  "iomap_" },
	{ "fs/jbd2",
	  "jbd2_ start_this_handle do_get_write_access" },
	{ "fs/kernfs",
	  "kernfs_" },
	{ "fs/nfs",
	  "nfs_ nfs4_" },
	{ "fs/overlayfs",
	  "ovl_" },
	{ "fs/proc",
	  "do_task_stat task_dump_owner render_sigset show_vma_header "
	  "next_tgid task_mem "
	  "proc_ seq_ show_map smaps_ pid_ task_state" },
	{ "fs/smb",
	  "cifs_ smb2_" },
	{ "fs/sysfs",
	  "sysfs_" },
	{ "fs/xfs",
	  "xfs_ xlog_" },
	{ "init",
	  "rest_init start_kernel kernel_init" },
	{ "io_uring",
	  "io_uring_ io_issue io_submit_sqe io_req io_queue io_wq io_cqring io_read "
	  "io_write" },
	{ "ipc",
	  "sem_ do_semtimedop msg_ do_msg shm_ ipc_ mqueue_" },
	{ "kernel",
	  "kallsyms_ from_kuid from_kgid mod_delayed_work rseq_ seccomp_ acct_ "
	  "ptrace_ put_pid get_task_mm "
	  "task_pid do_exit do_group_exit release_task exit_mm exit_files "
	  "exit_signals copy_process kernel_clone dup_mm dup_task_struct copy_files "
	  "free_task put_task_struct do_wait wait_task wait_consider signal_ "
	  "get_signal do_signal send_signal do_send_sig do_notify complete_signal "
	  "dequeue_signal collect_signal recalc_sigpending force_sig kill_ "
	  "do_sigaction set_current_blocked sigprocmask process_one_work "
	  "worker_thread queue_work queue_delayed_work flush_work kthread "
	  "do_softirq handle_softirqs raise_softirq irq_exit tasklet_ run_ksoftirqd "
	  "smp_call generic_smp flush_smp cpu_startup cpuhp_ task_work_ "
	  "find_task_by getrusage thread_group_cputime cred_ prepare_creds put_cred "
	  "override_creds pidfd_ find_pid alloc_pid free_pid attach_pid detach_pid "
	  "printk vprintk console_ kprobe_ audit_ stop_machine cpu_stopper "
	  "notifier_ user_return module_ bprintf" },
	{ "kernel/bpf",
	  "bpf_ htab_ array_map_ btf_" },
	{ "kernel/cgroup",
	  "cgroup_ cset_ css_ cpuset_" },
	{ "kernel/dma",
	  "dma_ swiotlb_" },
	{ "kernel/events",
	  "output_copy "
	  "perf_ event_sched ctx_sched uprobe_ event_function" },
	{ "kernel/futex",
	  "futex_ do_futex get_futex" },
	{ "kernel/irq",
	  "irq_ handle_irq handle_edge_irq handle_fasteoi_irq handle_level_irq "
	  "generic_handle note_interrupt" },
	{ "kernel/locking",
	  "mutex_ rwsem_ down_read down_write up_read up_write down_ up raw_spin "
	  "raw_read raw_write raw queued_ osq_ rt_mutex percpu_down percpu_up "
	  "percpu_rwsem lock_acquire lock_release lockdep_ mcs_ pv_queued rtlock_ "
	  "ww_mutex" },
	{ "kernel/rcu",
	  "rcu_ srcu_ call_rcu synchronize_rcu kfree_rcu note_gp_changes invoke_rcu "
	  "kvfree_call_rcu" },
	{ "kernel/sched",
	  "sched_ schedule enqueue_ dequeue_ pick_next pick_task pick_eevdf "
	  "put_prev set_next update_curr update_load update_rq update_cfs "
	  "update_min update_sd update_group update_entity update_blocked "
	  "try_to_wake_up ttwu_ select_task_rq select_idle load_balance "
	  "newidle_balance rebalance_ find_busiest finish_task_switch "
	  "context_switch prepare_task_switch do_idle idle_ nohz_ psi_ reweight_ "
	  "place_entity check_preempt wakeup_preempt resched_ wake_up wake_q "
	  "wake_affine autoremove_wake default_wake finish_wait prepare_to_wait "
	  "wait_woken woken_wake complete wait_for_completion task_tick task_fork "
	  "task_rq task_h_load account_ cpuacct_ cputime_ vtime_ irqtime_ cpu_util "
	  "effective_cpu_util available_idle_cpu migrate_task migration_ "
	  "set_task_cpu swake_ add_wait_queue remove_wait_queue io_schedule yield_ "
	  "cond_resched preempt_schedule preempt_ activate_task deactivate_task rt_ "
	  "dl_ avg_vruntime entity_eligible calc_global_load attach_entity "
	  "detach_entity sugov_ cpu_cgroup" },
	{ "kernel/time",
	  "hrtimer_ hrtimers_ tick_ timer_ ktime_ clockevents_ run_timer "
	  "run_rebalance timekeeping_ update_wall update_process_times clock_ "
	  "posix_ do_timer jiffies_ get_jiffies call_timer mod_timer add_timer "
	  "del_timer try_to_del_timer timerqueue_ getnstimeofday itimer_ "
	  "do_nanosleep common_nsleep alarm schedule_timeout schedule_hrtimeout "
	  "enqueue_hrtimer lock_hrtimer lock_timer get_next_timer forward_timer "
	  "internal_add_timer detach_if_pending expire_timers ntp_ tk_" },
	{ "kernel/trace",
	  "trace_ ftrace_ ring_buffer_ rb_reserve rb_commit tracing_ event_trace" },
	{ "lib",
	  "num_to_str put_dec "
	  "copy_to_iter copy_from_iter iowrite ioread xas_ xa_ radix_tree_ rb_ idr_ "
	  "ida_ str strn memchr memcmp memscan find_next find_first find_last "
	  "bitmap_ list_ plist_ hlist_ percpu_counter_ percpu_ref_ kobject_ kset_ "
	  "vsnprintf snprintf sprintf number format_decode kstrto sscanf mas_ mt_ "
	  "mtree_ iov_iter_ copyin copyout csum_ crc32 lockref_ refcount_ sort "
	  "errseq_ sbitmap_ llist_ scnprintf string_ hex lz4_ LZ4_ zstd_ ZSTD_ "
	  "zlib_ inflate rhashtable_ rht_ import_iovec import_single copy_iovec "
	  "copy_page_to_iter copy_page_from_iter dump_stack interval_tree "
	  "check_zeroed delay_" },
	{ "mm",
	  "set_pte_range damon_ is_vmalloc lock_next_vma "
	  "copy_from_kernel_nofault unmapped_area vmf_ vms_ split_vma "
	  "get_pfnblock pfn_to_online check_stack_object "
	  "build_detached_freelist find_lock_entries "
	  "copy_folio free_frozen alloc_frozen memcg1_ lruvec_ folios_ get_vma "
	  "access_error set_ptes ksys_mmap mk_pte check_heap check_object "
	  "alloc_pages alloc_page get_page_from_freelist rmqueue prep_new_page "
	  "post_alloc free_page free_unref free_pcp free_one_page free_large "
	  "free_pages free_swap free_pgtables free_pgd folio_ lru_ page_ pages_ "
	  "page pagevec_ mem_cgroup memcg_ charge_memcg try_charge uncharge_ "
	  "obj_cgroup cgroup_throttle get_obj_cgroup drain_ refill_ kmem_cache "
	  "kmalloc kfree kvfree kvmalloc krealloc ksize slab_ slub_ slab new_slab "
	  "discard_slab allocate_slab get_partial put_cpu_partial unfreeze "
	  "deactivate_slab memcg_slab vmalloc vfree vmap_ vunmap_ alloc_vmap vma_ "
	  "vm_ mmap_ mmput do_mmap do_munmap do_vmi do_brk brk unmap_ map_ zap_ "
	  "copy_page_range copy_pte dup_mmap exit_mmap handle_mm_fault "
	  "handle_pte_fault do_anonymous_page do_fault do_read_fault do_cow_fault "
	  "do_shared_fault do_wp_page wp_page do_swap_page do_huge_pmd do_set_pmd "
	  "finish_fault filemap_ next_uptodate pagecache_ add_to_page_cache "
	  "read_pages readahead_ page_cache_ ondemand_readahead force_page_cache "
	  "swap_ swapin_ swapcache_ get_swap shrink_ kswapd balance_pgdat "
	  "try_to_free isolate_ move_pages_to_lru evict_folios khugepaged_ "
	  "collapse_ ksm_ anon_vma_ rmap_ try_to_unmap try_to_migrate migrate_pages "
	  "migrate_folio mlock_ munlock_ mprotect_ change_protection change_pte "
	  "do_mprotect madvise_ do_madvise clear_huge_page clear_subpage shmem_ "
	  "zswap_ zs_ zbud_ find_vma vm_area vmacache_ get_unmapped_area tlb_ pte_ "
	  "pmd_ pud_ p4d_ ptep_ pmdp_ release_pages release_task_mm balance_dirty "
	  "write_cache_pages workingset_ wp_ count_memcg lock_page_memcg "
	  "mod_node_page_state mod_zone_page_state mod_lruvec mod_memcg inc_node "
	  "dec_node numa_ mpol_ alloc_pages_mpol policy_ pcpu_ free_percpu "
	  "alloc_percpu dma_pool huge_ hugetlb_ compact_ get_user_pages gup_ "
	  "fault_in follow_page userfaultfd_ sync_mm_rss get_mem_cgroup lock_vma "
	  "may_expand can_vma expand_stack security_vm process_vm prepare_alloc "
	  "can_change fault_dirty fault_around mempool_ bdi_ list_lru_ expand "
	  "unlink_anon unlink_file perf_iterate_mm" },
	{ "net",
	  "sock_ sys_send sys_recv sys_sendmsg sys_sendto sys_recvfrom sys_recvmsg "
	  "move_addr socket_ sockfd_" },
	{ "net/bridge",
	  "br_" },
	{ "net/core",
	  "skb_ sk_ dev_ netif_ napi_ net_rx net_tx neigh_ dst_ kfree_skb "
	  "consume_skb alloc_skb build_skb build_skb_around pskb_ release_sock "
	  "lock_sock datagram_ sock_def sock_alloc sock_wfree sock_rfree "
	  "enqueue_to_backlog process_backlog rtnl_ flow_ gro_ dql_ xdp_ page_pool_ "
	  "validate_xmit eth_ bpf_skb net_ netdev_" },
	{ "net/ipv4",
	  "tcp_ udp_ ip_ inet_ inet6_csk raw_ icmp_ igmp_ fib_ arp_ ping_ ipv4_ "
	  "bictcp_ cubictcp_ bbr_ udp4_ rt_cache ip" },
	{ "net/ipv6",
	  "tcp_v6 udpv6_ udp_v6 ip6_ ipv6_ inet6_ icmpv6_ ndisc_ rt6_ fib6_ "
	  "addrconf_" },
	{ "net/netfilter",
	  "nf_ nft_ ipt_ ip6t_ xt_ nfnetlink_ ctnetlink_" },
	{ "net/netlink",
	  "netlink_ genl_ nlmsg_ nla_" },
	{ "net/packet",
	  "packet_ tpacket_" },
	{ "net/sched",
	  "qdisc_ sch_ pfifo_ fq_ fq_codel htb_ tc_ tcf_" },
	{ "net/sctp",
	  "sctp_" },
	{ "net/unix",
	  "unix_ scm_" },
	{ "net/wireless",
	  "cfg80211_ ieee80211_ nl80211_" },
	{ "security",
	  "security_ cap_ key_ keyring_ lsm_ yama_ landlock_ integrity_ ima_" },
	{ "security/apparmor",
	  "apparmor_ aa_ profile_transition" },
	{ "security/landlock",
	  "hook_" },
	{ "security/selinux",
	  "selinux_ avc_ sidtab_" },
	{ "sound",
	  "snd_" },
	{ "virt/kvm",
	  "kvm_ vmx_ svm_ vcpu_ tdp_ mmu_spte" },
};

/* Return the length of the longest word in @words that is a prefix of @name, or 0 if no word is. */
static size_t longest(const char *words, const char *name)
{
	size_t best = 0, len;

	for (; *words; words += len + strspn(words + len, " ")) {
		len = strcspn(words, " ");
		if (len > best && !strncmp(name, words, len))
			best = len;
	}
	return best;
}

const char *pp_subsystem_of_name(const char *name)
{
	const char *found = NULL;
	size_t best = 0;

	/* names of system calls: "__x64_sys_read", "__se_sys_read", "__do_sys_read" */
	const char *call = strstr(name, "_sys_");

	name += strspn(name, "_");
	if (call && (!strncmp(name, "x64_", 4) || !strncmp(name, "ia32_", 5) ||
		     !strncmp(name, "arm64_", 6) || !strncmp(name, "se_", 3) ||
		     !strncmp(name, "do_sys_", 7)))
		return "system calls";
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t len = longest(table[i].words, name);

		if (len > best) {
			best = len;
			found = table[i].subsystem;
		}
	}
	return found;
}
