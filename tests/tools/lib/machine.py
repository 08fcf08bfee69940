# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine whose clock, kernel module and power a test drives: oprofiled, opintervals and opreport run on it with
tests/tools/machine.c preloaded. See tests/tools/lib/months.py."""
import array
import collections
import fcntl
import mmap
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import termios
import time

ESCAPE = (1 << 64) - 1
CTX_SWITCH, CTX_TGID, COOKIE_SWITCH, KERNEL_EXIT, COUNT = 1, 7, 3, 5, 16
PATH, PATH_NODE, PATH_IMAGE, PATHS_ANEW = 19, 20, 21, 22
NANO = 1000000000
PIPE_BYTES = 1 << 20
STUCK_S = 120      # of this machine's clock, which may be busy


class Image:
    """A library of functions without instructions. The offset of an address in its file is its address."""

    def __init__(self, path, prefix, nr, seed):
        self.path = path
        self.functions = []     # (name, offset, size)
        rng = random.Random(seed)
        with open(path + '.s', 'w', encoding='ascii') as out:
            out.write('.text\n')
            for i in range(nr):
                size = rng.randrange(2, 20) * 16
                out.write('.globl %s%d\n.type %s%d,@function\n%s%d: .skip %d\n.size %s%d, %d\n'
                          % (prefix, i, prefix, i, prefix, i, size, prefix, i, size))
        subprocess.run(['gcc', '-shared', '-nostdlib', '-Wl,-z,noseparate-code,--build-id', '-o', path + '.new',
                        path + '.s'], check=True)
        os.rename(path + '.new', path)
        os.unlink(path + '.s')
        for line in subprocess.run(['nm', '-S', path], check=True, capture_output=True,
                                   text=True).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[3].startswith(prefix):
                self.functions.append((words[3], int(words[0], 16), int(words[1], 16)))
        self.cookie = 0


class Batch:
    """What the module delivers at once: words of its stream, and the counts by function."""

    def __init__(self, images, addresses, rng):
        words = array.array('Q', [ESCAPE, PATHS_ANEW])
        self.counts = collections.Counter()
        self.taken = 0
        nodes = {}

        def node(caller, image, offset):
            key = (caller, image, offset)
            if key not in nodes:
                nodes[key] = len(nodes) + 1
                words.extend([ESCAPE, PATH_NODE, nodes[key], caller, image + 1, 0, offset])
            return nodes[key]

        for i, image in enumerate(images):
            words.extend([ESCAPE, PATH_IMAGE, i + 1, image.cookie, 0, 0, 0, 1000 + image.cookie])
        for i, image in enumerate(images):
            words.extend([ESCAPE, CTX_SWITCH, 1000 + image.cookie, image.cookie, ESCAPE, CTX_TGID,
                          1000 + image.cookie, ESCAPE, KERNEL_EXIT, ESCAPE, COOKIE_SWITCH, image.cookie])
            for _ in range(addresses):
                name, begin, size = rng.choice(image.functions)
                offset, count = begin + rng.randrange(size), 1 + int(rng.paretovariate(1.2)) % 5000
                caller = node(0, i, image.functions[0][1] + 5)
                caller = node(caller, i, image.functions[rng.randrange(20)][1] + 5)
                words.extend([ESCAPE, PATH, node(caller, i, offset), 0, ESCAPE, COUNT, count, offset, 0])
                self.counts[name] += count
                self.taken += count
        self.words = words.tobytes()


class Machine:
    NAMES = ('boottime', 'suspended', 'realtime', 'step', 'kill_daemon', 'kill_child', 'is_kept', 'seen', 'wait', 'turns', 'spawned')

    def __init__(self, top, work, begin, options):
        self.top, self.work, self.options = top, work, options
        self.disk = work + '/disk'      # the session's; a test may fill it
        self.session = self.disk + '/session'
        self.store = self.session + '/samples/.intervals'
        self.path = work + '/machine'
        self.daemon = None
        self.received = 0
        self.most_bytes = 0
        self.is_reading = False
        self.nr_cookies = 0
        os.makedirs(self.path + '.d/cookies')
        for directory in ('daemon', 'intervals', 'cache', 'run', 'fs/stats', 'fs/timer', 'disk/session'):
            os.makedirs(work + '/' + directory, exist_ok=True)
        os.chmod(work + '/run', 0o700)
        os.makedirs(self.disk + '/kept')
        os.symlink(self.disk + '/kept', self.path + '.d/kept')      # for links to what is deleted
        with open(self.path, 'wb') as out:
            out.write(bytes(8 * len(self.NAMES)))
        with open(self.path, 'r+b') as shared:
            self.shared = memoryview(mmap.mmap(shared.fileno(), 8 * len(self.NAMES))).cast('q')
        subprocess.run(['gcc', '-std=gnu11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC',
                        '-I', top, '-o', work + '/machine.so', top + '/tests/tools/machine.c'], check=True)
        # The daemon starts the programs of its own build tree, without the environment.
        os.symlink(top + '/pp', work + '/pp')
        shutil.copy(top + '/daemon/oprofiled', work + '/daemon/oprofiled')
        with open(work + '/intervals/opintervals', 'w', encoding='utf-8') as out:
            out.write('#!/bin/sh\nLD_PRELOAD=%s/machine.so MACHINE=%s exec %s/intervals/opintervals "$@"\n'
                      % (work, self.path, top))
        os.chmod(work + '/intervals/opintervals', 0o755)
        for name, text in (('enable', '0\n'), ('dump', ''), ('callgraph', '0\n'), ('buffer_size', '1\n'),
                           ('buffer_watershed', '1\n'), ('cpu_buffer_size', '1\n'), ('timer/count', '1\n')):
            with open('%s/fs/%s' % (work, name), 'w', encoding='ascii') as out:
                out.write(text)
        os.mkfifo(work + '/fs/buffer')
        self.feeder = os.open(work + '/fs/buffer', os.O_RDWR | os.O_NONBLOCK)
        fcntl.fcntl(self.feeder, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.environment = dict(os.environ, LD_PRELOAD=work + '/machine.so', MACHINE=self.path, TZ='UTC',
                                OPROFILE_CACHE_DIR=work + '/cache', XDG_RUNTIME_DIR=work + '/run',
                                OPROFILE_CONFIG=work + '/daemonrc', OPROFILE_EVENTS_DIR=top + '/events')
        self.set_time(begin)

    def get(self, name):
        return self.shared[self.NAMES.index(name)]

    def put(self, name, value):
        self.shared[self.NAMES.index(name)] = value     # at once, unlike struct.pack_into()

    def now(self):
        return time.time() + (self.get('realtime') + self.get('boottime') + self.get('suspended')) / NANO

    def set_time(self, seconds):
        """Set the clock, as an administrator does."""
        self.put('realtime', self.get('realtime') + int((seconds - self.now()) * NANO))
        self.put('step', self.get('step') + 1)

    def advance(self, seconds):
        """Let time pass until a time."""
        self.put('boottime', self.get('boottime') + max(0, int((seconds - self.now()) * NANO)))
        self.put('step', self.get('step') + 1)

    def suspend(self, seconds):
        """Let the machine sleep until a time."""
        self.put('suspended', self.get('suspended') + int((seconds - self.now()) * NANO))
        self.put('step', self.get('step') + 1)

    def boot(self):
        """The monotonic clocks begin anew."""
        now = self.now()
        self.put('boottime', -int(time.monotonic() * NANO) + 10 * NANO)
        self.put('suspended', 0)
        self.set_time(now)

    def add_cookie(self, image):
        """The file of @image is new, or was replaced."""
        st = os.stat(image.path)
        self.nr_cookies += 1
        image.cookie = self.nr_cookies
        with open('%s.d/cookies/%d' % (self.path, image.cookie), 'w', encoding='utf-8') as out:
            out.write('%s\n%d %d %d\n' % (image.path, st.st_dev, st.st_ino, int(st.st_mtime)))

    def write_received(self):
        with open(self.work + '/fs/stats/.new', 'w', encoding='ascii') as out:
            out.write('sample_received %d\n' % self.received)
        os.rename(self.work + '/fs/stats/.new', self.work + '/fs/stats/all')

    def start(self):
        self.received = 0
        self.write_received()
        self.drop()
        with open(self.work + '/daemon.out', 'ab') as out:
            self.daemon = subprocess.Popen(
                [self.work + '/daemon/oprofiled', '--session-dir=' + self.session, '--source=module',
                 '--oprofilefs=' + self.work + '/fs', '--foreground', '--start', '--callgraph', '--no-vmlinux',
                 '--separate=lib'] + self.options, env=self.environment, stdout=out, stderr=out)
        self.turn(2)

    def is_dead(self):
        return self.daemon is None or self.daemon.poll() is not None

    def children(self):
        """The processes of opintervals that run."""
        ret, self.is_reading = [], False
        try:
            with open('/proc/%d/task/%d/children' % (self.daemon.pid, self.daemon.pid), encoding='ascii') as f:
                pids = f.read().split()
        except OSError:
            return ret
        for pid in pids:
            try:
                with open('/proc/%s/stat' % pid, encoding='utf-8') as f:
                    name, _, rest = f.read().partition('(')[2].partition(')')
            except OSError:
                continue    # it has just ended
            if name == 'opintervals':
                ret.append(int(pid))
            # A process that makes tables is waiting for its next request.
            self.is_reading |= name == 'opsymbols' and rest.split()[0] in 'RD'
        return ret

    def wait(self, is_done):
        """Wait until is_done(). Return False if the daemon has ended. Look at the disk meanwhile."""
        end = time.monotonic() + STUCK_S
        n = 0
        while not is_done():
            if self.is_dead():
                return False
            if time.monotonic() > end:
                raise AssertionError("the daemon hangs: %s %s %s" % ([self.get(n) for n in self.NAMES], self.children(), self.log()[-2000:]))
            time.sleep(0.001)
            n += 1
            if n % 16 == 0:
                self.look()
        return True

    def look(self):
        self.most_bytes = max(self.most_bytes, self.bytes())

    def bytes(self):
        total = 0
        todo = [self.session]
        while todo:
            try:
                with os.scandir(todo.pop()) as entries:
                    for entry in entries:
                        try:
                            total += entry.stat(follow_symlinks=False).st_blocks * 512
                        except OSError:
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            todo.append(entry.path)
            except OSError:
                pass
        return total

    def wait_idle(self):
        """Wait until the daemon has seen the time and has nothing to do in the store."""
        first = self.get('turns') + 2
        quiet = None        # turns and processes when nothing seemed to be left

        def is_idle():
            nonlocal quiet
            turns, spawned = self.get('turns'), self.get('spawned')
            if self.get('seen') != self.get('step') or turns < first:
                return False
            if self.get('wait') <= 0 or self.children() or self.is_reading:
                quiet = None
            elif not quiet or quiet[1] != spawned:
                quiet = (turns, spawned)
            return quiet is not None and turns >= quiet[0] + 2
        return self.wait(is_idle)

    def waiting_bytes(self):
        return struct.unpack('i', fcntl.ioctl(self.feeder, termios.FIONREAD, bytes(4)))[0]

    def feed(self, batch):
        """Deliver @batch. Return whether the daemon has read all of it."""
        self.received += batch.taken
        self.write_received()
        at = 0
        while at < len(batch.words):
            try:
                at += os.write(self.feeder, batch.words[at:at + 65536])
            except BlockingIOError:
                if not self.wait(lambda: self.waiting_bytes() < PIPE_BYTES // 2):
                    return False
        # The daemon may still search files for records that it has read, so the time must not jump meanwhile.
        return self.wait(lambda: self.waiting_bytes() == 0) and self.turn()

    def turn(self, nr=1):
        """Wait until the daemon's main loop has begun so many turns, each after all that it was given before."""
        last = self.get('turns') + nr
        return self.wait(lambda: self.get('turns') > last)

    def drop(self):
        """What the module has not delivered is lost with the process that has its buffer open."""
        try:
            while os.read(self.feeder, 1 << 16):
                pass
        except BlockingIOError:
            pass

    def orphans(self):
        """The processes of opintervals in the store, also those of killed daemons."""
        ret = []
        for pid in os.listdir('/proc'):
            try:
                if pid.isdigit() and os.readlink('/proc/%s/cwd' % pid) == self.store:
                    ret.append(int(pid))
            except OSError:
                pass
        return ret

    def kill(self, with_children=True):
        if self.daemon:
            self.daemon.send_signal(signal.SIGKILL)
            self.daemon.wait()
        self.daemon = None
        self.put('kill_daemon', 0)
        self.put('kill_child', 0)
        while with_children and self.orphans():
            for pid in self.orphans():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.001)

    def end(self):
        self.daemon.send_signal(signal.SIGTERM)
        if self.daemon.wait() != 0:
            raise AssertionError('the daemon ended with status %d: %s' % (self.daemon.returncode, self.log()[-2000:]))
        self.daemon = None

    def log(self):
        try:
            with open(self.session + '/samples/oprofiled.log', encoding='utf-8', errors='replace') as f:
                return f.read()
        except OSError:
            return ''

    def report(self, *options):
        done = subprocess.run([self.top + '/pp/opreport', '--session-dir=' + self.session] + list(options),
                              env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode and 'no samples were found for this time' in done.stderr:
            return '', done.stderr
        if done.returncode:
            raise AssertionError('opreport %s: %s' % (' '.join(options), done.stderr))
        return done.stdout, done.stderr

    def functions(self, begin, end):
        """Counts by function of a time, and the header's (taken, stored, lost)."""
        out, warnings = self.report('-l', '-t', '0', '--since=@%d' % begin, '--until=@%d' % end)
        counts = collections.Counter()
        rows = False
        for line in out.splitlines():
            words = line.split()
            if rows and words:
                counts[words[-1]] += int(words[0])
            rows = rows or line.startswith('samples ')
        m = re.search(r'^Samples taken: (\d+), stored: (\d+), lost: (none|\d+)', out, re.M)
        sums = tuple(0 if word == 'none' else int(word) for word in m.groups()) if m else (0, 0, 0)
        return counts, sums, out + warnings

    def keep(self, is_on):
        """From now on keep what a power cut would bring back."""
        directory = self.path + '.d'
        shutil.rmtree(self.disk + '/kept')
        os.makedirs(self.disk + '/kept')
        if os.path.exists(directory + '/journal'):
            os.unlink(directory + '/journal')
        self.kept_since = time.time()
        self.put('is_kept', 1 if is_on else 0)

    def take_back_session(self, inodes):
        """Give the session that was synced last its content of then."""
        for path in [self.session + '/samples/current'] + [self.store + '/' + name for name in os.listdir(self.store)
                                                           if name.endswith('.session')]:
            if inodes and str(os.stat(path).st_ino) == inodes[-1]:
                shutil.rmtree(path)
                shutil.copytree(self.path + '.d/kept/current', path)

    def cut_power(self, rng):
        """End all processes. What was not on the disk is lost: the current session goes back to the last sync,
        intervals that nobody synced are empty, and some of the last deletions did not happen."""
        self.kill()
        directory = self.path + '.d'
        events = []
        if os.path.exists(directory + '/journal'):
            with open(directory + '/journal', encoding='utf-8') as f:
                events = [line.split() for line in f if line.endswith('\n')]
        self.put('is_kept', 0)
        synced = {event[1] for event in events if event[0] == 'S'}
        store = str(os.stat(self.store).st_ino)
        later = []      # the deletions that may not be on the disk
        for event in events:
            if event[0] == 'D':
                later.append(event[1])
            elif event == ['S', store]:
                later = []
        back = later[rng.randrange(len(later) + 1):]
        for name in os.listdir(self.store):
            path = self.store + '/' + name
            if name.startswith('.new') or (name.endswith('.opi') and os.stat(path).st_mtime > self.kept_since and
                                           str(os.stat(path).st_ino) not in synced):
                os.truncate(path, 0)
        self.take_back_session([event[1] for event in events if event[0] == 'F'])
        for name in back:
            if os.path.lexists(directory + '/kept/' + name) and not os.path.lexists(self.store + '/' + name):
                os.rename(directory + '/kept/' + name, self.store + '/' + name)
        return len(later), len(back)
