"""Creates bare systems of Debian releases in folders of the build. They are like a user's machine
without any packages installed."""
import os
import shutil
import subprocess

from scripts import steps

FOLDER = steps.BUILD / "roots"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "forky": "Debian 14, which is being made"}
SCRIPT = "sid"  # debootstrap's script: the same for all releases, even unknown newer ones
PACKAGES = "python3,python3-venv,ca-certificates"
# Mounts /proc and the machine's devices, for browsers and sanitizers, in a mount namespace that
# ends with the command.
ENTER = """mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && exec chroot "$1" /bin/sh -ec "$2" """


def archives():
    """Returns the archive that this machine's apt uses, and the archive of security updates, which
    has LLVM 22."""
    told = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"], capture_output=True, text=True).stdout.split()
    security = [uri for uri in told if uri.rstrip("/").endswith("debian-security")]
    main = [uri for uri in told if uri.rstrip("/").endswith("debian")]
    if not main or not security:
        raise steps.Failure("apt knows no archive of Debian and of its security updates", "see /etc/apt/sources.list, then run `apt-get update`")
    return main[0], security[0]


def make(release):
    """Returns the folder of a release's system, created once."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise steps.Failure("bare systems are made with debootstrap, as root", "apt-get install debootstrap, then run this as root")
    folder = FOLDER / release
    main, security = archives()
    with steps.once(f"root-{release}", steps.digest(PACKAGES, main, security)) as needed:
        if needed:
            shutil.rmtree(folder, ignore_errors=True)
            FOLDER.mkdir(parents=True, exist_ok=True)
            steps.free_space_check(FOLDER, 1)
            steps.run(f"{RELEASES[release]}: making a bare system", ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, folder, main, SCRIPT],
                      log=f"debootstrap-{release}")
            suites = (f"{main} {release}", f"{main} {release}-updates", f"{security} {release}-security")
            (folder / "etc/apt/sources.list").write_text("".join(f"deb {suite} main\n" for suite in suites))
    # Uses this machine's network settings: a proxy may have its own certificate.
    for path in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
        shutil.copy("/" + path, folder / path)
    return folder


def run(release, title, command, *, log, check=True):
    """Runs a shell command as root in a release's system. Returns (exit status, log path)."""
    return steps.run(f"{RELEASES[release]}: {title}", ["unshare", "--mount", "sh", "-c", ENTER, "sh", make(release), command], log=log, check=check,
                     environment={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"})
