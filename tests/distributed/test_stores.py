"""Stores: their values, waiting for keys, and refusals in torch's words."""

import datetime
import threading
import time

import pytest

from minitorch import distributed as dist


def seconds(number):
    return datetime.timedelta(seconds=number)


@pytest.fixture(params=["hash", "file", "tcp", "prefix"])
def store(request, tmp_path):
    if request.param == "file":
        return dist.FileStore(str(tmp_path / "store"), 1)
    if request.param == "tcp":
        return dist.TCPStore("localhost", 0, 1, True, seconds(5))
    plain = dist.HashStore()
    return plain if request.param == "hash" else dist.PrefixStore("part", plain)


def test_a_store_returns_what_was_set_as_bytes(store):
    store.set("a", "1")
    store.set("b", b"\x00\xff")
    assert (store.get("a"), store.get("b")) == (b"1", b"\x00\xff")
    assert store.multi_get(["a", "b"]) == [b"1", b"\x00\xff"]
    assert store.check(["a", "b"])
    assert not store.check(["a", "c"])


def test_add_counts_and_refuses_text(store):
    assert (store.add("n", 2), store.add("n", -5), store.get("n")) == (2, -3, b"-3")
    store.set("text", "xyz")
    with pytest.raises(ValueError, match="stoll"):
        store.add("text", 1)


def test_compare_set_writes_where_the_expected_value_stands(store):
    assert store.compare_set("c", "x", "w") == b"x"
    assert store.compare_set("c", "", "v") == b"v"
    assert store.compare_set("c", "x", "w") == b"v"
    assert store.compare_set("c", "v", "w") == b"w"


def test_append_lengthens_a_value(store):
    store.append("a", "1")
    store.append("a", "2")
    assert store.get("a") == b"12"


def test_delete_key_removes_a_key(store):
    store.set("a", "1")
    assert store.delete_key("a")
    assert not store.check(["a"])


def test_a_missing_key_is_awaited_no_longer_than_the_timeout(store):
    store.set_timeout(seconds(0.1))
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"[wW]ait timeout|Timeout waiting for key: none"):
        store.get("none")
    with pytest.raises(RuntimeError, match=r"[wW]ait timeout"):
        store.wait(["none"], seconds(0.1))
    assert time.monotonic() - start >= 0.2


def test_get_returns_when_another_thread_sets_the_key(store):
    other = store.clone()
    thread = threading.Timer(0.1, other.set, ("late", "1"))
    thread.start()
    assert store.get("late") == b"1"
    thread.join()


def test_a_queue_hands_out_values_in_turn(store):
    if isinstance(store, dist.FileStore):
        with pytest.raises(NotImplementedError, match="queue support is not implemented"):
            store.queue_push("q", "1")
        return
    store.queue_push("q", "1")
    store.queue_push("q", "2")
    assert store.queue_len("q") == 2
    assert (store.queue_pop("q"), store.queue_pop("q")) == (b"1", b"2")
    with pytest.raises(dist.QueueEmptyError, match="queue is empty"):
        store.queue_pop("q", False)


def test_wrong_arguments_are_refused_in_the_words_of_pybind11(store):
    with pytest.raises(TypeError) as caught:
        store.set("a", 1)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("set(): incompatible function arguments. The following")
    assert lines[1] == (
        "    1. (self: torch._C._distributed_c10d.Store, arg0: str, arg1: str) -> None"
    )
    assert lines[3].endswith(", 'a', 1")


def test_barrier_of_a_store_waits_for_all(store):
    thread = threading.Timer(0.1, store.clone().barrier, ("b", 2))
    thread.start()
    store.barrier("b", 2)
    thread.join()


def test_prefix_store_keeps_its_keys_apart():
    plain = dist.HashStore()
    part = dist.PrefixStore("part", plain)
    part.set("k", "v")
    assert plain.get("part/k") == b"v"
    assert part.list_keys() == ["k"]
    assert part.underlying_store is plain


def test_file_store_is_shared_by_path_and_deleted_with_its_last_worker(tmp_path):
    path = tmp_path / "store"
    first, second = (dist.FileStore(str(path), 2) for _ in range(2))
    first.set("a", "1")
    assert second.get("a") == b"1"
    del first
    assert path.exists()
    del second
    assert not path.exists()


def test_file_store_writes_the_journal_that_torch_reads(tmp_path):
    path = tmp_path / "store"
    store = dist.FileStore(str(path), 1)
    store.set("a", "xyz")
    assert path.read_bytes() == (
        b"\t\0\0\0refcount/\x01\0\0\x001" + b"\x02\0\0\0/a" + b"\x03\0\0\0xyz"
    )


def test_tcp_store_serves_clients_and_counts_them():
    server = dist.TCPStore("localhost", 0, None, True, seconds(5))
    client = dist.TCPStore("localhost", server.port, None, False, seconds(5))
    client.set("a", "1")
    assert server.get("a") == b"1"
    with pytest.raises(dist.DistStoreError, match=r"wait timeout after 50ms, keys: /x, /y"):
        client.wait(["x", "y"], seconds(0.05))
    with pytest.raises(dist.DistNetworkError, match="EADDRINUSE, message: address already in use"):
        dist.TCPStore("localhost", server.port, None, True, seconds(1))


def test_tcp_store_says_who_is_missing():
    with pytest.raises(dist.DistStoreError, match="1/2 clients joined"):
        dist.TCPStore("localhost", 0, 2, True, seconds(0.05))


def test_tcp_store_says_that_nobody_listens():
    with pytest.raises(dist.DistNetworkError, match=r"timed out after 50ms .*\(localhost, 1\)"):
        dist.TCPStore("localhost", 1, None, False, seconds(0.05))


def test_the_server_of_a_tcp_store_ends_with_it():
    store = dist.TCPStore("localhost", 0, None, True, seconds(5))
    port = store.port
    del store
    again = dist.TCPStore("localhost", port, None, True, seconds(5))
    assert again.num_keys() == 0


def test_a_store_written_in_python_gets_text_and_bytes():
    class Mine(dist.Store):
        def __init__(self):
            super().__init__()
            self.values = {}

        def set(self, key, value):
            self.values[key] = value

    mine = Mine()
    dist.PrefixStore("part", mine).set("k", "v")
    assert mine.values == {"part/k": b"v"}
    with pytest.raises(RuntimeError, match='pure virtual function "::c10d::Store::add"'):
        mine.add("a", 1)
