"""The PMI-1 server, by dialogues as MPICH has them."""

import socket

import pytest

from minitorch.distributed import pmi


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield pmi.Server(2, listening)


class Peer:
    """Stands for a connection; keeps the bytes sent to it."""

    def __init__(self):
        self.lines = []

    def sendall(self, data):
        self.lines += data.decode().splitlines()


def asked(server, line, peer=None):
    peer = peer or Peer()
    server.answer(peer, line)
    return peer.lines


def test_the_server_answers_what_mpi_asks_first(server):
    assert asked(server, "cmd=init pmi_version=1 pmi_subversion=1") == [
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
    ]
    assert asked(server, "cmd=get_maxes") == [
        "cmd=maxes rc=0 kvsname_max=256 keylen_max=256 vallen_max=16384"
    ]
    assert asked(server, "cmd=get_universe_size") == ["cmd=universe_size rc=0 size=2"]
    assert asked(server, "cmd=unheard_of") == ["cmd=unheard_of_result rc=-1"]


def test_values_are_put_and_got(server):
    assert asked(server, "cmd=get kvsname=k key=a") == ["cmd=get_result rc=-1 msg=none value=none"]
    asked(server, "cmd=put kvsname=k key=a value=b=c#d")
    assert asked(server, "cmd=get kvsname=k key=a") == [
        "cmd=get_result rc=0 msg=success value=b=c#d"
    ]


def test_a_barrier_is_answered_when_all_are_in(server):
    first, second = Peer(), Peer()
    server.answer(first, "cmd=barrier_in")
    assert first.lines == []
    server.answer(second, "cmd=barrier_in")
    assert first.lines == second.lines == ["cmd=barrier_out rc=0"]


def test_the_mapping_is_told_when_all_hosts_are_known(server):
    first, second = Peer(), Peer()
    server.answer(first, "cmd=rank rank=0 host=a")
    server.answer(first, "cmd=get kvsname=k key=PMI_process_mapping")
    assert first.lines == []
    server.answer(second, "cmd=rank rank=1 host=a")
    assert first.lines == ["cmd=get_result rc=0 msg=success value=(vector,(0,1,2))"]


def test_two_worlds_never_have_one_name(server):
    other = pmi.Server(2, server.listening)
    assert other.name_of_table != server.name_of_table


def test_watchers_hear_who_leaves(server):
    watcher, leaver = Peer(), Peer()
    server.answer(watcher, "cmd=watch rank=0")
    server.answer(leaver, "cmd=rank rank=1 host=a")
    server.answer(leaver, "cmd=bye rank=1 well=1")
    assert watcher.lines == ["bye 1 1"]
    assert server.ranks == {}
