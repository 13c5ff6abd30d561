"""Settings of actions."""

from pydantic import field_validator

from node.settings.field import MIB, Section
from node.settings.field import of as _of
from node.settings.host_list import HostList


class ActionSettings(Section):
    """Limits of one action and of all that run."""

    action_timeout_s: float = _of(900.0, "wall time of one action", gt=0)
    action_code_bytes: int = _of(4 * MIB, "source of one action, UTF-8", ge=1)
    action_params_bytes: int = _of(MIB, "js_params as JSON", ge=2)
    action_params_depth: int = _of(100, "nesting of arrays and objects in js_params", ge=1, le=200)
    action_memory_bytes: int = _of(128 * MIB, "memory of the script's instance", ge=MIB)
    action_response_bytes: int = _of(MIB, "JSON text of the response", ge=4)
    action_response_depth: int = _of(100, "nesting of arrays and objects in the response", ge=1, le=200)
    action_response_values: int = _of(100_000, "JSON values in the response", ge=100)
    action_response_inline_bytes: int = _of(64 * 1024, "responses above this size are parsed in a thread", ge=0)
    action_log_bytes: int = _of(100 * 1024, "all logs of one action", ge=0)
    action_log_lines: int = _of(10_000, "lines of the logs of one action; more end it", ge=1)
    action_frame_bytes: int = _of(4 * MIB, "one message from an action", ge=1024)
    action_host_calls: int = _of(1_000, "calls of one action to the node, of every kind", ge=0)
    action_host_call_values: int = _of(20_000, "JSON values in one call of an action; more end it", ge=100)
    action_pending_host_calls: int = _of(16, "calls of one action worked on at a time", ge=1)
    action_answer_backlog_bytes: int = _of(
        8 * MIB, "answers that a worker has not read; with more, no further call of its actions is begun", ge=0
    )
    action_host_time_s: float = _of(5.0, "processor time of the node for one action's calls, logs and response", gt=0)
    action_key_operations: int = _of(100, "calls of one action to Svc.Actions", ge=0)
    action_derivations_remembered: int = _of(4096, "wallets of which it is kept for which admin they were minted", ge=0)
    action_encrypt_message_bytes: int = _of(MIB, "what Encrypt takes at a time", ge=0)
    action_concurrent_max: int = _of(
        4096,
        "actions of the node running at a time, whatever memory there is; at most a sixth of its descriptors",
        ge=1,
    )
    action_concurrent_max_per_account: int = _of(16, "actions of one account running at a time; more are 429", ge=1)
    action_foreground_s: float = _of(
        0.1,
        "how long an action runs at the node's priority; then it has what nobody else wants",
        gt=0,
    )
    action_foreground_per_processor: int = _of(
        16, "actions in that first time, for each processor; further ones wait, one account has at most half", ge=1
    )
    action_queue_max: int = _of(512, "actions waiting for their turn; more are 429", ge=0)
    action_queue_wait_max_s: float = _of(10.0, "an action that waits longer for its turn is 429", gt=0)
    action_retry_after_max_s: int = _of(
        60, "longest Retry-After of a 429 for load; it is as turns are seen to come", ge=1
    )
    action_start_bytes: int = _of(
        1_500_000, "memory an action is counted with until it is measured, and at least", ge=1
    )
    action_memory_reserve_bytes: int = _of(
        256 * MIB, "no action starts while less memory is left; below half of it the greediest are ended (503)", ge=0
    )
    action_memory_reserve_percent: int = _of(
        10, "the same in percent of what the container may use; the larger counts", ge=0, le=90
    )
    action_memory_together_bytes: int = _of(0, "memory all actions may hold together; 0: what the container has", ge=0)
    action_memory_wait_s: float = _of(
        1.0, "after so long without memory for another action, the greediest account makes room for others", gt=0
    )
    action_memory_modest_bytes: int = _of(32 * MIB, "an account that holds no more makes no such room for others", ge=0)
    action_memory_interval_s: float = _of(0.05, "how often memory is measured", gt=0)
    action_spare_workers: int = _of(
        4, "worker processes started ahead, so that a program's first action waits for none", ge=0
    )
    action_idle_workers: int = _of(
        64, "worker processes kept for the next action of their program; beyond that the least recently used end", ge=0
    )
    zygote_max_age_s: float = _of(600.0, "age at which the process that workers are forked from is replaced", gt=0)
    action_min_block_timeout_s: float = _of(10.0, "how long a request waits for its min_block", gt=0)
    action_funds_lead_s: float = _of(0.1, "how long before a second begins its price is set aside", ge=0)
    action_uncharged_s_per_hour: float = _of(
        60.0, "run time of an account not charged when faults of the node ended its actions; what goes beyond is", ge=0
    )
    action_inline_cid_bytes: int = _of(256 * 1024, "sources above this size are hashed in a thread", ge=0)


class ExplainSettings(Section):
    """Rate limits of the explain endpoint."""

    explain_per_minute_per_account: int = _of(60, "questions to explain of all keys of one account; more are 429", ge=1)
    explain_max_tracked_accounts: int = _of(100_000, "accounts whose counters of it are kept in memory", ge=1)


class EgressSettings(Section):
    """Outbound requests of actions."""

    egress_requests: int = _of(50, "calls of one action to fetch; the next one ends it", ge=0)
    egress_concurrent_requests: int = _of(6, "requests of one action on their way at a time; further ones wait", ge=1)
    egress_timeout_s: float = _of(30.0, "one call of fetch, redirects and body included", gt=0)
    egress_redirects: int = _of(5, "redirects one call of fetch follows", ge=0)
    egress_url_characters: int = _of(8_192, "longest URL, also of a redirect", ge=64)
    egress_request_headers: int = _of(64, "headers of a request", ge=0)
    egress_request_header_bytes: int = _of(16 * 1024, "names and values of a request's headers together", ge=0)
    egress_request_body_bytes: int = _of(
        3 * MIB, "body of a request; as base64 it must fit into action_frame_bytes", ge=0
    )
    egress_response_headers: int = _of(100, "headers of an answer", ge=16)
    egress_response_header_bytes: int = _of(8_192, "a single header of an answer", ge=1024)
    egress_response_body_bytes: int = _of(10 * MIB, "body of an answer, before and after decompression", ge=0)
    egress_held_bytes_per_account: int = _of(
        32 * MIB, "bodies on their way to the actions of one account at a time, until the actions have read them", ge=0
    )
    egress_held_bytes: int = _of(192 * MIB, "the same of all accounts", ge=0)
    egress_reading_cpu_s_per_action: float = _of(2.0, "processor time of taking one action's answers apart", gt=0)
    egress_lookups: int = _of(64, "names looked up at a time", ge=1)
    egress_lookups_per_account: int = _of(16, "the same of one account", ge=1)
    egress_sockets: int = _of(
        1_024, "connections of all actions open at a time; at most a sixth of the process's descriptors", ge=1
    )
    egress_sockets_per_account: int = _of(96, "the same of one account", ge=1)
    egress_allow_hosts: tuple[str, ...] = _of(
        (), "names, `*.` and names, networks: nothing else is reached; empty: all that is public"
    )
    egress_deny_hosts: tuple[str, ...] = _of((), "likewise: what is not reached, whatever egress_allow_hosts says")

    @field_validator("egress_allow_hosts", "egress_deny_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Each must be a name or a network, said at the start and not at the first request."""
        HostList.of(value)
        return value
