"""Kernels that are reached through sockets in a folder of their own, not through ports.

A port is chosen before the kernel takes it. Where many tests start servers and kernels, another
process may take the port in between, and the kernel then never starts (jupyter_client issue 487).
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyter_client.manager import KernelManager
    from nbformat import NotebookNode

TRANSPORT = "ipc"


@contextmanager
def socket_folder() -> Iterator[Path]:
    """Make a folder whose path is short: that of a socket has at most 103 characters on macOS."""
    with tempfile.TemporaryDirectory(prefix="uq-", dir="/tmp", ignore_cleanup_errors=True) as name:
        yield Path(name)


@contextmanager
def new_kernel() -> Iterator[KernelManager]:
    """Return the manager of a kernel, which starts with the first notebook and ends here."""
    from jupyter_client.manager import KernelManager

    with socket_folder() as folder:
        file = str(folder / "kernel.json")
        manager = KernelManager(kernel_name="python3", transport=TRANSPORT, connection_file=file)
        try:
            yield manager
        finally:
            manager.shutdown_kernel(now=True)


def run_cells(notebook: NotebookNode, kernel: KernelManager, folder: Path) -> None:
    """Run a notebook as if it lay in a folder; the kernel goes on."""
    from nbclient import NotebookClient

    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook, km=kernel, resources=resources, startup_timeout=120, timeout=240
    )
    try:
        client.execute()
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
