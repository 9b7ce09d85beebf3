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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from judging import make_problem, sandboxed_processes

from evaluator import endings, room, sandbox
from evaluator.judge import Judge
from evaluator.layout import Tier
from evaluator.room import Job, Limits, Run
from evaluator.sandbox import SandboxError, Status, run_isolated
from evaluator.seccomp import deny_filter, lone_filter, process_filter
from pipelines.problem import Checker

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
    out = lines("""
        import os, sys
        print(os.getuid() != 0, os.getpid(), os.getppid(), os.getcwd(), os.uname().nodename)
        print(*sorted(p for p in os.listdir('/proc') if p.isdigit()))
        print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])
        print(*sorted(os.environ))
        print([m for m in sys.modules if m.startswith(('evaluator', 'pipelines'))])
        print(os.listdir('/tmp'), sys.argv, __name__, __file__)
        status = dict(l.split(':', 1) for l in open('/proc/self/status'))
        keys = 'CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs', 'Seccomp'
        print(*(status[k].strip() for k in keys))
        """)
    assert out[0] == "True 2 1 /tmp sandbox"
    assert out[1] == "1 2"
    assert out[2] == "[0, 1, 2, 3]"  # 3 is the listing itself
    assert set(out[3].split()) <= {*room._ENVIRONMENT, "PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
    assert out[4] == "[]"
    assert out[5] == "[] ['solution.py'] __main__ solution.py"
    assert out[6] == "0000000000000000 0000000000000000 0000000000000000 1 2"


def test_raw_system_calls_are_refused() -> None:
    out = lines("""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.ptrace(16, os.getppid(), 0, 0), libc.unshare(0x10000000))
        print(libc.shmget(0, 4096, 0o1600), libc.personality(0))
        print(libc.mount(b'x', b'/tmp', b'tmpfs', 0, 0), libc.umount2(b'/proc', 2))
        """)
    assert out == ["-1 -1"] * 3


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
    code = textwrap.dedent(r"""
        import re
        line = input()
        pattern = re.compile(rb'wolper[t]inger-\d{4}')
        found = set()
        for line in open('/proc/self/maps'):
            start, end = (int(v, 16) for v in line.split()[0].split('-'))
            try:
                with open('/proc/self/mem', 'rb', 0) as f:
                    f.seek(start)
                    found.update(pattern.findall(f.read(end - start)))
            except (OSError, ValueError, OverflowError):
                continue
        print(found.pop().decode() if found else 'nothing')
        """)
    result = judge.judge(make_problem(("1\n", secret + "\n")), code)
    assert result.detail == f"token 1: expected '{secret}', found 'nothing'"
    # the search itself works: it finds what is in the input
    assert judge.judge(make_problem((secret + "\n", secret + "\n")), code).passed


def test_wall_limit_of_a_sleeper_is_reported_as_waiting() -> None:
    result = run("import time; time.sleep(99)", cpu_s=0.3, wall_s=0.5)
    assert result.reason == "wall"
    assert result.cpu_s < 0.3


def test_a_busy_machine_is_not_the_programs_fault() -> None:
    spinners = 4 * len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(spinners) as pool:  # each gets a quarter of a core
        jobs = [pool.submit(run, "while 1: pass", 0.5, wall_s=0.7) for _ in range(spinners)]
        assert [j.result().reason for j in jobs] == ["cpu"] * spinners


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
    while len(my_processes()) < 3:  # launcher, zygote, program
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
            code = "import os, time\\nos.setsid()\\ntime.sleep(100)"
            with Judge(workers=2) as judge:
                for _ in judge.map([(problem, code)] * 4):
                    pass
            """)
    )
    root = str(Path(sandbox.__file__).parents[1])
    caller = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": root})
    deadline = time.monotonic() + 30
    while len(mine := sandboxed_processes(of=caller.pid)) < 6 and time.monotonic() < deadline:
        time.sleep(0.05)  # two launchers, two zygotes, two programs
    assert len(mine) >= 6
    caller.send_signal(how)
    caller.wait(20)
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{p}").exists() for p in mine) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [p for p in mine if Path(f"/proc/{p}").exists()] == []


def test_a_dead_zygote_is_noticed(my_processes: Mine) -> None:
    results = []
    worker = threading.Thread(target=lambda: results.append(run("import time; time.sleep(60)")))
    worker.start()
    while len(my_processes()) < 3:
        time.sleep(0.01)
    os.kill(sorted(my_processes())[1], signal.SIGKILL)  # launcher, zygote, program
    worker.join(10)
    assert results[0].reason == "lost"
    assert my_processes() == []
    found = endings.failure(results[0], Limits())
    assert found is not None
    assert found.verdict == "sandbox_violation"


def test_a_lost_room_is_replaced(my_processes: Mine) -> None:
    with Judge(workers=1) as judge:
        assert judge.judge(ECHO, "print(input())").passed
        os.kill(sorted(my_processes())[1], signal.SIGKILL)
        assert judge.judge(ECHO, "print(input())").passed


def test_a_fork_of_the_controller_disturbs_nothing() -> None:
    pid = os.fork()
    if pid == 0:
        time.sleep(3)
        os._exit(0)
    try:
        assert run("print(1)").stdout == b"1\n"
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_no_descriptor_leaks(judge: Judge) -> None:
    judge.judge(ECHO, "print(input())")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        judge.judge(ECHO, "print(input())")
    assert len(os.listdir("/proc/self/fd")) == before


# -- machines that isolate less -------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["B", "C"])
def test_lower_tiers_run_trusted_programs(tier: Tier, my_processes: Mine) -> None:
    job = Job(b"import random\nprint(input())", b"x\n", (b"y\n",))
    result = run_isolated(job, Limits(2), tier)
    assert (result.reason, result.exit_code, result.stdout) == ("end", 0, b"x\ny\n"), result
    spin = run_isolated(Job(b"while 1: pass"), Limits(0.3), tier)
    assert spin.reason == "cpu"
    fork = run_isolated(Job(b"import os\nos.fork()\nwhile 1: pass"), Limits(0.3), tier)
    assert (fork.reason, fork.exit_code) == (("end", 1) if tier == "B" else ("cpu", -9))
    daemon = Job(b"import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)")
    assert run_isolated(daemon, Limits(2), tier).reason == "end"
    assert my_processes() == []


@pytest.mark.parametrize(
    "statement",
    [
        "open('/etc/passwd')",
        "open('/tmp/microcoder-marker', 'w')",
        "os.listdir('/proc')",
        "open(f'/proc/{os.getppid()}/environ')",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.killpg(os.getpgid(os.getppid()), 0)",
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "__import__('socket').socket()",
        "__import__('ctypes').CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0 or os.fork()",
    ],
)
def test_tier_b_without_namespaces_closes_files_processes_and_network(statement: str) -> None:
    code = f"import os\ntry:\n {statement}\nexcept OSError: print('refused')\nelse: print('done')"
    result = run_isolated(Job(code.encode()), Limits(2), "B")
    assert result.stdout == b"refused\n", result


def test_isolates_as_a_plain_user_too() -> None:
    code = b"import os\nprint(os.getuid(), os.getpid())\nos.listdir('/work')"
    result = run_isolated(Job(code), Limits(2), "A", outer=0)
    if result.reason == "setup" and os.geteuid() == 0:
        pytest.skip("root may not make a user namespace here")
    assert (result.stdout, result.exit_code) == (b"1000 2\n", 1)


def test_refuses_to_run_without_isolation_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    status = Status("C", "isolation stopped at: setup namespaces", "sysctl -w something=1")
    monkeypatch.setattr(sandbox, "sandbox_status", lambda: status)
    with pytest.raises(SandboxError, match=r"sysctl -w something=1.*weakest_tier to 'C'"):
        Judge()
    with Judge(weakest_tier="C") as judge:
        result = judge.judge(ECHO, "print(input())")
        checker = Checker("program", source="import sys; sys.exit(43 - (input() == 'x'))")
        checked = judge.judge(make_problem(("x", ""), checker=checker), "print('x')")
    assert (result.verdict, result.tier) == ("accepted", "C")
    assert checked.passed, checked


def test_a_failed_setup_names_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = {"binds": [("/nowhere", "/nowhere")], "links": [], "path": []}
    monkeypatch.setattr(room, "layout", lambda tier: odd)
    result = run("print(1)")
    assert result.reason == "setup"
    assert "root" in result.detail
    with Judge() as judge:
        assert judge.judge(ECHO, "print(input())").verdict == "judge_error"


def test_filter_is_well_formed() -> None:
    for machine in ("x86_64", "aarch64"):
        filters = deny_filter(machine), process_filter(machine), lone_filter(b"PID!", machine)
        for code in filters:
            assert len(code) % 8 == 0
            assert 5 < len(code) // 8 < 4096
    assert deny_filter("riscv64") == b""
