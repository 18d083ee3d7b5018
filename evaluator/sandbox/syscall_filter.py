"""The system calls that no scoring program needs, as a seccomp filter for `bwrap --seccomp`.

They give memory that no limit counts, other processes' memory, namespaces, keys, doors into the kernel, or a share of
what the whole machine or all processes of a user have together (asynchronous I/O, watched files). Of sockets only pairs
of processes are left: the kernel keeps one account of TCP memory for all namespaces, and AF_VSOCK of virtual machines
reaches through a namespace of the network.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""linux/audit.h"""
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_SOCKET = {"x86_64": 41, "aarch64": 198}
_SOCKET_FAMILIES = (socket.AF_UNIX,)
"""Kinds of sockets that a program may make; multiprocessing and asyncio need these."""
_DENIED: dict[str, tuple[int, int | None]] = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "fanotify_init": (300, 262),
    "fsopen": (430, 430),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_cancel": (210, 3),
    "io_destroy": (207, 1),
    "io_getevents": (208, 4),
    "io_pgetevents": (333, 292),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kcmp": (312, 272),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmget": (29, 194),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""Name -> its number on x86_64 and on aarch64 (asm/unistd.h); None where a machine lacks it."""
_NEW_NAMESPACES = 0x7E020000
"""Every CLONE_NEW* flag (linux/sched.h)."""

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _FIRST_AT = 0, 4, 16
"""Offsets in `struct seccomp_data`: the call, the machine, and the low half of its first argument."""
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
"""Numbers from here on are the second table of x86_64."""


def is_known_machine() -> bool:
    """Whether the numbers of this machine's system calls are known here."""
    return platform.machine() in _AUDIT_ARCH


def syscall_filter() -> bytes:
    """Return the filter as the array of `struct sock_filter` that bwrap reads.

    >>> len(syscall_filter()) % 8
    0
    """
    machine = platform.machine()
    column = list(_AUDIT_ARCH).index(machine)
    refused = [(number, errno.EPERM) for numbers in _DENIED.values() if (number := numbers[column]) is not None]
    refused.append((_CLONE3, errno.ENOSYS))  # libraries then take clone, whose flags can be looked at
    program = [
        _step(_LOAD, _ARCH_AT),
        _step(_JUMP_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        _step(_JUMP_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _REFUSE | errno.EPERM),
    ]
    for number, error in refused:
        program += [_step(_JUMP_EQUAL, number, 0, 1), _step(_RETURN, _REFUSE | error)]
    program += [_step(_JUMP_EQUAL, _SOCKET[machine], 0, 2 * len(_SOCKET_FAMILIES) + 2), _step(_LOAD, _FIRST_AT)]
    for family in _SOCKET_FAMILIES:
        program += [_step(_JUMP_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    program.append(_step(_RETURN, _REFUSE | errno.EAFNOSUPPORT))
    program += [
        _step(_JUMP_EQUAL, _CLONE[machine], 0, 3),
        _step(_LOAD, _FIRST_AT),
        _step(_JUMP_IF_SET, _NEW_NAMESPACES, 0, 1),
        _step(_RETURN, _REFUSE | errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
