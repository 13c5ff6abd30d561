"""A guest that was taken over by its action: whatever it calls and returns, the host stays within that guest's memory."""

import itertools
from collections.abc import Iterator
from ctypes import c_char
from tempfile import NamedTemporaryFile

import pytest
import wasmtime as wat

from node.engine.worker import wasmtime_api as wasmtime
from node.engine.worker.channel import FiberChannel
from node.engine.worker.fiber import Fiber, FiberLimits
from node.engine.worker.instance import GuestError, Host, Instance, Snapshot
from node.engine.worker.memory import Image

PAGE = 65_536
MEMORY = 2 * PAGE
EXCHANGE, EXCHANGE_BYTES, OUT, OUT_USED = 1024, 4096, 8192, 512
HEADER = f"""
 (import "host" "emit" (func $emit (param i32 i32)))
 (import "host" "native" (func $native (param i32 i32 i32) (result i32)))
 (import "host" "clock" (func $clock (param i32) (result i64)))
 (import "host" "random" (func $random (param i32 i32)))
 (import "host" "library" (func $library (param i32 i32 i32 i32) (result i32)))
 (memory (export "memory") {MEMORY // PAGE} 4)
"""
CALLER = f"""(module {HEADER}
 (func (export "alloc") (param i32) (result i32) i32.const 0)
 (func (export "run") (param $which i32) (param $a i32) (param $b i32) (param $c i64) (param $d i64) (result i64)
  (if (i32.eq (local.get $which) (i32.const 0)) (then
   (call $emit (local.get $a) (local.get $b)) (return (i64.const 0))))
  (if (i32.eq (local.get $which) (i32.const 1)) (then
   (return (i64.extend_i32_u (call $native (i32.wrap_i64 (local.get $c)) (local.get $a) (local.get $b))))))
  (if (i32.eq (local.get $which) (i32.const 2)) (then
   (call $random (local.get $a) (local.get $b)) (return (i64.const 0))))
  (if (i32.eq (local.get $which) (i32.const 3)) (then
   (return (i64.extend_i32_u (call $library (local.get $a) (local.get $b)
    (i32.wrap_i64 (local.get $c)) (i32.wrap_i64 (local.get $d)))))))
  (call $clock (local.get $a))))"""
EMIT, NATIVE, RANDOM, LIBRARY, CLOCK = range(5)
ABSURD = (
    0,
    1,
    4,
    EXCHANGE,
    MEMORY - 4,
    MEMORY - 1,
    MEMORY,
    MEMORY + 1,
    4 * PAGE,
    2**31 - 1,
    2**31,
    2**32 - 4,
    2**32 - 1,
)
CODE = b"bytecode" * 100
MARK = 0xA5


class World:
    """Instances of one module, and the host that they call."""

    def __init__(self, text: str) -> None:
        self.host = Host({b"ethers": CODE}, lambda: None)
        self._engine = wasmtime.new_engine(
            {
                "total_memories": 4,
                "total_core_instances": 4,
                "total_tables": 4,
                "total_stacks": 4,
                "max_memory_size": 1 << 32,
            }
        )
        self._linker = wasmtime.Linker(self._engine)
        self.host.define(self._linker)
        with NamedTemporaryFile() as file:
            file.write(wasmtime.compile_module(bytes(wat.wat2wasm(text))))
            file.flush()
            module = wasmtime.load_module(self._engine, file.name)
        image = Image((c_char * MEMORY)())
        self.snapshot = Snapshot(self._linker.prepare(module), image, (EXCHANGE, EXCHANGE_BYTES, OUT, OUT_USED))

    def instance(self, memory_bytes: int = 4 * PAGE) -> Instance:
        return Instance(self._engine, self.snapshot.prepared, memory_bytes)

    def call(self, instance: Instance, *arguments: int) -> int:
        """What `run` returns. Raises GuestError."""
        which, a, b, c, d = (*arguments, 0, 0, 0, 0)[:5]
        self.host.running = (instance, self.snapshot)
        instance.start_run(which, signed(a), signed(b), (c, d))
        while not instance.poll():
            pass
        return instance.result()


def signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


@pytest.fixture(scope="module")
def world() -> World:
    return World(CALLER)


@pytest.fixture
def neighbours(world: World) -> Iterator[list[Instance]]:
    """Three instances whose memory is full of marks; the one in the middle is for the test."""
    made = [world.instance() for _ in range(3)]
    for instance in made:
        instance.write(0, bytes([MARK]) * MEMORY)
    yield made
    for untouched in (made[0], made[2]):
        assert untouched.read(0, MEMORY) == bytes([MARK]) * MEMORY
    for instance in made:
        instance.drop()


@pytest.mark.parametrize("which", [EMIT, RANDOM, NATIVE, LIBRARY])
def test_no_address_and_length_leads_out_of_memory(world: World, neighbours: list[Instance], which: int) -> None:
    taken: list[bytes] = []
    world.host.emit = lambda _, data: taken.append(data)
    for at, length in itertools.product(ABSURD, ABSURD):
        within = at + length <= MEMORY
        try:
            world.call(neighbours[1], which, at, length, 0)
        except GuestError:
            assert which != EMIT or not within
        else:
            assert within or which == LIBRARY
    assert all(len(data) <= MEMORY for data in taken)


@pytest.mark.parametrize("at", ABSURD)
def test_a_library_is_copied_into_memory_or_nowhere(world: World, neighbours: list[Instance], at: int) -> None:
    instance = neighbours[1]
    instance.write(PAGE, b"ethers")
    for room in ABSURD:
        try:
            size = world.call(instance, LIBRARY, PAGE, 6, at, room)
        except GuestError:
            assert at + len(CODE) > MEMORY
        else:
            assert size == (len(CODE) if at == 0 or room >= len(CODE) else 2**32 - 1)
    assert instance.read(PAGE, 6) == b"ethers"


@pytest.mark.parametrize("number", [*range(40), *ABSURD])
def test_native_functions_live_with_arguments_that_are_none(
    world: World, neighbours: list[Instance], number: int
) -> None:
    instance = neighbours[1]
    for arguments in (
        b"",
        b"\0",
        b"\xff\xff\xff\xff",
        b"\4\0\0\0abc",
        b"\0\0\0\0" * 6,
        b"\1\0\0\0\xff" * 5,
        b"\2\0\0\0zz" * 3,
        b"\x08\0\0\0SHA-256\0" + b"\2\0\0\0ab" * 4,
    ):
        instance.write(EXCHANGE, arguments)
        instance.work = None
        try:
            length = world.call(instance, NATIVE, EXCHANGE, len(arguments), number)
        except GuestError:
            continue
        assert length in {2**32 - 1, 2**32 - 2} or length <= EXCHANGE_BYTES


def test_an_argument_longer_than_the_answer_has_room_for(world: World, neighbours: list[Instance]) -> None:
    # domainToAscii refuses a name of this length: an answer never exceeds the buffer it is written to.
    instance = neighbours[1]
    for length in (EXCHANGE_BYTES, MEMORY - 4 - EXCHANGE):
        instance.write(EXCHANGE, length.to_bytes(4, "little"))
        assert world.call(instance, NATIVE, EXCHANGE, 4 + length, 0) in {0, 2**32 - 1}


def test_a_flood_of_frames_in_one_call_ends_the_fiber() -> None:
    """Reading them all would take the worker minutes, in which it could end nothing."""
    world = World(CALLER)
    instance, channel = world.instance(), Recorder()
    fiber = Fiber(1, instance, world.snapshot, FiberLimits(4 * PAGE, 1000, 1000), lambda: None)
    world.host.emit = lambda at, data: fiber._take(at, data, channel)
    instance.write(0, b"L\0\0\0\0" * (MEMORY // 5))
    with pytest.raises(GuestError):
        world.call(instance, EMIT, 0, MEMORY // 5 * 5)
    assert len(channel.kinds) < PAGE // 4 + 1


@pytest.mark.parametrize("used", [OUT, MEMORY, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_run_that_claims_more_output_than_there_is_memory(used: int) -> None:
    assert outcome_of(f"(i64.const {used << 32 if used < 2**31 else (used << 32) - 2**64})") == "X"


@pytest.mark.parametrize("at", [1, MEMORY - 1, MEMORY, 2**31, 2**32 - 1])
def test_memory_for_a_long_text_that_is_none(at: int) -> None:
    # The job is longer than the buffer for texts, so that the guest is asked for memory.
    kind = outcome_of("(i64.const -2)", alloc=f"(i32.const {signed(at)})", job=b"x" * (MEMORY // 2))
    assert kind == "X"


def test_no_memory_for_a_long_text_is_a_lack_of_memory() -> None:
    assert outcome_of("(i64.const -2)", alloc="(i32.const 0)", job=b"x" * (MEMORY // 2)) == "M"


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        (b"D\0\0\0\1" + b"1", "D"),
        (b"", "X"),
        (b"D", "X"),
        (b"D\0\0\0\2" + b"1", "X"),
        (b"Z\0\0\0\0", "X"),
        (b"P\0\0\0\0", "X"),
        (b"K\0\0\0\0", "X"),
        (b"S\0\0\0\0", "X"),
        (b"D\xff\xff\xff\xff", "X"),
        # Longer than the longest frame that the node skips, which is four times what it reads.
        (b"L\0\0\x0f\xa1" + b"x" * 4001, "X"),
        (b"C\0\0\0\0", "X"),
        (b"C\0\0\0\6" + b'[1e9,"', "X"),
        (b'C\0\0\0\x0b[1,"a",[1]]' * 2, "CX"),
        (b'C\0\0\0\x0b[1,"a",[1]]' + b"D\0\0\0\1" + b"1", "CD"),
        (b"L\0\0\0\2" + b'""' + b"E\0\0\0\2{}" + b"D\0\0\0\1" + b"1", "LE"),
    ],
)
def test_frames_that_no_prelude_writes_end_the_fiber_alone(stream: bytes, kind: str) -> None:
    data = "".join(f"\\{byte:02x}" for byte in stream)
    assert (
        outcome_of(f"(i64.const {(len(stream) << 32) | 0xFFFFFFFE})", data=f'(data (i32.const {OUT}) "{data}")') == kind
    )


@pytest.mark.parametrize(
    "body",
    ["unreachable", "(i64.div_s (i64.const 1) (i64.const 0))", f"(i64.load (i32.const {MEMORY}))", "(call $again)"],
)
def test_a_trap_ends_the_fiber_alone(body: str) -> None:
    assert outcome_of(body) == "X"


class Recorder(FiberChannel):
    """Keeps the frames of a fiber."""

    def __init__(self) -> None:
        self._unsent = bytearray()
        self.kinds = ""

    def put(self, kind: int, fiber: int, body: bytes | bytearray | memoryview = b"") -> None:  # noqa: ARG002 - the port's
        self.kinds += chr(kind)

    def flush(self) -> None:
        """Keep everything."""


def outcome_of(body: str, *, alloc: str = "(i32.const 0)", data: str = "", job: bytes = b"{}") -> str:
    """Kinds of the frames of a fiber whose `run` is this."""
    world = World(
        f"""(module {HEADER} {data}
         (func $again (result i64) (i64.add (call $again) (call $again)))
         (func (export "alloc") (param i32) (result i32) {alloc})
         (func (export "run") (param i32 i32 i32 i64 i64) (result i64) {body}))"""
    )
    channel = Recorder()
    fiber = Fiber(1, world.instance(), world.snapshot, FiberLimits(4 * PAGE, 1000, 1000), lambda: None)
    fiber.begin(job)
    while not fiber.has_ended and fiber.wants_to_run():
        fiber.run_slice(world.host, channel)
    assert fiber.has_ended
    return channel.kinds
