"""Hostile programs: what they cannot reach, and that nothing of them is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import make_problem, sandboxed_processes

from evaluator import sandbox
from evaluator.judge import Judge
from evaluator.sandbox import Job, Limits, Run, SandboxError, Status, run_isolated
from evaluator.seccomp import deny_filter

pytestmark = pytest.mark.usefixtures("needs_tier_a")
ECHO = make_problem(("hello\n", "hello\n"))
Mine = Callable[[], list[int]]


def run(code: str, cpu_s: float = 3, **limits: float) -> Run:
    return run_isolated(Job(textwrap.dedent(code).encode()), Limits(cpu_s, **limits))  # type: ignore[arg-type]


def lines(code: str) -> list[str]:
    result = run(code)
    assert result.exit_code == 0, result
    return result.stdout.decode().splitlines()


def refused(statement: str) -> None:
    """The statement raises OSError in the sandbox."""
    code = f"""
    import os, socket, ctypes
    try:
        {statement}
    except OSError as e:
        print('refused')
    else:
        print('done')
    """
    assert lines(code) == ["refused"], statement


@pytest.mark.parametrize(
    "statement",
    [
        "open('/x', 'w')",
        "open('/usr/x', 'w')",
        "open(os.__file__, 'a')",
        "os.mkdir('/etc/x')",
        "os.remove('/dev/null')",
        "open('/proc/sys/kernel/hostname', 'w').write('x')",
        "os.listdir('/work')",
        "os.listdir('/home')",
        "os.listdir('/sys')",
        "os.listdir('/var')",
        "open('/etc/passwd')",
        "os.listdir('/root/.ssh')",
        "os.listdir('/proc/1/fd')",
        "open('/proc/1/environ').read()",
        "open('/proc/1/mem', 'r+b')",
        "os.setuid(0)",
        "os.chroot('/tmp')",
        "os.memfd_create('x')",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
        "socket.create_connection(('127.0.0.1', 22), 1)",
        "socket.create_connection(('1.1.1.1', 53), 1)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    ],
)
def test_refused(statement: str) -> None:
    refused(statement)


def test_a_program_sees_next_to_nothing() -> None:
    out = lines(
        """
        import os, sys
        print(os.getuid() != 0, os.getpid(), os.getppid(), os.getcwd(), os.uname().nodename)
        print(*sorted(p for p in os.listdir('/proc') if p.isdigit()))
        print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])
        print([k for k in os.environ if k not in ENV] if (ENV := %r) else 0)
        print([m for m in sys.modules if m.startswith(('evaluator', 'pipelines'))])
        print(os.listdir('/tmp'), sys.argv, __name__, __file__)
        status = dict(l.split(':', 1) for l in open('/proc/self/status'))
        print(*(status[k].strip() for k in ('CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs', 'Seccomp')))
        """
        % (sorted([*sandbox._ENVIRONMENT, "PWD", "_", "OLDPWD", "SHLVL"]),)
    )
    assert out[0] == "True 2 1 /tmp sandbox"
    assert out[1] == "1 2"
    assert out[2] == "[0, 1, 2, 3]"  # 3 is the listing itself
    assert out[3:5] == ["[]", "[]"]
    assert out[5] == "[] ['solution.py'] __main__ solution.py"
    assert out[6] == "0000000000000000 0000000000000000 0000000000000000 1 2"


def test_raw_system_calls_are_refused() -> None:
    out = lines("""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.ptrace(16, os.getppid(), 0, 0), libc.unshare(0x10000000), libc.shmget(0, 4096, 0o1600))
        print(libc.mount(b'x', b'/tmp', b'tmpfs', 0, 0), libc.personality(0), libc.umount2(b'/proc', 2))
        """)
    assert out == ["-1 -1 -1", "-1 -1 -1"]


def test_tmp_is_private_and_bounded() -> None:
    marker = Path("/tmp/microcoder-marker")
    assert lines(f"open({str(marker)!r}, 'w').write('x'); print('ok')") == ["ok"]
    assert not marker.exists()
    assert lines(f"import os; print(os.path.exists({str(marker)!r}))") == ["False"]
    full = run("""
        for i in range(100):
            with open(f'/tmp/{i}', 'wb') as f: f.write(bytes(8 << 20))
        """)
    assert full.exit_code == 1
    assert b"No space left" in full.stderr


def test_the_expected_output_is_nowhere_in_the_process(judge: Judge) -> None:
    secret = "wolpertinger-7741"
    problem = make_problem(("1\n", secret + "\n"))
    code = textwrap.dedent("""
        import gc, os, sys
        needle = 'wolper' + 'tinger'
        def found():
            for o in gc.get_objects():
                if isinstance(o, (dict, list, tuple)):
                    for x in list(o.values() if isinstance(o, dict) else o):
                        if isinstance(x, (str, bytes)) and len(x) < 1000 and (needle + '-') in str(x):
                            return str(x)
            for line in open('/proc/self/maps'):
                a, b = (int(v, 16) for v in line.split()[0].split('-'))
                if ' r' not in line.split('p ')[0][:0] + ' r' or 'v' in line.split()[-1][:2]:
                    continue
                try:
                    with open('/proc/self/mem', 'rb') as f:
                        f.seek(a)
                        data = f.read(min(b - a, 1 << 24))
                except (OSError, ValueError, OverflowError):
                    continue
                i = data.find((needle + '-').encode())
                if i >= 0:
                    return data[i:i + 17].decode()
            return 'nothing'
        print(found())
        """)
    result = judge.judge(problem, code)
    assert result.verdict == "wrong_answer"
    assert "nothing" in result.detail


HOSTILE = {
    "fork bomb": "import os\nwhile True:\n try: os.fork()\n except OSError: pass",
    "fork and hope": "import os\nfor _ in range(20): os.fork()\nos.abort()",
    "daemon": "import os, time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0: time.sleep(99)",
    "kill parent": "import os\nos.kill(os.getppid(), 9)\nos.kill(1, 15)",
    "kill all": "import os\nos.kill(-1, 9)",
    "stop parent": "import os, signal\nos.kill(1, signal.SIGSTOP)",
    "stop itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "ignore signals": "import signal\nfor s in (2, 14, 15, 24): signal.signal(s, lambda *a: 0)\nwhile 1: pass",
    "close everything": "import os\nos.closerange(0, 1000)",
    "write to every descriptor": "import os\nfor fd in range(300):\n try: os.write(fd, b'end 0 0 0 0 0')\n except OSError: pass",
    "sleep": "import time\ntime.sleep(1000)",
    "memory of many": "import os\nfor _ in range(4): os.fork()\na = []\nwhile 1: a.append(bytearray(1 << 22))",
    "threads": "import threading\nwhile 1: threading.Thread(target=threading.Event().wait).start()",
    "endless exit": "import atexit\n@atexit.register\ndef f():\n while 1: pass",
    "endless __del__": "class A:\n def __del__(self):\n  while 1: pass\na = A()",
    "exec": "import os\nos.execv('/bin/sh', ['sh', '-c', 'while :; do :; done'])",
    "poison": "import builtins, sys\nbuiltins.print = None\nsys.modules.clear()",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str, my_processes: Mine) -> None:
    with Judge(time_limit_s=0.7, memory_limit_mb=128, output_limit_mb=2) as judge:
        started = time.monotonic()
        result = judge.judge(ECHO, HOSTILE[name])
        assert result.verdict not in ("accepted", "judge_error"), result
        assert time.monotonic() - started < 20
        assert my_processes() == []
        assert judge.judge(ECHO, "print(input())").passed  # the next program is as new


def test_wall_limit_of_a_sleeper_is_reported_as_waiting() -> None:
    result = run("import time; time.sleep(99)", cpu_s=0.3, wall_s=0.5)
    assert result.reason == "wall"
    assert result.cpu_s < 0.3


def test_cpu_limit_is_finer_than_seconds() -> None:
    result = run("while True: pass", cpu_s=0.3)
    assert result.reason == "cpu"
    assert 0.3 <= result.cpu_s < 1


def test_closing_kills_what_runs(my_processes: Mine) -> None:
    judge = Judge()
    results = []
    worker = threading.Thread(
        target=lambda: results.append(judge.judge(ECHO, "import time; time.sleep(60)"))
    )
    worker.start()
    while not my_processes():
        time.sleep(0.01)
    judge.close()
    worker.join(5)
    assert not worker.is_alive()
    assert results[0].verdict == "judge_error"
    assert my_processes() == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_caller(how: int, tmp_path: Path) -> None:
    script = tmp_path / "caller.py"
    script.write_text(
        textwrap.dedent("""
            from evaluator.judge import Judge
            from pipelines.problem import Problem, TestCase
            problem = Problem(id="a/b", tests=(TestCase("", ""),), time_limit_s=60.0)
            code = "import os, time\\nos.fork()\\nos.setsid()\\ntime.sleep(100)"
            with Judge(workers=2) as judge:
                for _ in judge.map([(problem, code)] * 4):
                    pass
            """)
    )
    root = str(Path(sandbox.__file__).parents[1])
    caller = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": root})
    deadline = time.monotonic() + 30
    while len(mine := sandboxed_processes(of=caller.pid)) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)  # two launchers, two supervisors, four programs
    assert len(mine) >= 8
    caller.send_signal(how)
    caller.wait(20)
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{p}").exists() for p in mine) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [p for p in mine if Path(f"/proc/{p}").exists()] == []


def test_no_descriptor_leaks(judge: Judge) -> None:
    judge.judge(ECHO, "print(input())")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        judge.judge(ECHO, "print(input())")
    assert len(os.listdir("/proc/self/fd")) == before


# -- machines that isolate less ---------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["B", "C"])
def test_lower_tiers_run_trusted_programs(tier: sandbox.Tier, my_processes: Mine) -> None:
    job = Job(b"import os\nos.fork()\nprint(input())", b"x\n")
    result = run_isolated(job, Limits(2), tier)
    assert (result.reason, result.exit_code) == ("end", 0)
    assert b"x" in result.stdout
    spin = run_isolated(Job(b"import os\nos.fork()\nwhile 1: pass"), Limits(0.3), tier)
    assert spin.reason == "cpu"
    daemon = Job(b"import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)")
    assert run_isolated(daemon, Limits(2), tier).reason == "end"
    assert my_processes() == []


def test_refuses_to_run_without_isolation_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    status = Status("C", "isolation stopped at: setup namespaces", "sysctl -w something=1")
    monkeypatch.setattr(sandbox, "sandbox_status", lambda: status)
    with pytest.raises(SandboxError, match=r"sysctl -w something=1.*trusted=True"):
        Judge()
    with Judge(trusted=True) as judge:
        result = judge.judge(ECHO, "print(input())")
    assert (result.verdict, result.tier) == ("accepted", "C")


def test_a_failed_setup_names_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sandbox,
        "_layout",
        lambda tier: {"binds": [("/nowhere", "/nowhere")], "links": [], "path": []},
    )
    result = run("print(1)")
    assert result.reason == "setup"
    assert "root" in result.detail
    with Judge() as judge:
        assert judge.judge(ECHO, "print(input())").verdict == "judge_error"


def test_filter_is_well_formed() -> None:
    for machine in ("x86_64", "aarch64"):
        for sockets in (True, False):
            code = deny_filter(machine, sockets=sockets)
            assert len(code) % 8 == 0
            assert 100 < len(code) // 8 < 4096
    assert deny_filter("riscv64") == b""
