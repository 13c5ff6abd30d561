"""The zygote's engine with a pool of instances, three snapshots, and the host functions."""

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
    """Makes instances of a program's snapshot. Raises WasmtimeError or OSError without files."""

    def __init__(self, folder: str) -> None:
        self.host = Host({name.encode(): _read(f"{folder}/{name}.bytecode") for name in _LIBRARIES}, self.advance_epoch)
        self.engine = wasmtime.new_engine(_POOL)
        # Keep it, since instances call its host functions.
        self._linker = linker = wasmtime.Linker(self.engine)
        self.host.define(linker)
        # Before the sandbox, whose filter forbids to map executable code.
        self._named = {name: self._load(linker, f"{folder}/{name}.cwasm") for name in ("plain", *_LIBRARIES)}
        self._stacks = kernel.call_stacks(wasmtime.CALL_STACK_BYTES)
        if len(self._stacks) != FIBERS_MAX:
            raise RuntimeError("the stacks of the pool are not where they should be")
        self.reclaim()

    def of_program(self, program: bytes) -> Snapshot:
        """Returns the snapshot with the library that a program names, or the plain one."""
        # The longer name first, since "ethers" is a part of "ethers6". A wrong match only costs
        # memory. A program that hides the name loads the library itself.
        name = next((name for name in reversed(_LIBRARIES) if name.encode() in program), "plain")
        for other in self._named:
            # The pool has as many slots as a worker has fibers.
            if other != name:
                self._named[other].drop_idle()
        return self._named[name]

    def new_instance(self, snapshot: Snapshot, memory_bytes: int) -> Instance:
        """Returns an instance equal to a new one. `memory_bytes` is constant in a process.

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
            # The slot's former instance had grown, and under the sandbox wasmtime gave it up.
            instance = Instance(self.engine, snapshot.prepared, memory_bytes)
        instance.memory = Memory(instance.base, snapshot.image)
        return instance

    def reclaim(self) -> None:
        """Returns the memory of idle instances and all stacks to the kernel.

        Call it while no call is in progress.
        """
        for snapshot in self._named.values():
            for instance in snapshot.idle:
                if instance.memory is not None:
                    instance.memory.give_back()
        for stack in self._stacks:
            kernel.give_back(stack, wasmtime.CALL_STACK_BYTES)

    def forget_written(self) -> None:
        """Forgets which pages actions write, so that only later writes count."""
        for snapshot in self._named.values():
            snapshot.drop_idle()
            snapshot.image.written = []

    def clear(self) -> None:
        """Drops idle instances, since the knowledge of their pages holds in this process only."""
        for snapshot in self._named.values():
            snapshot.drop_idle()
            snapshot.image.forget()
        self.reclaim()

    def advance_epoch(self) -> None:
        """Makes the running fiber of this process yield."""
        wasmtime.increment_epoch(self.engine)

    def _load(self, linker: wasmtime.Linker, path: str) -> Snapshot:
        prepared = linker.prepare(wasmtime.load_module(self.engine, path))
        # Drop each before the next, since every used slot costs every worker page tables.
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
        """Copies the initial memory. Raises RuntimeError if returned memory differs from it."""
        instance = Instance(self.engine, prepared, _FIRST_MEMORY_BYTES)
        size = instance.size()
        image = (c_char * size).from_buffer_copy(instance.read(0, size))
        kernel.give_back(instance.base, size)
        if instance.read(0, size) != image.raw:
            # Memory that cannot be returned would leak one action's data into the next.
            raise RuntimeError("the snapshot is not mapped but copied: its pages cannot be given back")
        instance.drop()
        return image

    def rehearse(self, memory_bytes: int) -> None:
        """Runs a minimal call in a worker without a program, to touch what every run touches."""
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
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs memory
        return file.read()
