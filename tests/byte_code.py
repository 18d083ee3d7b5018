"""Digests of what Python modules do: the same after a comment, a line break or the name of a local variable changes.

Everything else that a program can see of itself counts: constants with docstrings and annotations, names of modules,
classes, functions, attributes and arguments. Lines do not, so a traceback may name another one. Since Python 3.12
comprehensions have their names in their function: two that share one, and no longer do, count as a change.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from types import CodeType


def what_it_does(source: bytes) -> str:
    """Digest of a module's byte code without names of local variables, bound to the Python that compiled it.

    Args:
        source: What the module's file holds.

    Raises:
        SyntaxError: it is no Python.
    """
    code = compile(source, "", "exec", dont_inherit=True)
    return hashlib.sha256(repr((sys.implementation.cache_tag, _parts(code))).encode()).hexdigest()


def _parts(code: CodeType) -> tuple[object, ...]:
    """All of a code object but lines and its local names: byte code counts these, and needs their number alone."""
    variables = {flag: bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)}
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + sum(variables.values())]
    return (
        *(code.co_qualname, code.co_flags, code.co_code, code.co_exceptiontable, code.co_names, arguments),
        *(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        *(len(code.co_varnames), len(code.co_cellvars), len(code.co_freevars)),
        tuple(_constant(constant) for constant in code.co_consts),
    )


def _constant(constant: object) -> object:
    if isinstance(constant, CodeType):
        return _parts(constant)
    if isinstance(constant, frozenset):  # its order is another in each process
        return ("frozenset", *sorted(map(repr, constant)))
    return repr(constant)
