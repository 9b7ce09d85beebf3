"""Hostile programs: the verdict of each, and host, room and next program unharmed."""

from __future__ import annotations

import os
import socket
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from judging import make_problem

from evaluator.judge import Judge
from pipelines.problem import Problem

pytestmark = pytest.mark.usefixtures("needs_tier_a")
ECHO = make_problem(("hello\n", "hello\n"))
#: Expected outputs that no honest program prints: a hostile one must find them.
SECRET = "wolpertinger-7741"
GUESS = make_problem(("1\n", SECRET + "\n"), ("2\n", SECRET + "\n"))
CALL = make_problem(("1", f'"{SECRET}"'), ("2", f'"{SECRET}"'), fn_name="f")
MARK = "/tmp/microcoder-hostile-mark"
FAIL = ("wrong_answer", "runtime_error")

#: name: (problem, program, verdicts it may get)
HOSTILE: dict[str, tuple[Problem, str, tuple[str, ...]]] = {
    # -- resources
    "fork bomb": (
        ECHO,
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        ("time_limit", "memory_limit"),
    ),
    "fork and hope": (
        ECHO,
        "import os\nfor _ in range(20): os.fork()\nos.abort()",
        ("runtime_error",),
    ),
    "children that compute": (
        ECHO,
        "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        while 1: pass\n"
        "time.sleep(99)",
        ("runtime_error",),
    ),
    "threads": (
        ECHO,
        "import threading\nwhile 1: threading.Thread(target=threading.Event().wait).start()",
        ("runtime_error", "time_limit", "memory_limit"),
    ),
    "memory bomb": (ECHO, "a = []\nwhile 1: a.append(bytearray(1 << 22))", ("memory_limit",)),
    "memory of many": (
        ECHO,
        "import os\nfor _ in range(4): os.fork()\na = []\nwhile 1: a.append(bytearray(1 << 22))",
        ("runtime_error",),
    ),
    "shared memory": (
        ECHO,
        "import mmap\na = []\nwhile 1:\n    a.append(mmap.mmap(-1, 1 << 24))\n"
        "    a[-1].write(b'x' * (1 << 24))",
        ("memory_limit", "runtime_error"),
    ),
    "10 GB of output": (ECHO, "while 1: print('x' * 1000000)", ("output_limit",)),
    "output of many": (
        ECHO,
        "import os\nos.fork()\nos.fork()\nwhile 1: os.write(1, b'x' * 100000)",
        ("runtime_error",),
    ),
    "output by ftruncate": (
        ECHO,
        "import os\nos.ftruncate(1, 1 << 40)",
        ("output_limit", "runtime_error"),
    ),
    "errors without end": (
        ECHO,
        "import sys\nwhile 1: sys.stderr.write('x' * 100000)",
        ("output_limit",),
    ),
    "disk": (
        ECHO,
        "with open('big', 'wb') as f:\n    while 1: f.write(bytes(1 << 20))",
        ("output_limit", "runtime_error"),
    ),
    "many files": (
        ECHO,
        "i = 0\nwhile 1:\n    open(f'f{i}', 'x').close()\n    i += 1",
        ("runtime_error", "time_limit"),
    ),
    "deep folders": (
        ECHO,
        "import os\nwhile 1:\n    os.mkdir('d')\n    os.chdir('d')",
        ("runtime_error", "time_limit"),
    ),
    "recursion in C": (
        ECHO,
        "import sys\nsys.setrecursionlimit(10 ** 9)\nx = []\nfor _ in range(10 ** 7): x = [x]\n"
        "repr(x)",
        ("runtime_error", "memory_limit", "time_limit"),
    ),
    "recursion": (
        ECHO,
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
        ("runtime_error", "memory_limit", "time_limit"),
    ),
    "huge integer": (ECHO, "x = 9 ** 9 ** 9", ("time_limit", "memory_limit")),
    "1 GB string": (CALL, "def f(x): return 'x' * (1 << 30)", ("memory_limit",)),
    "large result": (
        CALL,
        "def f(x): return ['x' * 1000] * 10 ** 5",
        ("output_limit", "runtime_error", "wrong_answer", "memory_limit"),
    ),
    # -- time
    "sleep": (ECHO, "import time\ntime.sleep(1000)", ("time_limit",)),
    "sleep past the CPU limit": (
        ECHO,
        "import time\nwhile 1: time.sleep(0.01)",
        ("time_limit",),
    ),
    "stop itself": (
        ECHO,
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        ("time_limit",),
    ),
    "ignore signals": (
        ECHO,
        "import signal\nfor s in (1, 2, 14, 15, 24, 25): signal.signal(s, signal.SIG_IGN)\n"
        "while 1: pass",
        ("time_limit",),
    ),
    "swallow every exception": (
        ECHO,
        "while 1:\n    try:\n        while 1: pass\n    except BaseException: pass",
        ("time_limit",),
    ),
    "hang at import": (CALL, "while 1: pass", ("time_limit",)),
    "hang at exit": (
        ECHO,
        "import atexit\nprint('hello')\n@atexit.register\ndef f():\n    while 1: pass",
        ("time_limit",),
    ),
    "hang in __del__": (
        ECHO,
        "print('hello')\nclass A:\n    def __del__(self):\n        while 1: pass\na = A()",
        ("time_limit",),
    ),
    "thread left running": (
        ECHO,
        "import threading\nprint('hello', flush=True)\ndef f():\n    while 1: pass\n"
        "threading.Thread(target=f).start()",
        ("time_limit",),
    ),
    "raise the CPU limit": (
        ECHO,
        "import resource as r\ntry: r.setrlimit(r.RLIMIT_CPU, (99, 99))\nexcept ValueError: pass\n"
        "while 1: pass",
        ("time_limit",),
    ),
    # -- processes
    "daemon": (
        ECHO,
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(99)",
        FAIL,
    ),
    "kill the parent": (ECHO, "import os\nos.kill(os.getppid(), 9)\nos.kill(1, 15)", FAIL),
    "kill everybody": (ECHO, "import os\nos.kill(-1, 9)", FAIL),
    "kill the group": (ECHO, "import os\nos.killpg(0, 9)", FAIL),
    "stop the parent": (ECHO, "import os, signal\nos.kill(1, signal.SIGSTOP)", FAIL),
    "interrupt the parent": (
        ECHO,
        "import os\nfor s in range(1, 65):\n    try: os.kill(1, s)\n    except OSError: pass",
        FAIL,
    ),
    "limits of the parent": (
        ECHO,
        "import resource as r\nfor k in range(16):\n    try: r.prlimit(1, k, (0, 0))\n"
        "    except (OSError, ValueError): pass",
        FAIL,
    ),
    "nice of the parent": (
        ECHO,
        "import os\nfor f in (lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),\n"
        "    lambda: os.setpriority(os.PRIO_USER, 0, 19),\n"
        "    lambda: os.sched_setaffinity(1, {0})):\n    try: f()\n    except OSError: pass\n"
        "    else: print('hello')",
        FAIL,
    ),
    "exec": (
        ECHO,
        "import os\nos.execv('/bin/sh', ['sh', '-c', 'while :; do :; done'])",
        ("time_limit",),
    ),
    "exec that answers for it": (
        GUESS,
        f"import os\nos.execv('/bin/sh', ['sh', '-c', 'cat {MARK} /proc/1/environ'])",
        FAIL,
    ),
    # -- descriptors
    "close everything": (ECHO, "import os\nos.closerange(0, 5000)", FAIL),
    "write to every descriptor": (
        GUESS,
        "import os\nfor fd in range(3000):\n    try: os.write(fd, b'end 0 0 0 0 1 0 0')\n"
        "    except OSError: pass",
        FAIL,
    ),
    "forged records": (
        GUESS,
        "import os, struct\nfor fd in range(3, 3000):\n    try:\n"
        "        os.pwrite(fd, struct.pack('=II', 2, 1), 0)\n    except OSError: pass\nos._exit(0)",
        FAIL,
    ),
    "records forged from the frames, then a failure": (
        make_problem(("a\n", "a\n"), ("b\n", "b\n"), ("c\n", "c\n")),
        """
        import os, sys
        frame = sys._getframe()
        while frame and "inputs" not in frame.f_locals:
            frame = frame.f_back
        mine = input()
        if frame:
            note, inputs = frame.f_locals["note"], frame.f_locals["inputs"]
            for line in [mine, *(x.decode().strip() for x in reversed(inputs))]:
                os.write(1, (line + "\\n").encode())
                note.put(b"M", b"", os.fstat(1).st_size)
                note.end(True)
            os._exit(1)
        print(mine)
        sys.exit(1)
        """,
        ("runtime_error",),
    ),
    "output removed": (
        GUESS,
        "import os\nprint('x', flush=True)\nos.ftruncate(1, 0)\nos.close(1)",
        FAIL,
    ),
    "links": (
        GUESS,
        "import os\nos.symlink('/proc/1/environ', 'a')\nos.symlink('/', 'b')\n"
        "print(open('a').read(), os.listdir('b'))",
        FAIL,
    ),
    # -- reaching out
    "files of the host": (
        GUESS,
        "import os\nfor p in ('/etc/passwd', '/etc/shadow', '/work', '/root', '/home', '/var'):\n"
        "    try: print(os.listdir(p) if os.path.isdir(p) else open(p).read())\n"
        "    except OSError: pass",
        FAIL,
    ),
    "write outside": (
        ECHO,
        f"import os\nfor p in ({MARK!r}, '/x', '/usr/x', '/etc/x', '/dev/x', '/proc/x'):\n"
        "    try: open(p, 'w').write('x')\n    except OSError: pass",
        FAIL,
    ),
    "environment": (GUESS, "import os\nprint(os.environ)", FAIL),
    "loopback": (
        GUESS,
        "import socket\ns = socket.create_connection(('127.0.0.1', PORT), 1)\nprint(s.recv(99))",
        FAIL,
    ),
    "every socket": (
        GUESS,
        "import socket\nfor family in range(50):\n    for kind in (1, 2, 3, 5):\n"
        "        try: socket.socket(family, kind)\n        except OSError: pass\n"
        f"        else: print({SECRET!r})",
        FAIL,
    ),
    "ptrace": (
        GUESS,
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        f"print({SECRET!r} if libc.ptrace(16, 1, 0, 0) == 0 else '')",
        FAIL,
    ),
    # -- forging the verdict
    "partial output": (
        make_problem(("", "a\nb\n")),
        "import os\nprint('a', flush=True)\nos._exit(0)",
        ("wrong_answer",),
    ),
    "right answer, exit status 1": (
        ECHO,
        "print('hello')\nraise SystemExit(1)",
        ("runtime_error",),
    ),
    "right answer, then a signal": (
        ECHO,
        "import os\nprint('hello', flush=True)\nos.abort()",
        ("runtime_error",),
    ),
    "print the verdict": (
        GUESS,
        'print(\'accepted\')\nprint(\'{"passed": true, "verdict": "accepted"}\')',
        ("wrong_answer",),
    ),
    "exit 42": (GUESS, "raise SystemExit(42)", ("runtime_error",)),
    "__eq__ is always true": (
        CALL,
        "class T(str):\n    __eq__ = lambda a, b: True\n    __hash__ = str.__hash__\n"
        "def f(x): return T('x')",
        ("wrong_answer",),
    ),
    "object that equals all": (
        CALL,
        "class T:\n    __eq__ = lambda a, b: True\n    __repr__ = lambda a: 'x'\n"
        "def f(x): return T()",
        FAIL,
    ),
    "patched json and builtins": (
        CALL,
        "import builtins, json, sys\njson.dumps = lambda *a, **k: 'x'\n"
        "builtins.repr = builtins.str = builtins.type = lambda *a: 'x'\nsys.modules.clear()\n"
        "def f(x): return 1",
        FAIL,
    ),
    "frames of the caller": (
        CALL,
        "import sys\ndef f(x):\n    frame = sys._getframe()\n    found = []\n    while frame:\n"
        "        found += [str(v) for v in frame.f_locals.values()]\n        frame = frame.f_back\n"
        "    return max([s for t in found for s in t.split() if 'tinger' in s] or ['none'])",
        ("wrong_answer",),
    ),
    "garbage collector": (
        CALL,
        "import gc\ndef f(x):\n    gc.unfreeze()\n    for o in gc.get_objects():\n"
        "        if isinstance(o, dict):\n            for v in list(o.values()):\n"
        "                if isinstance(v, str) and v.startswith('wolper'): return v\n"
        "    return 'none'",
        ("wrong_answer",),
    ),
    "trace function": (
        CALL,
        "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\n"
        "def f(x): return 0",
        FAIL,
    ),
    "poisoned modules": (
        ECHO,
        "import builtins, sys\nbuiltins.print = None\nsys.modules.clear()",
        FAIL,
    ),
    "pickled result": (
        CALL,
        "class P:\n    def __reduce__(self):\n        import os\n"
        f"        return os.system, ('touch {MARK}',)\ndef f(x): return P()",
        FAIL,
    ),
    "deep source": (
        ECHO,
        "x = " + "(" * 150 + ")" * 150 + "\n" + "-" * 19000 + "1",
        ("compile_error", "runtime_error"),
    ),
    "deep source, long": (ECHO, "x = " + "-" * 300_000 + "1", ("compile_error", "runtime_error")),
    "NUL in the source": (ECHO, "print('hello')\0", ("compile_error",)),
}


@pytest.fixture(scope="module")
def hostile_judge(needs_tier_a: None) -> Iterator[Judge]:
    with Judge(workers=1, time_limit_s=0.7, memory_limit_mb=128, output_limit_mb=2) as judge:
        yield judge


@pytest.fixture
def port() -> Iterator[int]:
    """A server of the host that would answer with the secret."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(
    name: str, hostile_judge: Judge, port: int, my_processes: Callable[[], list[int]]
) -> None:
    problem, code, verdicts = HOSTILE[name]
    assert hostile_judge.judge(ECHO, "print(input())").passed
    os.environ["MICROCODER_TEST_SECRET"] = SECRET
    before = my_processes()
    try:
        result = hostile_judge.judge(problem, textwrap.dedent(code).replace("PORT", str(port)))
    finally:
        del os.environ["MICROCODER_TEST_SECRET"]
    assert result.verdict in verdicts, result
    assert not Path(MARK).exists()
    left = my_processes()
    assert len(left) <= max(2, len(before))  # a room at rest: launcher and zygote
    assert hostile_judge.judge(ECHO, "print(input())").passed  # the next program is as new
    assert hostile_judge.judge(CALL, f"def f(x): return {SECRET!r}").passed
