"""PMI-1, the text protocol by which MPICH and Intel MPI learn who else is there.

Rank 0 serves it; every rank connects and hands the open socket to MPI as PMI_FD. So processes that
torchrun, mp.spawn or a shell started become one MPI_COMM_WORLD, without mpiexec. By a second
connection, the watch, each rank learns who was lost and who left.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import uuid
from itertools import groupby
from typing import Any

from minitorch.distributed.connecting import connected

_MAPPING = "PMI_process_mapping"  # which ranks share a machine


class Server(threading.Thread):
    """Answers the ranks of one world until the process ends.

    Args:
        size: how many ranks there are.
        listening: the socket on which they connect.
    """

    def __init__(self, size: int, listening: socket.socket) -> None:
        super().__init__(daemon=True, name="minitorch PMI")
        self.size, self.listening = size, listening
        # MPICH names its shared memory by it: never the same twice.
        self.name_of_table = f"kvs_{uuid.uuid4().hex}"
        self.values: dict[str, str] = {}
        self.ranks: dict[socket.socket, int] = {}
        self.hosts: dict[int, str] = {}
        self.unread: dict[socket.socket, bytes] = {}
        self.watchers: dict[socket.socket, int] = {}  # and their ranks
        self.in_barrier: list[socket.socket] = []
        self.asking: list[socket.socket] = []  # for the mapping, before all hosts are known

    def run(self) -> None:
        """Answers for as long as the process lives."""
        selector = selectors.DefaultSelector()
        selector.register(self.listening, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                peer: Any = key.fileobj
                if peer is self.listening:
                    peer, _ = peer.accept()
                    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(peer, selectors.EVENT_READ)
                    self.unread[peer] = b""
                elif not self._read(peer):
                    selector.unregister(peer)
                    self._forget(peer)

    def _read(self, peer: socket.socket) -> bool:
        """Answers what a connection asks; whether it is still there."""
        try:
            part = peer.recv(1 << 16)
        except OSError:
            part = b""
        if not part:
            return False
        *lines, self.unread[peer] = (self.unread[peer] + part).split(b"\n")
        for line in lines:
            self.answer(peer, line.decode())
        return True

    def _forget(self, peer: socket.socket) -> None:
        del self.unread[peer]
        self.watchers.pop(peer, None)
        rank = self.ranks.pop(peer, None)
        peer.close()
        if rank is not None:
            self._tell(f"lost {rank}", None)

    def _tell(self, news: str, but: Any) -> None:
        for watcher in self.watchers:
            if watcher is not but:
                _send(watcher, news)

    def answer(self, peer: Any, line: str) -> None:
        """Answers one line."""
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        command = words.get("cmd") or words.get("mcmd") or ""
        handler = getattr(self, f"_on_{command}", None)
        if handler is not None:
            handler(peer, words)
            return
        answers = {
            "init": "response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            # Long values: else MPICH asks for every rank's address in pieces.
            "get_maxes": "maxes rc=0 kvsname_max=256 keylen_max=256 vallen_max=16384",
            "get_appnum": "appnum rc=0 appnum=0",
            "get_my_kvsname": f"my_kvsname rc=0 kvsname={self.name_of_table}",
            "get_universe_size": f"universe_size rc=0 size={self.size}",
            "finalize": "finalize_ack rc=0",
        }
        _send(peer, f"cmd={answers.get(command, f'{command}_result rc=-1')}")

    # ---- what ranks say to this server alone, before MPI gets the socket and beside it

    def _on_rank(self, peer: Any, words: dict[str, str]) -> None:
        rank = int(words["rank"])
        self.ranks[peer], self.hosts[rank] = rank, words["host"]
        if len(self.hosts) == self.size:
            asking, self.asking = self.asking, []
            for each in asking:
                self._on_get(each, {"key": _MAPPING})

    def _on_watch(self, peer: Any, words: dict[str, str]) -> None:
        self.watchers[peer] = int(words["rank"])

    def _on_ask(self, peer: Any, words: dict[str, str]) -> None:
        self._tell(f"ask {self.watchers[peer]}", peer)

    def _on_say(self, peer: Any, words: dict[str, str]) -> None:
        for watcher, rank in self.watchers.items():
            if rank == int(words["to"]):
                _send(watcher, f"say {self.watchers[peer]} {words['what']}")

    def _on_bye(self, peer: Any, words: dict[str, str]) -> None:
        gone = int(words["rank"])
        self.ranks = {each: rank for each, rank in self.ranks.items() if rank != gone}
        self._tell(f"bye {gone} {words['well']}", peer)

    # ---- PMI-1

    def _on_barrier_in(self, peer: Any, words: dict[str, str]) -> None:
        self.in_barrier.append(peer)
        if len(self.in_barrier) == self.size:
            everyone, self.in_barrier = self.in_barrier, []
            for each in everyone:
                _send(each, "cmd=barrier_out rc=0")

    def _on_put(self, peer: Any, words: dict[str, str]) -> None:
        self.values[words["key"]] = words["value"]
        _send(peer, "cmd=put_result rc=0 msg=success")

    def _on_get(self, peer: Any, words: dict[str, str]) -> None:
        key = words["key"]
        if key == _MAPPING and len(self.hosts) < self.size:
            self.asking.append(peer)
            return
        value = self._mapping() if key == _MAPPING else self.values.get(key)
        found = "rc=-1 msg=none value=none" if value is None else f"rc=0 msg=success value={value}"
        _send(peer, f"cmd=get_result {found}")

    def _mapping(self) -> str:
        """Runs of ranks on one machine, as (number of the machine, 1, length of the run)."""
        hosts = [self.hosts[rank] for rank in range(self.size)]
        numbers = {host: i for i, host in enumerate(dict.fromkeys(hosts))}
        runs = ((numbers[host], len(list(run))) for host, run in groupby(hosts))
        return "(vector," + ",".join(f"({number},1,{length})" for number, length in runs) + ")"


def _send(peer: Any, line: str) -> None:
    with contextlib.suppress(OSError):  # its end is noticed when the connection is read
        peer.sendall(f"{line}\n".encode())


def join(rank: int, size: int, host: str, port: int, limit: float) -> socket.socket:
    """Sets what MPI reads when it starts; returns the watch.

    Args:
        host, port: where the server is.
        limit: how many seconds it may take to reach it.
    """
    peer = connected(host, port, limit)
    peer.settimeout(None)
    peer.sendall(f"cmd=rank rank={rank} host={socket.gethostname()}\n".encode())
    os.environ.update(PMI_FD=str(peer.detach()), PMI_RANK=str(rank), PMI_SIZE=str(size))
    watch = connected(host, port, limit)
    watch.settimeout(None)
    watch.sendall(f"cmd=watch rank={rank}\n".encode())
    return watch


def answer_goodbye() -> None:
    """Answers what MPI says to the server at exit, where there may be none any more.

    MPI's handler says goodbye and waits: its descriptor becomes one that holds the answer already.
    """
    here, there = socket.socketpair()
    there.sendall(b"cmd=finalize_ack rc=0\n")
    os.dup2(here.fileno(), int(os.environ["PMI_FD"]))
    here.close()
    there.detach()
