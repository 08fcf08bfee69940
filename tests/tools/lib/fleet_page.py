#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fleet_page.py TOP DIR PORT NGINX-PORT SERVER-PID ENGINE: the actions of a user on the page of a fleet, for fleet-page.test.

DIR has the samples of opreport by stack, in the files whole, second, old and new.
"""
import collections
import json
import os
import signal
import sys
import time
import urllib.parse

top, work, port, nginx_port, server, engine = sys.argv[1:]
sys.path.insert(0, top + "/tests/tools/lib")
import chromium  # noqa: E402

BEGIN = 1793527200  # 2026-11-01 10:00 UTC
SECRET = "read word"


def stacks_of(name):
    with open(f"{work}/{name}", encoding="utf-8") as f:
        for line in f:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            frames = stack.split(";")
            if frames[0] == "shop":
                yield frames, int(count)


def functions_of(name):
    """{function: (total, own)} as opreport has them. A function counts once for a path."""
    total, own = collections.Counter(), collections.Counter()
    for frames, count in stacks_of(name):
        own[frames[-1]] += count
        for function in set(frames[1:]):
            total[function] += count
    return {f: (total[f], own[f]) for f in total if not f.startswith("[")}


def samples_of(name):
    return sum(count for _, count in stacks_of(name))


def same(what, got, want):
    if got != want:
        sys.exit(f"FAILED: {what}: the page has {got!r:.2000}, wanted {want!r:.2000}")
    print(f"ok {what}: {str(got):.100}")


browser = chromium.Browser(work + "/home")
browser.size(1280, 900)


def ready():
    for _ in range(600):
        if browser.eval("document.documentElement.dataset.ready") == "yes":
            return
        time.sleep(0.1)
    sys.exit("FAILED: the page does not end to ask")


def show(fragment="", at=port):
    browser.open(f"http://127.0.0.1:{at}/oprofile/{fragment}")
    ready()


def sign_in(user="reader", password=SECRET, database="fleet"):
    for field, text in (("user", user), ("password", password), ("database", database)):
        browser.eval(f"$('{field}').value = ''; $('{field}').focus(); null")
        browser.type(text)
    browser.click_on("#sign-in")
    ready()


def choose(field, value):
    browser.eval(f"$('{field}').value = {json.dumps(value)}; $('{field}').dispatchEvent(new Event('change')); null")
    ready()


def press(selector):
    browser.click_on(selector)
    ready()


def text(selector):
    return browser.eval(f"document.querySelector({json.dumps(selector)}).innerText")


def problem():
    return browser.eval("$('problem').hidden ? '' : $('problem').querySelector('p').textContent")


def functions():
    return {name: (total, own) for name, total, own in browser.eval(
        "all('#functions tbody tr').map((r) => [r.cells[4].textContent, +r.cells[0].textContent, +r.cells[2].textContent])")}


def check(what, name):
    same(f"{what}: problem", problem(), "")
    same(f"{what}: samples", browser.eval("tree.total.now[0]"), samples_of(name))
    same(f"{what}: functions", functions(), functions_of(name))


def sides(what, after, before):
    got = {n: (a, b) for n, a, b in browser.eval(
        "all('#functions tbody tr').map((r) => [r.cells[4].textContent, +r.cells[0].textContent, +r.cells[2].textContent])")}
    now, was = functions_of(after), functions_of(before)
    same(f"{what}: problem", problem(), "")
    same(what, got, {n: (now.get(n, (0,))[0], was.get(n, (0,))[0]) for n in now.keys() | was.keys()})


def bar(i):
    """The middle of a bar of the time line."""
    return browser.eval(f"(() => {{ const b = all('#time-line button')[{i}].getBoundingClientRect();"
                        " return [b.left + b.width / 2, b.top + b.height / 2]; })()")


def drag(first, last):
    browser.eval("$('time-line').scrollIntoView({ block: 'center' })")
    browser.mouse("Pressed", *bar(first))
    browser.mouse("Moved", *bar(last))
    browser.mouse("Released", *bar(last))
    ready()


def picture(name):
    if os.environ.get("OPROFILE_TEST_PICTURES"):
        browser.picture(f"{os.environ['OPROFILE_TEST_PICTURES']}/{name}.png")


def click_box(name):
    browser.eval("flame.scrollIntoView({ block: 'center' })")
    x, y = browser.eval(f"""(() => {{
        const b = boxes.filter((b) => functions[b[0].f].name === {json.dumps(name)}).sort((a, b) => b[2] - a[2])[0];
        const at = flame.getBoundingClientRect();
        return [at.left + b[1] + b[2] / 2, at.top + b[3] * ROW + ROW / 2 - flame.scrollTop];
    }})()""")
    browser.click(x, y)


# 1. Sign in. After a wrong password, the page shows a sentence and the form.
show()
picture("sign-in")
if engine != "chdb":
    sign_in(password="wrong")
    same("wrong password", problem(), "ClickHouse refuses this user name or password. Type them again.")
    same("the form", browser.eval("[$('sign').hidden, $('password').value]"), [False, ""])
    picture("wrong-password")
    # Only these messages may be in the log of the browser: it reports each status that is not 200.
    browser.errors[:] = [e for e in browser.errors if "the server responded with a status of" not in e]
sign_in()
check("at first", "whole")
picture("first")
same("lists", browser.eval("[[...$('service').options].map((o) => o.value), $('service').value, $('event').value, $('version').options.length]"),
     [["", "shop", "other"], "shop", "TIMER:1000000", 3])
same("bars", browser.eval("all('#time-line button').map((b) => b.title.replace(/.*UTC: /, ''))"),
     [f"{n} samples from 1 host" for n in (131, 142, 125)] + ["no samples", "135 samples from 1 host"])

# 2. Drag on the time line. 3. The keyboard. 4. Typed times.
drag(1, 1)
check("a bar", "second")
same("the shown time", text("#range-says"), "Shown: 2026-11-01 10:10 to 2026-11-01 10:20 UTC, 10 min.")
drag(0, 1)
check("two bars", "old")
browser.eval("all('#time-line button')[2].focus()")
browser.key("ArrowRight")
browser.key("ArrowLeft")
browser.key("ArrowRight", shift=True)
browser.key("ArrowRight", shift=True)
ready()
check("bars by keys", "new")
browser.key("Escape")
ready()
check("the whole line by a key", "whole")
browser.eval("$('from').value = '2026-11-01T10:10'; $('to').value = '2026-11-01T10:20'; null")
press("#set-time")
check("typed times", "second")
browser.eval("$('from').value = '2026-11-01T10:30'; $('to').value = '2026-11-01T10:20'; null")
press("#set-time")
same("reversed times", problem().startswith("The end of the time must be after its begin."), True)
press("#whole-line")
check("the whole line", "whole")

# 5. A version. 6. A host. 7. An event. 8. A service.
versions = browser.eval("[...$('version').options].map((o) => o.value).filter(Boolean)")
first_seen = browser.eval("fleet.lists.versions")
choose("version", first_seen[0])
check("the newer version", "new")
choose("version", first_seen[1])
check("the older version", "old")
choose("version", "")
host = browser.eval("$('host').options[1].value")
choose("host", host)
check("a host", "whole")
choose("host", "")
choose("event", "OTHER:1000000")
same("an event", browser.eval("[tree.total.now[0], problem.hidden]"), [36, True])
choose("event", "TIMER:1000000")
choose("service", "other")
same("a service", browser.eval("tree.total.now[0]"), 280)
choose("service", "")
same("all services", browser.eval("tree.total.now[0]"), 280 + samples_of("whole"))
choose("service", "shop")
check("the service again", "whole")

# 9. Two times, two versions.
choose("with", "time")
drag(2, 4)
browser.click_on("#drag-was")
drag(0, 1)
sides("two times", "new", "old")
picture("two-times")
same("both times", "compared with: 2026-11-01 10:00 to 2026-11-01 10:20 UTC" in text("#range-says"), True)
choose("with", "version")
press("#whole-line")
sides("two versions", "new", "old")
picture("two-versions")

# 10. The link, in a new page: the same view, and no password.
browser.click_on("#search")
browser.type("way")
time.sleep(0.3)
view = "[location.hash, $('found').textContent, all('#functions tbody tr').map((r) => r.textContent), $('range-says').textContent, " \
    "$('with-version').value, $('version').value]"
seen, link = browser.eval(view), browser.eval("$('link').href")
same("the address", browser.eval("$('link').href === location.href"), True)
for secret in (SECRET, "read+word", "read%20word", "user"):
    same(f"{secret} in the link", secret in link, False)
browser.open("about:blank")
browser.open(link)
ready()
sign_in()
same("the link", browser.eval(view), seen)
same("stored", browser.eval("[localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])

# 11. The graph: zoom, callers, invert, undo; kernel and user differ in colour (many.samples, below).
choose("with", "")
choose("version", "")
browser.eval("change((s) => { s.search = ''; })")
check("nothing compared", "whole")
click_box("work")
same("zoom", browser.eval("zoomed.now"), sum(n for frames, n in stacks_of("whole") if frames[1:4] == ["_start", "main", "work"]))
browser.key("u")
same("undone", browser.eval("zoomed.f === ALL"), True)
browser.key("i")
same("inverted", browser.eval("functions[under(zoomed, 'now')[0].f].name"), "leaf")
browser.key("0")
browser.eval("all('#functions button').find((b) => b.textContent === 'leaf').click()")
same("callers", browser.eval("[zoomed.now, functions[under(callers, 'now')[0].f].name]"), [functions_of("whole")["leaf"][0], "work"])

# 12. Back and forward, and the last hour.
press("#last-hour")
drag(1, 1)
check("before back", "second")
browser.eval("history.back()")
time.sleep(0.5)
ready()
check("back", "whole")
browser.eval("history.forward()")
time.sleep(0.5)
ready()
check("forward", "second")

# A stack whose version, service and host are SQL of a link: data only.
for word in ("service", "host", "version", "event"):
    show("#db=fleet&" + urllib.parse.urlencode({"event": "TIMER:1000000", "range": f"{BEGIN}-{BEGIN + 3000}", "line": f"{BEGIN}-{BEGIN + 3000}",
                                                 word: "x' OR 1=1 OR '\\' OR '"}))
    sign_in()
    same(f"SQL as {word}", problem().startswith("There are no samples of"), True)
show("#db=fleet&range=9999999999-1&line=x&with=time&with-time=-1-2&zoom=none&drop=none")
sign_in()
same("a broken link", [problem(), browser.eval("tree.total.now[0] > 0")], ["", True])
same("errors of scripts", browser.errors, [])

# Users.
if engine != "chdb":
    show()
    sign_in("strict")
    check("a user who may not change settings", "whole")
    for user, password, database, want in (
            ("nobody", SECRET, "fleet", "ClickHouse refuses this user name or password. Type them again."),
            ("reader", "", "fleet", "ClickHouse refuses this user name or password. Type them again."),
            ("stranger", SECRET, "fleet", "The user \u201cstranger\u201d may not read the tables of the database \u201cfleet\u201d.")):
        show()
        sign_in(user, password, database)
        same(f"{user}", problem()[:len(want)], want)
        same("the form is there", browser.eval("$('sign').hidden"), False)
for database, want in (("none", "The database \u201cnone\u201d has no tables of opexport."),
                       ("a`; DROP TABLE x", "The database \u201ca`; DROP TABLE x\u201d has no tables of opexport."),
                       ("empty", "No host has sent an interval yet."),
                       ("later", "The tables of the database \u201clater\u201d have version 3, and this page reads version 2."),
                       ("foreign", "The tables of the database \u201cforeign\u201d have other columns, and this page reads version 2.")):
    show()
    sign_in(database=database)
    same(f"database {database}", problem()[:len(want)], want)
    same("a way out", browser.eval("all('#problem button').length > 0 || !$('sign').hidden"), True)

# Answers that are not from ClickHouse, each between a good answer and the next query.
show()
sign_in()
FAULTS = {
    "a proxy's page": ("200 text/html\n<html><title>Sign in</title></html>", "A web page came instead of an answer of ClickHouse (status 200)"),
    "a gateway": ("502 text/html\n<html>Bad gateway</html>", "The web server has no answer from ClickHouse (status 502)."),
    "forbidden": ("403 text/plain\nno", "ClickHouse refuses this user name or password."),
    "cut JSON": ('200 application/json\n{"meta": [], "data": [[1', "The answer of ClickHouse broke off."),
    "a cut connection": ('200 cut\n{"meta": [], "data": [[1', "The server does not answer."),
    "an exception in the body": ('200 application/json\n{"data": [[1\nCode: 241. DB::Exception: Memory limit', "The query is too large"),
    "a timeout": ("500 text/plain\nCode: 159. DB::Exception: Timeout exceeded", "The query is too large for the limits of the server."),
    "a quota": ("500 text/plain\nCode: 201. DB::Exception: Quota", "The quota of this user is used up."),
    "no right": ("500 text/plain\nCode: 497. DB::Exception: Not enough privileges", "The user \u201creader\u201d may not read the tables"),
    "another error": ("500 text/plain\nCode: 999. DB::Exception: <img src=x onerror=alert(1)>", "ClickHouse refuses the query: Code: 999. DB::Exception: <img"),
    "other JSON": ('200 application/json\n"hello"', "The answer is not ClickHouse's"),
    "something": ("200 text/plain\nhello", "The answer is not ClickHouse's (status 200)."),
}
for name, (fault, want) in FAULTS.items():
    with open(work + "/fault", "w", encoding="utf-8") as f:
        f.write(fault)
    press("#last-all")
    same(name, problem()[:len(want)], want)
    picture("fault-" + name.replace(" ", "-"))
    same("the old graph is gone", browser.eval("$('answer').hidden"), True)
    os.unlink(work + "/fault")
    if browser.eval("$('sign').hidden"):
        browser.eval("all('#problem button').find((b) => b.textContent === 'Try again').click()")
        ready()
    else:
        sign_in()
    check(f"after {name}", "whole")
same("markup of errors", browser.eval("all('img').length"), 0)

# Many stacks and hostile names.
show("", nginx_port if nginx_port != "0" else port)
began = time.time()
sign_in(database="many")
with open(work + "/many", encoding="utf-8") as f:
    want = int(f.read())
print(f"many stacks: {text('#facts')!r}, {time.time() - began:.1f} s with sign-in")
same("many stacks", [problem(), browser.eval("tree.total.now[0]"), browser.eval("$('service').value")], ["", want, "shop.service"])
picture("many")
browser.eval("change((s) => { s.search = '</script'; })")
same("names are text", browser.eval("[all('img').length, all('#functions td.t').some((c) => c.textContent.startsWith('</script><img'))]"), [0, True])
browser.eval("change((s) => { s.search = ''; })")
kinds = browser.eval("""Object.fromEntries(["handle", "tcp_sendmsg", "escape_html", "0x4711 of build 555555555555", "shop", "[path ends: no frame pointer]"]
    .map((n) => [n, functions.find((f) => f.name === n).kind]))""")
same("kinds", list(kinds.values()), [1, 3, 4, 2, 0, 6])
hues = browser.eval("['handle', 'tcp_sendmsg'].map((n) => { const f = functions.findIndex((x) => x.name === n); return ofName(f, functions[f].kind); })")
same("kernel and user differ", hues[0] != hues[1], True)
choose("service", "x' OR 1 --")
same("a service that is SQL", [problem(), browser.eval("tree.total.now[0] < 300000"), text("#title")], ["", True, "x' OR 1 --, TIMER:1000000"])
choose("service", "")
same("services are parts of all", browser.eval("under(zoomed, 'now').map((b) => functions[b.f].name)"),
     ["shop.service", "postgresql.service", "x' OR 1 --"])
picture("all-services")
times = browser.eval("""(async () => {
    const rows = await ask(SQL.stacks({ ...fleet.view, service: "shop.service" })), sums = [0, 0];
    for (const row of rows)
        sums[0] += Number(row[2]);
    const a = performance.now();
    loadData(graphOf(rows, sums, false, "TIMER"));
    const b = performance.now();
    showData("");
    draw();
    const c = performance.now();
    let frames = 0;
    const begin = performance.now();
    while (performance.now() - begin < 1000) {
        draw();
        frames++;
    }
    return [rows.length, NR, Math.round(b - a), Math.round(c - b), frames];
})()""")
print("%d stacks, %d nodes: %d ms to build, %d ms to show, %d redraws a second" % tuple(times))
browser.errors[:] = [e for e in browser.errors if "the server responded with a status of" not in e]
same("errors of scripts", [e for e in browser.errors if "net::ERR" not in e], [])

# A telephone.
browser.size(400, 800)
show()
sign_in()
same("nothing lies sideways", browser.eval("document.documentElement.scrollWidth <= 400"), True)
picture("telephone")
browser.size(1280, 900)

# The server ends.
for at in (nginx_port, port):
    if at == "0":
        continue
    show("", at)
    sign_in()
    check(f"by port {at}", "whole")
os.kill(int(server), signal.SIGKILL)
time.sleep(1)
press("#last-all")
same("server away", problem().startswith(("The server does not answer.", "The web server has no answer")), True)
picture("server-away")
if nginx_port != "0":
    show("", nginx_port)
    sign_in()
    same("nginx without server", problem()[:42], "The web server has no answer from ClickHouse"[:42])
