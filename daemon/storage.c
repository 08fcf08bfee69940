// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storage.c -- the files of a session: decides when to write each of them to disk, and in which
 * order.
 */
#include "config.h"
#include "daemon/storage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/accounting.h"
#include "daemon/base/configuration.h"
#include "daemon/base/deleter.h"
#include "daemon/base/interval_program.h"
#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/build_id.h"
#include "daemon/image/cgroups.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/image/jit.h"
#include "daemon/image/kernel.h"
#include "daemon/image/running.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/sampling.h"
#include "daemon/storage_kernel.h"
#include "daemon/store/about.h"
#include "daemon/store/made_files.h"
#include "daemon/store/paths.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/session_settings.h"
#include "daemon/store/tables.h"
#include "daemon/store/tables_cache.h"
#include "daemon/store/task_names.h"
#include "libop/base/cache_dir.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/id_ranges.h"
#include "libop/base/size.h"
#include "libop/cpu/type.h"
#include "libop/session/paths.h"

/* maximum delay in ms before samples are written to disk; a power failure loses the samples that
 * were not written */
#define SYNC_MS		10000
#define OLD_UNWIND_DIR	OP_DELETED_PREFIX "unwind"
/* maximum time in ms that the start of sampling waits for unwind tables of running programs;
 * usually only the first start on a machine takes so long */
#define UNWIND_WAIT_MS	5000
/* maximum time in ms that the start of sampling waits for unwind tables, if only the processes of
 * --pid are sampled */
#define UNWIND_WAIT_FEW_MS 2000
/* maximum time in ms that a dump waits for symbol tables that are being made */
#define TABLES_WAIT_MS	300
#define TABLES_END_MS	3000
/* maximum time in ms to wait for copies of JIT files; limited, because programs that start during
 * this time may add files endlessly */
#define JIT_WAIT_MS	10000
/* the copies of JIT files may use 1/JIT_SHARE of --max-disk */
#define JIT_SHARE	8
/* each kind of tables in the session directory may use 1/TABLES_SHARE of --max-disk */
#define TABLES_SHARE	8
#define LOOK_AGAIN_MS	1000
#define LOOK_AT_MEMORY_MS	250
/* interval in ms at which the times of last use of unwind tables are updated */
#define NOTE_USE_MS	3600000

void opd_storage_init(struct opd_storage *k, const struct opd_config *cfg, struct opd_log *log,
		      struct opd_session *session, struct opd_sampling *sampling,
		      struct opd_accounting *accounting)
{
	*k = (struct opd_storage){
		.cfg = cfg,
		.log = log,
		.session = session,
		.sampling = sampling,
		.accounting = accounting,
	};
}

void opd_storage_release(struct opd_storage *k)
{
	opd_made_files_destroy(k->made_files);
	opd_tables_destroy(k->unwind_files);
	opd_unwind_tables_destroy(k->unwind);
	opd_paths_destroy(k->paths);
	opd_tables_destroy(k->tables);
	opd_task_names_destroy(k->task_names);
	opd_jit_destroy(k->jit);
	opd_sample_cache_destroy(k->cache);
	opd_kernel_destroy(k->kernel);
	opd_images_destroy(k->images);
	opd_cgroups_destroy(k->cgroups);
	opd_finder_destroy(k->finder);
}

static int create_files(struct opd_storage *k)
{
	const struct op_cpu_desc *cpu = k->cfg->plan.cpu.cpu;
	int err = opd_sample_cache_create(&k->cache, k->cfg, k->session, &k->accounting->stats,
					  k->log, cpu ? cpu->number : OP_CPU_TIMER,
					  op_cpu_speed_mhz());

	if (err)
		return err;
	opd_sample_cache_set_images(k->cache, k->images);
	opd_attribution_init(&k->attribution, k->cfg, k->kernel, k->cache, &k->accounting->stats,
			     k->log);
	return 0;
}

static void offer_tables(void *arg, const struct opd_image *image,
			 const struct opd_identity *identity)
{
	struct opd_storage *k = arg;

	opd_tables_offer(k->tables, image, identity);
	if (k->unwind)
		opd_tables_offer(k->unwind_files, image, identity);
}

static void unwind_done(void *arg, const struct opd_image *image, int result)
{
	struct opd_storage *k = arg;
	int fd = result ? -1 : opd_tables_open(k->unwind_files, image);

	if (result) {
		opd_unwind_tables_give_up(k->unwind, image,
					  result == -EFBIG ? OPROFILE_UW_TABLE_SIZE
							   : OPROFILE_UW_NO_ROW);
		return;
	}
	if (fd < 0)
		return;
	/* If a table cannot be loaded, it may be incomplete because of a power cut: delete its
	 * file, so that the table is made again. */
	if (opd_unwind_tables_load(k->unwind, image, fd) == -EINVAL)
		opd_tables_remove(k->unwind_files, image);
	close(fd);
}

static uint64_t waiting_samples(void *arg, const struct opd_image *image)
{
	const struct opd_storage *k = arg;

	return opd_unwind_tables_missed(k->unwind, image);
}

/* Load or request the unwind table of an image for which a stack walk found no table. The table may
 * be in the user's cache. Or an earlier request was dropped because too many files were waiting. */
static void want_unwind(void *arg, const struct opd_image *image)
{
	struct opd_storage *k = arg;
	struct opd_identity identity = { .fd = -1 };
	int fd, err;

	if (!image->identity.build) {
		/*
		 * The file could not be opened at its first sample. Do not retry: another file may
		 * have the same name now, and retries could block on a file system that does not
		 * answer. Most code in a memfd is JIT code without an unwind table, so walks follow
		 * its frame pointers.
		 */
		opd_unwind_tables_give_up(k->unwind, image,
					  opd_is_memfd(image->path) ? OPROFILE_UW_NO_ROW :
								      OPROFILE_UW_NO_FILE);
		return;
	}
	fd = opd_tables_open(k->unwind_files, image);
	if (fd >= 0) {
		close(fd);
		unwind_done(k, image, 0);
		return;
	}
	if (!opd_tables_wants(k->unwind_files, image))
		return;
	err = opd_finder_find(k->finder, &identity, image->path, image->dev, image->ino, 0);
	if (!err && identity.identity.build == image->identity.build && identity.fd >= 0)
		opd_tables_offer(k->unwind_files, image, &identity);
	else if (!err || err == -ENOENT)
		/* The file was deleted or replaced before its unwind table was made. */
		opd_unwind_tables_give_up(k->unwind, image, OPROFILE_UW_NO_FILE);
	opd_identity_release(&identity);
}

static bool wait_unwind(void *arg, int ms)
{
	struct opd_storage *k = arg;

	if (ms && opd_tables_busy(k->unwind_files))
		opd_tables_wait(k->unwind_files, ms);
	else
		opd_made_files_wait(k->made_files, ms);
	return opd_tables_busy(k->unwind_files) || opd_made_files_wait(k->made_files, 0);
}

struct preparation {
	struct opd_storage *k;
	uint64_t end_ms;
};

/* Request the symbol and unwind tables of a running program's image. The queue of requests is
 * short, so wait until a helper process is free before the next image is queued. */
static void prepare_image(void *arg, const struct opd_image *image,
			  const struct opd_identity *identity)
{
	struct preparation *p = arg;
	uint64_t now = op_now_ms();

	opd_tables_offer(p->k->unwind_files, image, identity);
	if (now < p->end_ms)
		opd_tables_wait_idle(p->k->unwind_files, (int)(p->end_ms - now));
}

void opd_storage_prepare(struct opd_storage *k)
{
	struct preparation p = {k, op_now_ms() +
					   (k->cfg->nr_pids ? UNWIND_WAIT_FEW_MS : UNWIND_WAIT_MS)};
	uint64_t now;
	int err;

	if (!k->unwind_files)
		return;
	err = opd_running_each(k->images, "/proc", k->cfg->pids, k->cfg->nr_pids, p.end_ms,
			       prepare_image, &p);
	if (err)
		opd_log(k->log, OPD_WARN,
			"cannot list the running programs to make their unwind tables: %s",
			op_strerror(err));
	now = op_now_ms();
	if (now < p.end_ms)
		opd_tables_wait(k->unwind_files, (int)(p.end_ms - now));
}

/* Delete the unwind tables that earlier versions of the daemon stored in the session directory. */
static void delete_old_unwind(struct opd_storage *k)
{
	const char *const name = OLD_UNWIND_DIR;

	if (renameat(k->session->samples_fd, OP_SESSION_UNWIND_DIR, k->session->samples_fd, name) ==
	    0)
		opd_delete_later(k->session->samples_fd, &name, 1);
}

/*
 * Create *@ret, which makes and stores tables of the kind that @setup describes. Store the tables
 * in the user's cache, which all sessions of the user share, or in the directory @dir beside the
 * sessions if the cache cannot be used. Return 0, or a negative errno with a message in @error.
 */
static int create_tables(struct opd_storage *k, struct opd_tables **ret,
			 struct opd_tables_setup setup, const char *dir, struct op_reason *error)
{
	char *cache = op_cache_dir();
	int made, err;

	setup.finder = k->finder;
	setup.log = k->log;
	setup.dir_fd = opd_tables_cache_open(cache, k->cfg, k->session->samples_fd,
					     setup.kind == &opd_symbol_tables);
	if (setup.dir_fd >= 0 && setup.kind == &opd_stack_tables)
		delete_old_unwind(k);
	if (setup.dir_fd < 0) {
		if (setup.dir_fd != -ENOTSUP)
			opd_log(k->log, OPD_INFO,
				"%s are stored in the session directory, because the daemon "
				"cannot open or make %s: %s",
				setup.kind->what, cache ? cache : "a cache directory",
				op_strerror(setup.dir_fd));
		setup.dir_fd = opd_open_dir_at(k->session->samples_fd, dir, 0755, &made);
		setup.in_memory = k->cfg->intervals.interval != 0;
	}
	if (op_cache_max_bytes(&setup.max_bytes, cache))
		opd_log(k->log, OPD_WARN,
			"cannot use " OP_CACHE_SIZE_ENV
			"=%s as the size limit of the cache: set it to " OP_SIZE_RULE
			", at least %u MB; the daemon uses %u MB",
			getenv(OP_CACHE_SIZE_ENV), (unsigned int)(OP_CACHE_LEAST_BYTES >> 20),
			(unsigned int)(OP_CACHE_BYTES >> 20));
	if (k->cfg->cache_size)
		setup.max_bytes = k->cfg->cache_size;
	if (setup.in_memory && setup.max_bytes > k->cfg->intervals.max_bytes / TABLES_SHARE)
		setup.max_bytes = k->cfg->intervals.max_bytes / TABLES_SHARE;
	free(cache);
	err = setup.dir_fd < 0 ? setup.dir_fd : opd_tables_create(ret, &setup);
	return err ? op_fail(error, err, "cannot open or make the directory of %s, %s/%s: %s",
			     setup.kind->what, k->session->paths.samples, dir, op_strerror(err))
		   : 0;
}

/* Create the objects that record call paths. They need unwind tables only for live processes: the
 * stacks of a recorded stream are already unwound. */
static int create_paths(struct opd_storage *k, struct op_reason *error)
{
	const struct opd_config *cfg = k->cfg;
	struct opd_tables_setup setup = {
		.kind = &opd_stack_tables,
		.done = unwind_done,
		.waiting = waiting_samples,
		.arg = k,
		.own_max_bytes = UINT64_MAX,
	};
	struct opd_tables **made;
	int err;

	if (!cfg->paths.depth)
		return 0;
	err = opd_paths_create(&k->paths, cfg, k->session, k->kernel, k->images,
			       &k->accounting->stats, k->log);
	if (err)
		return err;
	opd_sample_cache_at_once(k->cache);
	k->attribution.paths = k->paths;
	if (cfg->source == OPD_SOURCE_REPLAY)
		return 0;
	opd_paths_set_jit(k->paths, k->jit);
	err = opd_unwind_tables_create(&k->unwind, want_unwind, k);
	if (err)
		return err;
	err = create_tables(k, &k->unwind_files, setup, OP_SESSION_UNWIND_DIR, error);
	if (!err)
		err = opd_made_files_create(&k->made_files, k->jit);
	if (!err) {
		made = opd_made_files_setup(k->made_files, &setup);
		err = create_tables(k, made, setup, OP_SESSION_UNWIND_DIR, error);
	}
	if (err)
		return err;
	opd_unwind_tables_set_wait(k->unwind, wait_unwind, k);
	opd_images_set_unwind(k->images, k->unwind);
	opd_images_set_made(k->images, opd_made_files_tables(k->made_files));
	opd_images_report_new(k->images, offer_tables, k);
	return 0;
}

/* Create the objects that read live processes and their files. A recorded stream does not need
 * these objects. */
static int create_live(struct opd_storage *k, struct op_reason *error)
{
	const struct opd_config *cfg = k->cfg;
	const struct opd_tables_setup setup = {
		.kind = &opd_symbol_tables,
		.done = opd_symbol_table_done,
		.own_max_bytes = cfg->symbols,
	};
	int err;

	k->jit = opd_jit_create("/proc", "/tmp", OP_SUBUID, k->finder);
	if (!k->jit)
		return -ENOMEM;
	if (cfg->intervals.interval)
		opd_jit_limit(k->jit, cfg->intervals.max_bytes / JIT_SHARE);
	k->attribution.jit = k->jit;
	if (cfg->set.separate & OP_SEPARATE_THREAD) {
		err = opd_task_names_create(&k->task_names, "/proc");
		if (err)
			return err;
		k->attribution.names = k->task_names;
	}
	if (!cfg->symbols)
		return 0;
	err = create_tables(k, &k->tables, setup, OP_TABLES_DIR, error);
	if (err)
		return err;
	opd_images_report_new(k->images, offer_tables, k);
	return 0;
}

/* Store --cache-size as the size limit of the user's cache, for all programs of this user. */
static void set_cache_limit(const struct opd_storage *k)
{
	char *cache = k->cfg->cache_size ? op_cache_dir() : NULL;
	int err = k->cfg->cache_size ? op_cache_set_limit(cache, k->cfg->set.cache_size) : 0;

	if (err)
		opd_log(k->log, OPD_WARN, "cannot write the size limit of the cache %s: %s",
			cache ? cache : "(no HOME)", op_strerror(err));
	free(cache);
}

int opd_storage_create(struct opd_storage *k, struct op_reason *error)
{
	int err;

	err = opd_images_create(&k->images);
	if (!err && k->cfg->source != OPD_SOURCE_REPLAY) {
		/* Fork the finder's process first, so that it inherits as little memory and as few
		 * descriptors as possible. */
		err = opd_finder_create(&k->finder, "/proc", OP_SUBUID, k->log);
		opd_images_set_finder(k->images, k->finder);
	}
	if (!err && k->cfg->set.separate & OP_SEPARATE_UNIT)
		err = opd_cgroups_create(&k->cgroups, opd_cgroups_mountinfo());
	if (!err)
		opd_images_set_cgroups(k->images, k->cgroups);
	if (!err)
		err = opd_storage_create_kernel(k, error);
	if (err)
		return err;
	set_cache_limit(k);
	err = create_files(k);
	if (!err && k->cfg->source != OPD_SOURCE_REPLAY)
		err = create_live(k, error);
	if (!err)
		err = create_paths(k, error);
	if (!err)
		opd_accounting_attach(k->accounting, k->cache, k->jit);
	return err;
}

static void write_build_ids(struct opd_storage *k)
{
	int err = opd_build_id_file_write(k->images, &k->nr_build_ids, k->session->current_fd);

	if (err)
		opd_log(k->log, OPD_WARN, "cannot write the build-ids of the programs: %s",
			op_strerror(err));
}

static void write_task_names(struct opd_storage *k)
{
	int err = opd_task_names_write(k->task_names, k->session->current_fd);

	if (err)
		opd_log(k->log, OPD_WARN, "cannot write the names of the threads: %s",
			op_strerror(err));
}

/* Wait for symbol tables that are being made: a dump waits only a short time, the daemon's end
 * (@last) waits longer. */
static void write_tables(struct opd_storage *k, bool last)
{
	uint64_t end = op_now_ms() + (last ? TABLES_END_MS : TABLES_WAIT_MS);

	opd_tables_catch_up(k->tables, k->images);
	/* At the daemon's end, also wait for unwind tables. The next profile on this machine then
	 * has the tables from its first sample on. */
	while ((opd_tables_busy(k->tables) || (last && opd_tables_busy(k->unwind_files))) &&
	       op_now_ms() < end) {
		opd_tables_wait(k->tables, 20);
		opd_tables_wait(last ? k->unwind_files : NULL, 20);
		opd_sampling_read_between(k->sampling);
	}
}

/* Copy one slice of a JIT file to the session. The slice is small, because reading samples is more
 * urgent. */
static void work_on_jit(struct opd_storage *k)
{
	int err = opd_jit_work(k->jit, k->session->current_fd, op_now_ms());

	if (err && !k->jit_failed)
		opd_log(k->log, OPD_WARN,
			"cannot copy JIT files to the session: %s", op_strerror(err));
	k->jit_failed |= err != 0;
}

static void finish_jit(struct opd_storage *k)
{
	uint64_t end = op_now_ms() + JIT_WAIT_MS;

	opd_jit_begin(k->jit, true);
	while (opd_jit_busy(k->jit) && op_now_ms() < end) {
		work_on_jit(k);
		opd_sampling_read_between(k->sampling);
	}
}

/* Write the session's metadata file (about.h). Ignore errors: a full disk is reported by the
 * totals, and reports work without this file. */
static void write_about(struct opd_storage *k, int samples_fd)
{
	char *packer = k->cfg->intervals.interval ? opd_intervals_program() : NULL;

	opd_about_write(&k->about, k->cfg, k->sampling->limits, k->sampling->running,
			opd_tables_program(k->tables), packer, samples_fd);
	free(packer);
}

void opd_storage_write_about(struct opd_storage *k)
{
	write_about(k, k->session->current_fd);
}

/* Write the small files of the session, each of which is rewritten as a whole. */
static void write_small_files(struct opd_storage *k)
{
	write_build_ids(k);
	write_task_names(k);
}

/* Start to write all sample files and trees of call paths to disk. */
static int write_files(struct opd_storage *k)
{
	int err, err2;

	opd_accounting_check_files(k->accounting);
	err = opd_sample_cache_sync(k->cache);
	err2 = opd_paths_sync(k->paths);
	return err ? err : err2;
}

/* End a sync. @err: error of writing the sample files, which is logged, or 0. Return @err. */
static int synced(struct opd_storage *k, int err)
{
	if (err)
		opd_log(k->log, OPD_ERROR, "cannot write sample files to disk: %s",
			strerror(-err));
	k->synced_ms = op_now_ms();
	k->is_syncing = false;
	return err;
}

/*
 * Write the other files of the session after the sample files: if the daemon is killed between the
 * two steps, op_recover_stored() adds the samples that the totals do not include. @err: error of
 * writing the sample files.
 */
static int end_sync(struct opd_storage *k, int err)
{
	int err2;

	write_small_files(k);
	opd_jit_begin(k->jit, false);
	/* Write the totals before the metadata file: on a full disk, the reserved space may be
	 * enough for only one of the two files. */
	err2 = opd_accounting_write(k->accounting);
	if (k->sampling->running)
		opd_storage_write_about(k);
	err = synced(k, err);
	return err ? err : err2;
}

int opd_storage_sync(struct opd_storage *k)
{
	return end_sync(k, write_files(k));
}

int opd_storage_begin(struct opd_storage *k)
{
	/* Without kernel symbols, the session would be continued under another kernel after this
	 * daemon was killed. If the session has symbols, opd_storage_turn() writes them again
	 * later: they take more time than the rest of the start, and sampling has to wait. */
	if (faccessat(k->session->current_fd, OP_KERNEL_SYMS_FILE, F_OK, 0) < 0)
		opd_storage_write_kernel_symbols(k, false);
	return opd_storage_sync(k);
}

/* Do one step of a sync. To write thousands of files at once would take a tenth of a second. */
static void sync_step(struct opd_storage *k)
{
	int err, err2;

	if (!k->is_syncing) {
		opd_accounting_check_files(k->accounting);
		opd_sample_cache_begin_sync(k->cache);
		opd_paths_begin_sync(k->paths);
		k->is_syncing = true;
	}
	err = opd_sample_cache_sync_step(k->cache);
	err2 = err > 0 ? 0 : opd_paths_sync_step(k->paths);
	if (err <= 0 && err2 <= 0)
		end_sync(k, err ? err : err2);
}

void opd_storage_finish_names(struct opd_storage *k, bool last)
{
	finish_jit(k);
	write_tables(k, last);
	opd_storage_write_kernel_symbols(k, true);
}

/* Write the totals and the other files, after the sample files were written. @err: error of writing
 * the sample files. */
static int write_rest(struct opd_storage *k, int err)
{
	int err2;

	write_small_files(k);
	opd_accounting_balance(k->accounting);
	err2 = opd_accounting_write(k->accounting);
	opd_storage_write_about(k);
	err = synced(k, err);
	return err ? err : err2;
}

int opd_storage_end_session(struct opd_storage *k)
{
	int err;

	opd_storage_finish_names(k, false);
	opd_accounting_check_files(k->accounting);
	err = write_rest(k, 0);
	opd_storage_close_files(k);
	return err;
}

/* Call syncfs() once: fsync() of hundreds of files would cause a commit of the file system's
 * journal for each file. */
int opd_storage_sync_all(struct opd_storage *k, bool last)
{
	int err;

	opd_storage_finish_names(k, last);
	err = write_rest(k, write_files(k));
	if (syncfs(k->session->current_fd) < 0 && !err)
		err = synced(k, -errno);
	return err;
}

void opd_storage_close_files(struct opd_storage *k)
{
	opd_sample_cache_close_all(k->cache);
	opd_paths_close_all(k->paths);
	opd_cgroups_new_session(k->cgroups);
}

int opd_storage_prepare_next(struct opd_storage *k, int next_fd)
{
	int err = opd_settings_write(k->cfg, next_fd);

	/* If the new session has no hard link to the current session's file of kernel symbols,
	 * write the symbols. */
	if (!err && faccessat(next_fd, OP_KERNEL_SYMS_FILE, F_OK, 0) < 0)
		err = opd_kernel_snapshot(k->kernel, next_fd, NULL, NULL);
	/* Write the metadata file now, because it contains the time of the session's start. */
	if (!err && k->sampling->running)
		write_about(k, next_fd);
	return err;
}

void opd_storage_restart(struct opd_storage *k)
{
	opd_sample_cache_restart(k->cache);
	opd_images_new_session(k->images);
	k->nr_build_ids = 0;
	opd_jit_restart(k->jit);
	opd_task_names_restart(k->task_names);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t opd_storage_due(const struct opd_storage *k)
{
	uint64_t due = UINT64_MAX;

	if (opd_jit_busy(k->jit) || k->is_syncing || opd_sample_cache_is_closing(k->cache) ||
	    opd_paths_is_closing(k->paths))
		return 0;
	if (opd_sample_cache_dirty(k->cache) || opd_paths_dirty(k->paths))
		due = k->synced_ms + SYNC_MS;
	if (opd_tables_busy(k->tables) || opd_tables_busy(k->unwind_files) ||
	    opd_made_files_busy(k->made_files) ||
	    (k->sampling->running && opd_kernel_snapshot_due(k->kernel, true)))
		due = sooner(due, op_now_ms() + LOOK_AGAIN_MS);
	return due;
}

static void note_use(void *arg, const struct opd_image *image)
{
	const struct opd_storage *k = arg;

	opd_tables_use(k->unwind_files, image);
}

/* Once an hour, update the time of last use of the unwind tables that are in use: the daemon opens
 * a table only once, but may use it for months. */
static void note_uses(struct opd_storage *k)
{
	uint64_t now = op_now_ms();

	if (!k->unwind || now - k->uses_noted_ms < NOTE_USE_MS)
		return;
	k->uses_noted_ms = now;
	opd_unwind_tables_each_used(k->unwind, note_use, k);
}

/* Return the number of bytes of mapped files that are in this process's memory. */
static uint64_t mapped_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t all, pages = 0;

	if (f && fscanf(f, "%*u %" SCNu64 " %" SCNu64, &all, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * If the mapped unwind tables use more than their part of the daemon's memory limit, free their
 * pages: users determine the number and size of these tables. The kernel reports only the sum of
 * all mapped files, which includes sample files and, on some kernels, the rings of perf_events. So
 * remember the sum just after the pages were freed, and compare the increase since then with the
 * limit.
 */
static void limit_memory(struct opd_storage *k)
{
	const uint64_t now = op_now_ms();
	uint64_t mapped;

	if (!k->cfg->memory || !k->unwind || now - k->memory_seen_ms < LOOK_AT_MEMORY_MS)
		return;
	k->memory_seen_ms = now;
	mapped = mapped_bytes();
	if (mapped < k->mapped_others)
		k->mapped_others = mapped;
	if (mapped - k->mapped_others <= k->cfg->memory / OPD_MEMORY_FILES)
		return;
	opd_unwind_tables_relieve(k->unwind);
	k->mapped_others = mapped_bytes();
}

void opd_storage_turn(struct opd_storage *k)
{
	opd_tables_turn(k->tables);
	opd_tables_turn(k->unwind_files);
	opd_made_files_turn(k->made_files);
	opd_jit_hold_more(k->jit);
	opd_sample_cache_close_step(k->cache);
	opd_paths_close_step(k->paths);
	if (k->is_syncing ||
	    (opd_sample_cache_dirty(k->cache) && op_now_ms() - k->synced_ms >= SYNC_MS))
		sync_step(k);
	else
		opd_storage_write_kernel_symbols(k, false);
	work_on_jit(k);
	note_uses(k);
	limit_memory(k);
}
