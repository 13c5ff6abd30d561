"""The memory of an instance after its action: every byte is the snapshot's again, whatever was written and when pages came."""

import json
import random
from collections.abc import Generator, Iterator
from contextlib import suppress
from ctypes import CDLL, c_char, c_size_t, c_void_p

import pytest

from node.engine.guest import artifacts
from node.engine.worker import kernel
from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.instance import GuestError, Host, Instance, Snapshot
from node.engine.worker.memory import Image, Memory

compare = CDLL(None).memcmp
compare.argtypes = [c_void_p, c_void_p, c_size_t]
INSTANCES = 4
MEMORY_BYTES = 64 << 20
POOL = {
    **dict.fromkeys(("total_memories", "total_core_instances", "total_tables", "total_stacks"), INSTANCES),
    "max_memory_size": 4 << 30,
    "linear_memory_keep_resident": 6 << 20,
    "table_elements": 20_000,
}
PROGRAMS = {
    "a constant": "function main() { return 'done'; }",
    "globals": "function main() { globalThis.mark = 'm'.repeat(50); Array.prototype.mark = [1, 2]; }",
    "many objects": "function main() { const all = []; for (let n = 0; n < 300; n += 1) all.push({ n }); return all.length; }",
    "objects that are freed": "function main() { for (let n = 0; n < 20000; n += 1) ({ n, at: [n] }); }",
    "bytes": "function main() { globalThis.kept = new Uint8Array(20000).fill(7); }",
    "a long text": "function main() { return 'x'.repeat(10000); }",
    "an error": "function main() { throw new Error('no'); }",
    "a syntax error": "function main( {",
    "something that waits": "function main() { return new Promise((done) => setTimeout(done, 1e6)); }",
}
GROWING = {
    "a large array": "function main() { globalThis.kept = new Uint8Array(8 << 20).fill(1); }",
    "ethers, loaded where it is not": "function main() { return ethers.version; }",
}


class World:
    """Instances of one snapshot of this checkout, and what a worker does with their memory."""

    def __init__(self, name: str) -> None:
        library = (artifacts.FOLDER / "ethers.bytecode").read_bytes()
        self.host = Host({b"ethers": library}, lambda: None)
        self.engine = wasmtime.new_engine(POOL)
        self._linker = wasmtime.Linker(self.engine)
        self.host.define(self._linker)
        prepared = self._linker.prepare(wasmtime.load_module(self.engine, str(artifacts.FOLDER / f"{name}.cwasm")))
        instance = Instance(self.engine, prepared, MEMORY_BYTES)
        size = instance.size()
        image = (c_char * size).from_buffer_copy(instance.read(0, size))
        places = [instance.ask(name) for name in (b"exchange_at", b"exchange_size", b"out_at", b"out_used_at")]
        instance.drop()
        self.snapshot = Snapshot(prepared, Image(image), (places[0], places[1], places[2], places[3]))

    def fresh(self) -> Instance:
        """An instance that may have been another's slot, prepared as a worker does with one that was given back."""
        instance = Instance(self.engine, self.snapshot.prepared, MEMORY_BYTES)
        instance.memory = Memory(instance.base, self.snapshot.image)
        instance.memory.prepare()
        return instance

    def run(self, instance: Instance, code: str) -> None:
        """Run one turn of an action. Raises GuestError."""
        job = {"code": code, "longestFrame": 1 << 20, "longestLine": 1 << 17, "params": {}, "headers": {}}
        text = json.dumps(job).encode()
        self.host.running = (instance, self.snapshot)
        instance.write(self.snapshot.exchange_at, text)
        instance.start_run(0, self.snapshot.exchange_at, len(text), (1, 1))
        while not instance.poll():
            pass
        instance.result()

    def is_restored(self, instance: Instance) -> bool:
        """Whether every byte of its memory is the snapshot's."""
        image = self.snapshot.image
        # A copy would be new pages, after whose faults no memory is restored the short way.
        return not compare(instance.base, image.address, image.size)


@pytest.fixture(scope="module", params=["plain", "ethers"])
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


@pytest.fixture
def instance(world: World) -> Iterator[Instance]:
    yield world.fresh()
    world.snapshot.drop_idle()


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_equals_the_snapshot_after_each_run(world: World, instance: Instance, program: str) -> None:
    for _ in range(4):
        world.run(instance, PROGRAMS[program])
        assert not world.is_restored(instance)
        world.snapshot.take_back(instance)
        assert world.snapshot.idle == [instance]
        assert world.is_restored(instance)
        world.snapshot.idle.clear()
    world.snapshot.take_back(instance)


def test_one_that_left_an_encryption_half_done_keeps_no_key(world: World, instance: Instance) -> None:
    world.run(instance, PROGRAMS["a constant"])
    instance.aes.begin("encrypt", "GCM", "11" * 32, "00" * 12, "0")
    world.snapshot.take_back(instance)
    assert world.snapshot.idle == [instance]
    with pytest.raises(ValueError, match="nothing was begun"):
        instance.aes.update("00")


def test_one_that_left_a_native_function_half_done_is_not_used_again(world: World, instance: Instance) -> None:
    def half_done() -> Generator[None, None, str]:
        yield
        return "of the last action"

    world.run(instance, PROGRAMS["a constant"])
    instance.work = half_done()
    world.snapshot.take_back(instance)
    assert world.snapshot.idle == []


@pytest.mark.parametrize("found", ["none before", "another's pages"])
def test_a_write_to_any_page_is_undone(world: World, found: str) -> None:
    """Each page is written for the first time, and then again once it is known to be written."""
    if found == "another's pages":
        # wasmtime writes all of the memory at its end, after which no first write of the next one there is a fault.
        world.fresh().drop()
    instance = world.fresh()
    memory = memory_of(instance)
    for at in range(0, world.snapshot.image.size, 3 * kernel.PAGE_BYTES + 1):
        byte = instance.read(at, 1)
        for written in (b"\x01", byte, b"\x02", b"\x03"):
            instance.write(at, written)
            memory.restore()
            assert instance.read(at, 1) == byte
    assert world.is_restored(instance)
    instance.drop()


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_snapshot_whatever_its_neighbours_did(world: World, seed: int) -> None:
    """Pages come and go for many reasons; each order of them ends in the same bytes."""
    chance = random.Random(seed)
    instances = [world.fresh() for _ in range(INSTANCES)]
    for _ in range(60):
        place = chance.randrange(INSTANCES)
        instance = instances[place]
        with suppress(GuestError):
            for _ in range(chance.choice((1, 1, 2))):
                world.run(instance, chance.choice([*PROGRAMS.values(), *GROWING.values()]))
        # Written as by an action, anywhere: also where none has written yet, and sometimes with what was there.
        at = chance.randrange(world.snapshot.image.size)
        instance.write(at, chance.choice((b"\x01", instance.read(at, 1))))
        if chance.random() < 0.2:
            memory_of(instance).give_back_equal()
        world.snapshot.take_back(instance)
        if not world.snapshot.idle:
            instances[place] = world.fresh()
            continue
        world.snapshot.idle.clear()
        assert world.is_restored(instance)
        if chance.random() < 0.1:
            memory_of(instance).give_back()
            if chance.random() < 0.5:
                memory_of(instance).prepare()
    for instance in instances:
        instance.drop()


def memory_of(instance: Instance) -> Memory:
    assert instance.memory is not None
    return instance.memory


def test_what_is_written_again_and_again_costs_no_faults(world: World, instance: Instance) -> None:
    for _ in range(4):
        world.run(instance, PROGRAMS["a constant"])
        world.snapshot.take_back(instance)
        world.snapshot.idle.clear()
    before = kernel.faults()
    for _ in range(10):
        world.run(instance, PROGRAMS["a constant"])
        world.snapshot.take_back(instance)
        world.snapshot.idle.clear()
    # One comparison alone makes hundreds.
    assert kernel.faults() - before < 100
    world.snapshot.take_back(instance)


def test_one_that_has_grown_is_not_used_again(world: World, instance: Instance) -> None:
    world.run(instance, GROWING["a large array"])
    world.snapshot.take_back(instance)
    assert world.snapshot.idle == []


def test_one_that_trapped_is_not_used_again(world: World, instance: Instance) -> None:
    # As who has taken the guest over could: an operation that there is none of ends in its trap.
    instance.start_run(3, world.snapshot.exchange_at, 0, (1, 1))
    while not instance.poll():
        pass
    with pytest.raises(GuestError):
        instance.result()
    world.snapshot.take_back(instance)
    assert world.snapshot.idle == []


def test_one_in_the_middle_of_a_call_is_not_used_again(world: World, instance: Instance) -> None:
    instance.start_run(0, world.snapshot.exchange_at, 0, (1, 1))
    world.snapshot.take_back(instance)
    assert world.snapshot.idle == []
