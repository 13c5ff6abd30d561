"""The snapshots, loaded once in the zygote: an engine with a pool of instances, three modules, and the host functions."""

from ctypes import Array, c_char

from node.engine.protocol import FIBERS_MAX
from node.engine.worker import kernel
from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.instance import Host, Instance, Snapshot
from node.engine.worker.memory import Image, Memory

_MODULE_MEMORY_BYTES = 4 << 30
_TABLE_ELEMENTS = 20_000
_INSTANCE_BYTES = 1 << 20
_POOL = {
    "total_memories": FIBERS_MAX,
    "total_core_instances": FIBERS_MAX,
    "total_tables": FIBERS_MAX,
    "total_stacks": FIBERS_MAX,
    "max_memory_size": _MODULE_MEMORY_BYTES,
    "linear_memory_keep_resident": 0,
    "table_keep_resident": 1 << 20,
    "table_elements": _TABLE_ELEMENTS,
    "max_core_instance_size": _INSTANCE_BYTES,
    "decommit_batch_size": 1,
    "max_unused_warm_slots": FIBERS_MAX,
}
_LIBRARIES = ("ethers", "ethers6")
_FIRST_MEMORY_BYTES = 64 << 20
_WARMING = (
    b'{"code":"async function main() { return await 1; }","longestFrame":9,"longestLine":9,"params":{},"headers":{}}'
)


class Snapshots:
    """Instances of the snapshot that a program begins from. Raises WasmtimeError or OSError when they are not there."""

    def __init__(self, folder: str) -> None:
        self.host = Host({name.encode(): _read(f"{folder}/{name}.bytecode") for name in _LIBRARIES}, self.advance_epoch)
        self.engine = wasmtime.new_engine(_POOL)
        # Kept: its host functions are called as long as there are instances.
        self._linker = linker = wasmtime.Linker(self.engine)
        self.host.define(linker)
        # Before the lock-in: compiled code is mapped executable, which the call filter forbids.
        self._named = {name: self._load(linker, f"{folder}/{name}.cwasm") for name in ("plain", *_LIBRARIES)}
        self._stacks = kernel.call_stacks(wasmtime.CALL_STACK_BYTES)
        if len(self._stacks) != FIBERS_MAX:
            raise RuntimeError("the stacks of the pool are not where they should be")
        self.reclaim()

    def of_program(self, program: bytes) -> Snapshot:
        """The one that holds the library a program names. One that names none by a plain name loads it by itself."""
        # The longer name first: "ethers" is a part of "ethers6". A plain search is enough: a snapshot with a library that is
        # not used costs memory and nothing else.
        name = next((name for name in reversed(_LIBRARIES) if name.encode() in program), "plain")
        for other in self._named:
            # The pool has as many slots as a worker has fibers.
            if other != name:
                self._named[other].drop_idle()
        return self._named[name]

    def new_instance(self, snapshot: Snapshot, memory_bytes: int) -> Instance:
        """An instance for one action, fresh or equal to a fresh one. `memory_bytes` is the same for all of a process.

        Raises WasmtimeError.
        """
        instance = snapshot.idle.pop() if snapshot.idle else self._fresh(snapshot, memory_bytes)
        if instance.memory is not None and not instance.memory.is_prepared:
            instance.memory.prepare()
        return instance

    def _fresh(self, snapshot: Snapshot, memory_bytes: int) -> Instance:
        try:
            instance = Instance(self.engine, snapshot.prepared, memory_bytes)
        except wasmtime.WasmtimeError:
            # Where the one before had grown: wasmtime may not hide that (see sandbox), and has given the slot up.
            instance = Instance(self.engine, snapshot.prepared, memory_bytes)
        instance.memory = Memory(instance.base, snapshot.image)
        return instance

    def reclaim(self) -> None:
        """Give back what ended actions left: the instances that wait for another one, and all stacks.

        To be called while no call is in progress.
        """
        for snapshot in self._named.values():
            for instance in snapshot.idle:
                if instance.memory is not None:
                    instance.memory.give_back()
        for stack in self._stacks:
            kernel.give_back(stack, wasmtime.CALL_STACK_BYTES)

    def forget_written(self) -> None:
        """Have no page at hand any more for actions to write, beside what they are seen to write from now on."""
        for snapshot in self._named.values():
            snapshot.drop_idle()
            snapshot.image.written = []

    def clear(self) -> None:
        """Drop every instance that waits for an action: what is known of its pages holds in this process alone."""
        for snapshot in self._named.values():
            snapshot.drop_idle()
            snapshot.image.forget()
        self.reclaim()

    def advance_epoch(self) -> None:
        """Have whatever runs in this process yield."""
        wasmtime.increment_epoch(self.engine)

    def _load(self, linker: wasmtime.Linker, path: str) -> Snapshot:
        prepared = linker.prepare(wasmtime.load_module(self.engine, path))
        # Dropped before the next is made: a slot of the pool that was used costs every worker page tables.
        image = Image(self._image(prepared))
        instance = Instance(self.engine, prepared, _FIRST_MEMORY_BYTES)
        at, size, out_at, out_used_at = (
            instance.ask(name) for name in (b"exchange_at", b"exchange_size", b"out_at", b"out_used_at")
        )
        snapshot = Snapshot(prepared, image, (at, size, out_at, out_used_at))
        self._run_once(instance, snapshot)
        instance.drop()
        return snapshot

    def _image(self, prepared: int) -> Array[c_char]:
        """A copy of the memory that instances begin with. Raises RuntimeError when memory given back is not the same."""
        instance = Instance(self.engine, prepared, _FIRST_MEMORY_BYTES)
        size = instance.size()
        image = (c_char * size).from_buffer_copy(instance.read(0, size))
        kernel.give_back(instance.base, size)
        if instance.read(0, size) != image.raw:
            # Memory that cannot be given back would leak the data of one action into the next.
            raise RuntimeError("the snapshot is not mapped but copied: its pages cannot be given back")
        instance.drop()
        return image

    def rehearse(self, memory_bytes: int) -> None:
        """Run what every run does, in a worker that has no program yet: what it touches first is touched then."""
        snapshot = self._named["plain"]
        instance = self.new_instance(snapshot, memory_bytes)
        self._run_once(instance, snapshot)
        snapshot.take_back(instance)

    def _run_once(self, instance: Instance, snapshot: Snapshot) -> None:
        self.host.running = (instance, snapshot)
        instance.write(snapshot.exchange_at, _WARMING)
        instance.start_run(0, snapshot.exchange_at, len(_WARMING), (1, 1))
        while not instance.poll():
            pass
        instance.result()
        self.host.running = None


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs every worker
        return file.read()
