"""Kernels, libraries and initial RAM disks of the boards, from Debian's packages."""

import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "pmu-boards"

APPLETS = ["sh", "mount", "insmod", "ip", "cat", "sleep", "echo", "poweroff", "nc", "taskset",
           "mkfifo"]
# On the machine that runs the boards; the libraries are the agent's, for Arm.
PACKAGES = ["qemu-system-arm", "qemu-system-x86", "qemu-system-data", "seabios", "ipxe-qemu",
            "device-tree-compiler", "cpio", "busybox-static", "g++-aarch64-linux-gnu",
            "libgrpc++-dev:arm64", "libgrpc-dev:arm64", "libprotobuf-dev:arm64",
            "libabsl-dev:arm64", "libpfm4-dev:arm64"]


class Arch:
    def __init__(self, name, kernel, libraries, loader, modules, bazel_config):
        self.name = name
        self.kernel = kernel  # meta package
        self.libraries = libraries
        self.loader = loader
        self.modules = modules  # those they need are found
        self.bazel_config = bazel_config

    @property
    def folder(self):
        return CACHE / self.name

    @property
    def image(self):
        return next(self.folder.glob("boot/vmlinuz-*"))

    @property
    def pmud(self):
        return ROOT / f"out/{self.bazel_config}-bin/server/pmud"


ARM = Arch("arm64", "linux-image-arm64:arm64", "/lib/aarch64-linux-gnu",
           "/lib/ld-linux-aarch64.so.1", ["virtio_mmio", "virtio_net"], "arm64")
X86 = Arch("amd64", "linux-image-cloud-amd64", "/lib/x86_64-linux-gnu",
           "/lib64/ld-linux-x86-64.so.2",
           ["virtio_pci", "virtio_net", "msr"], "static")


def call(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def install_packages():
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status}\n"]
    missing = [package for package in PACKAGES
               if subprocess.run(query + [package], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True).stdout != "installed\n"]
    if not missing:
        return
    print("boards: installing Debian packages: " + " ".join(missing), flush=True)
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    apt = sudo + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq",
                  "-o", "DPkg::Lock::Timeout=120"]
    call(*sudo, "dpkg", "--add-architecture", "arm64")
    call(*apt, "update", stdout=subprocess.DEVNULL)
    call(*apt, "install", "-y", "--no-install-recommends", *missing, stdout=subprocess.DEVNULL)


def unpack(package, folder):
    """Downloads a package and unpacks it, without installing it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as downloads:
        os.chmod(downloads, 0o755)
        call("apt-get", "-qq", "download", package, cwd=downloads, stderr=subprocess.DEVNULL)
        call("dpkg", "-x", next(pathlib.Path(downloads).glob("*.deb")), folder)


def fetch_kernel(arch):
    if (arch.folder / "boot").is_dir():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    depends = output("apt-cache", "depends", arch.kernel).splitlines()
    package = next(line.split()[-1] for line in depends if line.strip().startswith("Depends:"))
    unpack(package, arch.folder)
    if arch is ARM:
        unpack("busybox-static:arm64", arch.folder)
    else:
        (arch.folder / "bin").mkdir(exist_ok=True)
        shutil.copy("/bin/busybox", arch.folder / "bin/busybox")


def make_initrd(arch, folder, programs):
    """An initial RAM disk in `folder` that runs init.sh."""
    tree = folder / f"tree-{arch.name}"
    for part in ["bin", "dev", "proc", "sys", "tmp", "modules"]:
        (tree / part).mkdir(parents=True)
    shutil.copy(arch.folder / "bin/busybox", tree / "bin/busybox")
    for applet in APPLETS:
        (tree / "bin" / applet).symlink_to("busybox")
    for program in programs:
        shutil.copy(program, tree / "bin")
    copy_libraries(arch, tree)
    copy_modules(arch, tree / "modules")
    shutil.copy(HERE / "init.sh", tree / "init")
    os.chmod(tree / "init", 0o755)
    initrd = folder / f"initrd-{arch.name}"
    with open(initrd, "wb") as out:
        call("sh", "-c", "find . | cpio -o -H newc --quiet", cwd=tree, stdout=out)
    shutil.rmtree(tree)
    return initrd


def copy_libraries(arch, tree):
    """What the agent's mostly static binary needs: the C library."""
    for library in ["libc.so.6", "libm.so.6"]:
        target = tree / arch.libraries.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"{arch.libraries}/{library}", target)
    loader = tree / arch.loader.lstrip("/")
    loader.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(arch.loader, loader)


def copy_modules(arch, target):
    names = []

    def add(module):
        found = list(arch.folder.glob(f"lib/modules/*/kernel/**/{module}.ko"))
        if not found or module + ".ko" in names:
            return  # built in, or there
        for needed in depends_of(found[0]):
            add(needed)
        shutil.copy(found[0], target)
        names.append(module + ".ko")

    for module in arch.modules:
        add(module)
    (target / "order").write_text("".join(name + "\n" for name in names))


def depends_of(module):
    """What its .modinfo says: "depends=virtio,virtio_ring"."""
    text = module.read_bytes()
    start = text.index(b"\0depends=") + len(b"\0depends=")
    return [name for name in text[start:text.index(b"\0", start)].decode().split(",") if name]


def make_device_tree(folder, machine, overlays):
    """QEMU's own device tree for `machine`, with `overlays` applied in turn."""
    tree = folder / "machine.dtb"
    call("qemu-system-aarch64", *machine[:1], machine[1] + f",dumpdtb={tree}", *machine[2:],
         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for overlay in overlays:
        compiled = folder / (overlay + ".dtbo")
        call("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", compiled, HERE / overlay)
        merged = folder / ("with-" + overlay + ".dtb")
        call("fdtoverlay", "-i", tree, "-o", merged, compiled)
        tree = merged
    return tree
