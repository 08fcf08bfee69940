# SPDX-License-Identifier: GPL-2.0-or-later
"""months.py TOP WORK INTERVAL DAYS KEEP KILLS CUTS FULL YEARS SEED -- simulates a machine on which oprofiled runs for so
many days with intervals of INTERVAL seconds: the load of a server, and at some hours a busy machine that runs many programs.
Meanwhile the daemon and opintervals are killed, the power fails, the disk is full, the clock is set back by two hours and
forward by a year, the machine is booted and a library is upgraded. Each day, and at the end for many ranges of days, the
report has what was delivered, function by function."""
import calendar
import collections
import os
import random
import sys
import time

from machine import Batch, Image, Machine

INTERVAL = int(sys.argv[3])
DAY = 86400
A_DAY = DAY // INTERVAL
YEAR = 365 * DAY
CAP = 16 << 20
DISK_FULL = 3       # intervals


class Months:
    def __init__(self, top, work, days, keep, kills, cuts, full, years, seed):
        self.rng = random.Random(seed)
        self.begin = 1788220800     # 2026-09-01 00:00 UTC
        self.first_begin = self.begin
        self.days = days
        self.left = 0       # intervals for which something was left
        self.work = work
        nr = days * DAY // INTERVAL
        self.machine = Machine(top, work, self.begin, ['--interval=%d' % INTERVAL, '--keep=' + keep, '--max-disk=%d' % CAP])
        # The range of days must not cut an interval that a kill has made longer or shorter.
        chosen = self.rng.sample([n for n in range(3, nr) if A_DAY // 6 < n % A_DAY < A_DAY - A_DAY // 6 and
                                  n < nr - A_DAY // 3], kills + cuts + full + 5)
        self.events = {}
        others = 1 if kills else 0      # else nothing disturbs the machine
        for kind, n in (('kill', kills), ('cut', cuts), ('full', full), ('boot', 3 * others), ('upgrade', others),
                        ('back', others)):
            for _ in range(n):
                self.events[chosen.pop()] = kind
        self.year = (days * 5 // 6) * A_DAY - 3 if years else None
        if years:
            self.events[self.year] = 'year'
        self.is_ever_full = full > 0
        self.free_at = 0        # the disk is full until this interval
        self.samples = {}       # by the begin of an interval: counts by function
        self.checked = 0
        self.daily, self.oldest_daily, self.waiting_daily = [], [], []
        self.server = [Image(work + '/server', 'server_', 300, 1), Image(work + '/libused.so', 'used_', 200, 2)]
        self.programs = [Image('%s/program%d' % (work, i), 'program%d_' % i, 150, 100 + i) for i in range(16)]
        for image in self.server + self.programs:
            self.machine.add_cookie(image)
        self.make_batches()

    def make_batches(self):
        self.quiet = [Batch(self.server, 150, self.rng) for _ in range(12)]
        self.busy = [Batch(self.server + self.rng.sample(self.programs, 8), 200, self.rng) for _ in range(24)]

    def upgrade(self):
        """Another build of the library takes the path of the old one."""
        self.server[1] = Image(self.work + '/libused.so', 'used_', 200, 3)
        self.machine.add_cookie(self.server[1])
        self.make_batches()

    def batch(self, at):
        """A machine is busy at noon and at night, when it makes a backup."""
        hour = at % DAY // 3600
        return self.rng.choice(self.busy if hour in (3, 11, 12, 13) else self.quiet)

    def stored(self, begin, end):
        # An interval ends a second after its time.
        counts, (taken, stored, lost), text = self.machine.functions(begin + 5, end - 5)
        if sum(counts.values()) != stored:
            self.fail('%d..%d: %d samples stored, %d in the report: %s'
                      % (begin, end, stored, sum(counts.values()), text[:2000]))
        if taken < stored:
            self.fail('%d..%d: %d samples taken, %d stored' % (begin, end, taken, stored))
        if taken != stored + lost:
            self.fail('%d..%d: %d samples taken, %d stored, %d lost by name' % (begin, end, taken, stored, lost))
        return counts

    def fail(self, text):
        raise AssertionError(text)

    def check(self, begin, end, what):
        """The report of a time has what was delivered in it, function by function."""
        expected = collections.Counter()
        for at in range(begin, end, INTERVAL):
            expected.update(self.samples.get(at, {}))
        if not expected:
            return
        got = self.stored(begin, end)
        self.checked += 1
        if got != expected:
            wrong = [(name, got[name], expected[name]) for name in set(got) | set(expected)
                     if got[name] != expected[name]]
            self.fail('%s: %d samples, not %d; %d functions differ, first %s: %d, not %d'
                      % (what, sum(got.values()), sum(expected.values()), len(wrong), *sorted(wrong)[0]))

    def settle(self, at, fed):
        """After a kill: what the interval has is at most what was delivered, and stays what it is."""
        # A killed daemon noted the end of its session up to ten seconds too early, so compare the whole day.
        day = at - at % DAY
        got = self.stored(day, at + INTERVAL)
        for before in range(day, at, INTERVAL):
            got.subtract(self.samples.get(before, {}))
        for name, count in got.items():
            if not 0 <= count <= fed[name]:
                self.fail('interval %d: %s has %d samples, but %d were delivered' % (at, name, count, fed[name]))
        self.samples[at] = collections.Counter({name: count for name, count in got.items() if count})

    def fill_disk(self, is_full):
        path = self.machine.disk + '/other'
        if not is_full:
            os.unlink(path)
            return
        try:
            with open(path, 'wb', buffering=0) as out:
                while out.write(bytes(65536)):
                    pass
        except OSError:
            pass

    def feed(self, kind, batch):
        """Deliver @batch, and let the machine fail in this interval. Return whether the daemon lives."""
        m = self.machine
        if kind == 'kill':
            m.put(self.rng.choice(['kill_daemon', 'kill_child']), 1 + int(self.rng.expovariate(.01)))
        elif kind == 'cut':
            m.keep(True)
        elif kind == 'full':
            self.fill_disk(True)
        is_alive = m.feed(batch)
        if is_alive and kind == 'cut' and self.rng.random() < .5:
            m.advance(m.now() + 20)
            is_alive = m.wait_idle()
        return is_alive

    def begin_again(self, kind, at):
        """Boot the machine, or upgrade the library while the daemon does not run. Return what is delivered then."""
        m = self.machine
        m.end()
        if kind == 'boot':
            m.boot()
        else:
            self.upgrade()
        m.start()
        return self.batch(at)

    def fail_now(self, kind):
        """End the daemon at any moment of closing, packing, merging or deleting. Start the next one."""
        m = self.machine
        if kind == 'cut' or self.rng.random() < .5:
            m.turn(self.rng.randrange(20))
        else:
            m.wait_idle()
        if kind == 'cut':
            m.cut_power(self.rng)
        else:
            m.kill(self.rng.random() < .5)
        m.start()

    def change_clock(self, kind, at):
        m = self.machine
        self.idle()
        if kind == 'back':
            m.set_time(m.now() - 7200)
            self.begin -= 7200
            self.idle()
            return
        batch = self.batch(at)
        m.set_time(m.now() + YEAR)
        self.idle()
        m.feed(batch)
        self.idle()
        self.samples[at + YEAR] = batch.counts
        m.set_time(m.now() - YEAR)
        self.idle()

    def idle(self):
        if not self.machine.wait_idle():
            self.fail('the daemon ended: ' + self.machine.log()[-2000:])
        self.machine.look()

    def interval(self, n):
        m, at, kind = self.machine, self.begin + n * INTERVAL, self.events.get(n)
        batch = self.batch(at)
        if self.free_at and n >= self.free_at:
            self.fill_disk(False)
            self.free_at = 0
        m.advance(at + self.rng.randrange(20, INTERVAL - 60))
        if kind in ('boot', 'upgrade'):
            batch = self.begin_again(kind, at)
        if kind == 'full':
            self.free_at = n + DISK_FULL
        # When the clock jumps, a process that makes a table seems to be too slow.
        if self.feed(kind, batch) and (n < A_DAY or kind == 'upgrade') and kind not in ('kill', 'cut'):
            self.idle()
        if kind in ('back', 'year'):
            self.change_clock(kind, at)
        m.advance(self.begin + (n + 1) * INTERVAL + 1)
        if kind in ('kill', 'cut'):
            self.fail_now(kind)
        self.idle()
        if kind in ('kill', 'cut') or self.free_at:
            self.settle(at, batch.counts)
        else:
            self.samples.setdefault(at, collections.Counter()).update(batch.counts)
            self.find_left(n)

    def find_left(self, n):
        """Packing has left nothing, except after a full disk, when the daemon tries again later and later."""
        left = [name for name in os.listdir(self.machine.store)
                if name.startswith('.new') or name.endswith('.session')]
        self.left = self.left + 1 if left else 0
        if self.left > 10:
            self.fail('interval %d: %s stay' % (n, left))

    def last_day(self, n):
        at = self.begin + (n + 1) * INTERVAL
        if at % DAY:
            return
        # Below the time at which a wrong clock made months, the sums of single days are not exact.
        if self.year is None or n > self.year + A_DAY or n < self.year:
            self.check(at - DAY, at, 'the last day')
        self.daily.append(self.machine.bytes())
        self.oldest_daily.append(self.oldest())
        self.waiting_daily.append(any(name.endswith('.session') for name in os.listdir(self.machine.store)))
        if self.daily[-1] > CAP:
            self.fail('day %d: %d bytes are more than --max-disk' % (len(self.daily), self.daily[-1]))
        print('day %d: %d bytes, %d intervals' %
              (len(self.daily), self.daily[-1], len(os.listdir(self.machine.store))), flush=True)

    def check_ranges(self):
        """Any range of days, and all."""
        first = self.begin + (self.year + A_DAY) * INTERVAL if self.year else self.oldest()
        first += -first % DAY
        last = self.begin + self.days * DAY
        days = max(0, (last - last % DAY - first) // DAY)
        for _ in range(min(40, days)):
            begin = first + self.rng.randrange(days) * DAY
            end = begin + self.rng.randrange(1, (last - begin) // DAY + 1) * DAY
            self.check(begin, end, 'days %d to %d' % ((begin - first) // DAY, (end - first) // DAY))
        if self.oldest() <= self.first_begin + 10:
            self.check(self.first_begin - DAY, last + 2 * YEAR, 'all')

    def check_flat(self):
        """When --keep has deleted the oldest interval, the disk space in use stays within two percent, but for the
        month that intervals of a month need to become complete. A full disk deletes the oldest ones as well. A closed
        session that is not packed yet needs more space than its interval, so days that end with one do not count."""
        if self.is_ever_full:
            return
        full = [n for n, oldest in enumerate(self.oldest_daily) if oldest > self.first_begin + DAY]
        if not full:
            return
        days = list(zip(self.daily, self.waiting_daily))[full[0] + 1:]
        after = [size for size, is_waiting in days if not is_waiting]
        if not after:
            self.fail('each day after --keep ended with a session that is not packed')
        print('after day %d: %d to %d bytes' % (full[0] + 2, min(after), max(after)))
        if max(after) > 1.02 * min(after):
            self.fail('the directory grows or shrinks by more than 2 %% after --keep')

    def oldest(self):
        """The begin of the oldest interval."""
        return min(parse_time(name) for name in os.listdir(self.machine.store) if name.endswith('.opi'))

    def run(self):
        m = self.machine
        m.start()
        for n in range(self.days * A_DAY):
            self.interval(n)
            self.last_day(n)
        self.check_ranges()
        m.end()
        self.check_flat()
        print('%d reports are right; at most %d bytes of %d' % (self.checked, m.most_bytes, CAP))
        if m.most_bytes > CAP:
            self.fail('the session directory had %d bytes, more than --max-disk=%d' % (m.most_bytes, CAP))


def parse_time(name):
    return calendar.timegm(time.strptime(name[:15], '%Y%m%dT%H%M%S'))


def main():
    top, work = sys.argv[1:3]
    days, keep = int(sys.argv[4]), sys.argv[5]
    months = Months(top, work, days, keep, *(int(word) for word in sys.argv[6:]))
    try:
        months.run()
    except AssertionError as error:
        print('FAILED: %s' % error)
        sys.exit(1)
    finally:
        months.machine.kill()


main()
