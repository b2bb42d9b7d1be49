#!/bin/sh
# Brings what is needed to run ARM programs on this machine: an emulator, the C
# library for aarch64 (both from Debian or Ubuntu) and IREE's aarch64 runtime.
# The latter is unpacked, not installed: its iree-run-module runs emulated.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$root/.venv/bin/python}
version=$("$python" -c 'import importlib.metadata as m; print(m.version("iree-base-runtime"))')
folder=$root/.targets/aarch64

packages="qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross"
if ! command -v qemu-aarch64-static >/dev/null || ! [ -e /usr/aarch64-linux-gnu/lib/libstdc++.so.6 ]; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -q
    $sudo apt-get install -q -y --no-install-recommends $packages
fi

if ! [ -e "$folder/$version" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/wheel"
    # Any Python version's wheel has the same program in it.
    "$python" -m pip download --quiet --dest "$folder/wheel" --no-deps \
        --platform manylinux_2_28_aarch64 --only-binary=:all: "iree-base-runtime==$version"
    "$python" -m zipfile -e "$folder"/wheel/*.whl "$folder/runtime"
    chmod +x "$folder/runtime/iree/_runtime_libs/iree-run-module"
    rm -r "$folder/wheel"
    touch "$folder/$version"
fi

qemu-aarch64-static -L /usr/aarch64-linux-gnu "$folder/runtime/iree/_runtime_libs/iree-run-module" --list_drivers >/dev/null
echo "aarch64 programs run here: $folder"
